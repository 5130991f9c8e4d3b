#!/usr/bin/env bash
# Look at the pages of reports and plans in Chromium, without a network: every chart is painted,
# nothing complains, keys reach everything, the tip says what the data say.
#
#     bash tests/browser/run.sh [BUILD]        default: build/release, which must be built
#
# Installs what is missing: Debian's chromium and npm, and playwright-core from npm. Pages,
# screenshots (light and dark) and prints are left in BUILD/browser/.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0" | grep -v '^shellcheck ' && exit ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

build=$(realpath "${1:-build/release}")
root=$PWD
folder=$build/browser
bash jobs/setup.sh --browser
rm -rf "$folder"
mkdir -p "$folder"
cp tests/browser/{package.json,check.js} "$folder"
mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
export PATH=$build/bin:$PATH OMP_NUM_THREADS=1 HWLOC_PLUGINS_PATH=/nonexistent

slices=$folder/slices
mkdir "$slices"
for i in 1 2 3 4; do ln -s "$PWD/jobs/data/retina.png" "$slices/$i.png"; done
cd "$folder"
npm install --no-audit --no-fund --silent

# As fast as it may be here, with all that a profile can say of its fits.
cat >matched.json <<'PROFILE'
{ "schema": "scow-profile-1", "kernel": "matched-filter",
  "settings": [ { "block": 64, "score": {"held_out": 0.03, "noise": 0.02}, "windows": [ { "tasks": [1, 100],
    "envelope": {"latency_s": 1e-5, "s_per_task": 1e-6},
    "send": {"latency_s": 4e-6, "s_per_task": 0},
    "workers": [ { "count": 2, "receive": {"latency_s": 2e-5, "s_per_task": 1e-6},
      "compute": {"latency_s": 1e-4, "s_per_task": 1e-4, "stderr_latency_s": 1e-5, "stderr": 2e-6, "correlation": -0.5,
        "deviation": 0.1, "drift": 0.05, "r2": 0.99, "n": 40},
      "output": {"latency_s": 3e-4, "s_per_task": 1e-4} } ] } ] } ] }
PROFILE
scow plan -p matched.json -i slices -s scow-mp -q -o plan.json --html plan.html
"$mpiexec" -n 3 scow run plan.json -i slices -o run.h5 -q
scow report run.h5 -q --html run.html

# What others leave: in a plan, and as if a run's packages had found it.
cat >shared.json <<'PROFILE'
{ "schema": "scow-profile-1", "kernel": "sleep",
  "settings": [ { "windows": [ { "tasks": [1, 100],
    "envelope": {"latency_s": 0, "s_per_task": 0}, "send": {"latency_s": 0, "s_per_task": 0},
    "workers": [ { "count": 2, "name": "near", "bandwidth": 1e9, "receive": {"latency_s": 0, "s_per_task": 0},
      "link": {"latency_s": 0, "s_per_task": 1e-3}, "compute": {"latency_s": 0, "s_per_task": 1e-2} } ] } ] } ] }
PROFILE
printf '10\tnear\tcpu\t0.5\n10\tnear\tbandwidth\t2.5e8\n' >shared.tsv
scow plan -p shared.json -X 1000 --load shared.tsv -q -o shared-plan.json --html shared.html
sed 's/"worker": [0-9]*, /&"bandwidth": 2.5e8, "bandwidth_planned": 1e9, /g' run.html >found.html

# Core tasks that are heavy where they stand together.
cat >heavy.json <<'PROFILE'
{ "schema": "scow-profile-1", "kernel": "sleep",
  "settings": [ { "map": {"tasks": 100, "sampled": 64, "error": 0.02, "unseen": 0.1, "regions":
      [{"tasks": 90, "cost": 0.5}, {"tasks": 10, "cost": 5.5}]},
    "windows": [ { "tasks": [1, 100],
    "envelope": {"latency_s": 0, "s_per_task": 0}, "send": {"latency_s": 0, "s_per_task": 0},
    "workers": [ { "count": 2, "receive": {"latency_s": 0, "s_per_task": 0},
      "compute": {"latency_s": 0, "s_per_task": 1e-2} } ] } ] } ] }
PROFILE
scow plan -p heavy.json -X 1000 -q -o heavy-plan.json --html heavy.html

# Three classes with prices: compromises, of which the fastest within a budget is chosen.
cat >priced.json <<'PROFILE'
{ "schema": "scow-profile-1", "kernel": "sleep",
  "settings": [ { "windows": [ { "tasks": [1, 100],
    "envelope": {"latency_s": 0, "s_per_task": 1e-3}, "send": {"latency_s": 0, "s_per_task": 0},
    "workers": [
      {"name": "fast", "count": 4, "receive": {"latency_s": 0, "s_per_task": 0},
       "compute": {"latency_s": 0, "s_per_task": 0.2}, "price_s": 3, "fee": 5},
      {"name": "middle", "count": 8, "receive": {"latency_s": 0, "s_per_task": 0},
       "compute": {"latency_s": 0, "s_per_task": 0.5}, "price_s": 0.9},
      {"name": "slow", "count": 20, "receive": {"latency_s": 0, "s_per_task": 0},
       "compute": {"latency_s": 0, "s_per_task": 1}, "price_s": 0.3} ] } ] } ] }
PROFILE
scow plan -p priced.json -X 1000 --pareto --budget 400 -q --html pareto.html

# Two settings, with their probes; the folded one is printed, too.
"$mpiexec" -n 3 scow calibrate -k mandelbrot --width 400,800 --height 400 --budget 4s -q -o measured.json \
    --html calibration.html

# A package for every core task: 10^5 events and more.
cat >quick.json <<'PROFILE'
{ "schema": "scow-profile-1", "kernel": "sleep",
  "settings": [ { "windows": [ { "tasks": [1, 40],
    "envelope": {"latency_s": 1e-5, "s_per_task": 1e-6}, "send": {"latency_s": 1e-5, "s_per_task": 0},
    "workers": [ { "count": 4, "receive": {"latency_s": 1e-5, "s_per_task": 0},
      "compute": {"latency_s": 1e-4, "s_per_task": 1e-4}, "output": {"latency_s": 1e-5, "s_per_task": 0} } ] } ] } ] }
PROFILE
scow plan -p quick.json -X 20000 -s scow-mp -q -o many.json
"$mpiexec" -n 5 scow run many.json -s ss -o many.h5 -q
scow report many.h5 -q --html many.html
scow report --compare run.h5 many.h5 -q --html runs.html

# Masters side by side, of which each packs slowly, and a tree of two groups.
cat >packed.json <<'PROFILE'
{ "schema": "scow-profile-1", "kernel": "sleep",
  "settings": [ { "windows": [ { "tasks": [1, 1000],
    "envelope": {"latency_s": 5e-3, "s_per_task": 5e-3}, "send": {"latency_s": 0, "s_per_task": 0},
    "workers": [ { "count": 10, "link": {"latency_s": 1e-2, "s_per_task": 0}, "receive": {"latency_s": 1e-3, "s_per_task": 0},
      "compute": {"latency_s": 1e-2, "s_per_task": 2e-2, "stderr": 1e-4, "deviation": 0.05, "n": 40} } ] } ] } ] }
PROFILE
scow plan -p packed.json -X 120 -n 9 --masters 3 -q -o masters-plan.json --html masters-plan.html
"$mpiexec" -n 12 scow run masters-plan.json -p packed.json -o masters.h5 -q
printf '1-3\n4-6\n' >groups.txt
scow plan -p packed.json -X 120 --tree groups.txt -q -o tree-plan.json --html tree-plan.html
"$mpiexec" -n 7 scow run tree-plan.json -p packed.json -o tree.h5 -q
scow report masters.h5 -q --html masters.html
scow report tree.h5 -q --html tree.html

# A search in levels, each for what the one before has left.
printf '>%s\n%s\n' a GGCGTAGACAATTA b CATAACAACGTAGT c CAGCACGTTACTTG d TTGGACGGATGTGA e ACGGATTAAGGGTT >five.fa
cat >levels-plan.json <<'PLAN'
{ "schema": "scow-plan-1", "kernel": "motif-levels", "parameters": {"length": 5}, "scheduler": "by hand",
  "tasks": 10, "workers": [0, 1], "rounds": [ {"repeat": 5, "loads": [1, 1]} ] }
PLAN
"$mpiexec" -n 3 scow run levels-plan.json -i five.fa -o levels.h5 -q
scow report levels.h5 -q --html levels.html

# What is expected of a search before its first level.
sed 's/"windows"/"levels": [{"tasks": 10, "compute": 1, "next": 2.5}, {"tasks": 25, "compute": 2, "next": 3}], &/' quick.json \
    >expected.json
scow plan -p expected.json -X 10 -q --html levels-plan.html

# All in one, with its probes.
"$mpiexec" -n 3 scow go -k mandelbrot --width 400 --height 400 -q -o go.h5
mv go.report.html go.html

# Runs that did not go the plain way, of core tasks that sleep; three workers.
cat >slept.json <<'PROFILE'
{ "schema": "scow-profile-1", "kernel": "sleep",
  "settings": [ { "windows": [ { "tasks": [1, 1000],
    "envelope": {"latency_s": 1e-4, "s_per_task": 0}, "send": {"latency_s": 0, "s_per_task": 0},
    "workers": [ { "count": 3, "receive": {"latency_s": 0, "s_per_task": 0},
      "compute": {"latency_s": 0, "s_per_task": 2e-3, "stderr": 2e-5, "deviation": 0.1, "n": 40} } ] } ] } ] }
PROFILE
scow plan -p slept.json -X 900 -s scow-mp --tail fac:30% -q -o assigned.json --html assigned-plan.html
scow plan -p slept.json -X 900 -s scow-mp -q -o slept-plan.json
"$mpiexec" -n 4 scow run assigned.json -p slept.json -o assigned.h5 -q
cat >three-hundred.json <<'PLAN'
{ "schema": "scow-plan-1", "kernel": "sleep", "scheduler": "by hand", "tasks": 9000,
  "workers": [0, 1, 2], "rounds": [ {"repeat": 300, "loads": [10, 10, 10]} ] }
PLAN
SCOW_SLEEP_SLOW=1,100,4 "$mpiexec" -n 4 scow run three-hundred.json -p slept.json -o watched.h5 -q --replan 30%

# Four ranks that survive each other, and one of them gets a signal on its way.
mkdir disturbed
cd disturbed
cp ../three-hundred.json plan.json
# shellcheck disable=SC2034 # for faults.sh
scow=$build/bin/scow input=() options=(-p ../slept.json)
# shellcheck source=tests/spmd/faults.sh
source "$root/tests/spmd/faults.sh"
# disturb OUTPUT SIGNAL RANK SAYS: on a machine that is busy elsewhere the run may be over before; then once more.
disturb() {
    local attempt
    for ((attempt = 0; attempt < 20; attempt++)); do
        rm -f "$1"
        start "$1"
        gather "$1" || true
        reach "$1" 100
        kill -"$2" "${processes[$3]:-$launcher}" 2>/dev/null || true
        end "$1"
        grep -q "$4" "$1.said" && mv "$1" .. && return
    done
    fail "20 runs were over before anybody could disturb them"
}
disturb lost.h5 KILL 2 'is lost'
disturb resumed.h5 TERM 0 'stopped as asked'
cd ..
"$mpiexec" -n 4 scow run three-hundred.json -p slept.json -o resumed.h5 -q --resume

# Workers that come and go: one is killed, one leaves as asked, one stays; then the master is killed, too, and comes back.
# Core tasks of larger numbers wait until they are allowed, so that a run is in the middle however long others take to join it.
mkdir served
cd served
allow() {
    echo "$1" >new
    mv new most
}
await() {
    while ! "$@" 2>/dev/null; do sleep 0.05; done
}
seq 1 60 >lines.txt
cat >task.sh <<'TASK'
while [ "$1" -gt "$(cat most)" ]; do sleep 0.02; done
sleep 0.02
echo "line $1"
TASK
# join NAME ORDER OUTPUT: the worker's process is in `joined`; it is a member when the master has said so as often as that.
join() {
    scow work "$3.access" --patience 60 >"$1.said" 2>&1 &
    joined=$!
    while [ "$(grep -c 'joins$' "$3.said")" -lt "$2" ]; do sleep 0.05; done
}
allow 60
"$mpiexec" -n 4 scow calibrate -k command --command "sh $PWD/task.sh {}" -i lines.txt --quick -q -o profile.json
scow plan -p profile.json -i lines.txt -n 3 -q -o plan.json
allow 20
scow serve plan.json -i lines.txt -o served.h5 --patience 5 >served.h5.said 2>&1 &
master=$!
await test -s served.h5.access
join killed 1 served.h5
killed=$joined
join leaves 2 served.h5
leaves=$joined
kill -KILL "$killed" "$(pgrep -P "$killed")"
await grep -q 'worker 1 is lost' served.h5.said
kill -TERM "$leaves"
allow 50
wait "$leaves"
join stays 3 served.h5
allow 60
wait "$master"
allow 20
scow serve plan.json -i lines.txt -o returned.h5 --patience 5 >returned.h5.said 2>&1 &
master=$!
await test -s returned.h5.access
join waits 1 returned.h5
kill -KILL "$master"
scow serve plan.json -i lines.txt -o returned.h5 --resume >returned.h5.said 2>&1 &
master=$!
allow 60
wait "$master"
mv served.h5 returned.h5 ..
cd ..

# A grid in strips: its plan, by what others leave; its run; and one that loses a worker, whose place is taken by a rank that has
# no strip, then that one, too, and that is stopped.
mkdir strips
cd strips
sed 's/"s_per_byte": 8e-8/"s_per_byte": 1e-12/' "$root/tests/cli/fixtures/grid.json" >grid.json
printf '10\tfast\tcpu\t1\n10\thalf\tcpu\t0.5\n10\tbusy\tcpu\t1\n' >load.tsv
scow plan --strips -p grid.json --load load.tsv --rows 100 --columns 100 --iterations 60 -q -o plan.json --html ../strips-plan.html
"$mpiexec" -n 4 scow run plan.json -o strips.h5 -q
scow plan --strips -p grid.json -n 2 --rows 37 --columns 53 --iterations 1000000000 --every 2 --keep -q -o plan.json
# shellcheck disable=SC2034 # for faults.sh
options=()
# kept: until a grid of more iterations is kept than now.
kept() {
    local now=${kept:-0}
    while ((now <= ${kept:-0})); do
        kill -0 "$launcher" || fail "it has ended: $(cat strips-lost.h5.said)"
        sleep 0.1
        now=$(scow report strips-lost.h5 2>/dev/null | sed -n 's/.* columns, \([0-9]*\) of .*/\1/p') || true
        now=${now:-0}
    done
    kept=$now
}
start strips-lost.h5
gather strips-lost.h5
kept
for rank in 2 3; do
    kill -KILL "${processes[rank]}"
    await grep -q "worker $rank is lost" strips-lost.h5.said
    kept
    kept
done
kill -TERM "${processes[0]}"
end strips-lost.h5
mv strips.h5 strips-lost.h5 ..
cd ..

# Other core tasks: pictures without an input, commands, some of which fail; and workers that read by themselves.
scow plan -p measured.json -q -o rows.json
"$mpiexec" -n 3 scow run rows.json -o rows.h5 -q
seq 100000 100199 >numbers.txt
"$mpiexec" -n 3 scow calibrate -k command --command 'factor {}' -i numbers.txt --quick -q -o factored.json
scow plan -p factored.json -i numbers.txt -q -o factored-plan.json
"$mpiexec" -n 3 scow run factored-plan.json -i numbers.txt -o commands.h5 -q
sed 's/factor {}/case {} in *7) echo why >\&2; exit 3;; esac; factor {}/' factored-plan.json >failing-plan.json
"$mpiexec" -n 3 scow run failing-plan.json -i numbers.txt -o failures.h5 -q || (($? == 1))
"$mpiexec" -n 3 scow calibrate -i slices --staged --quick -q -o staged.json
scow plan -p staged.json -i slices -q -o staged-plan.json
"$mpiexec" -n 3 scow run staged-plan.json -i slices -o staged.h5 -q
for name in assigned watched lost resumed rows commands failures staged served returned strips strips-lost; do scow report $name.h5 -q --html $name.html; done
scow report --compare assigned.h5 watched.h5 lost.h5 resumed.h5 many.h5 rows.h5 commands.h5 staged.h5 -q --html eight.html

CHROMIUM=${CHROMIUM:-$(command -v chromium)} node check.js .
