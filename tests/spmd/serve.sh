#!/usr/bin/env bash
# A run whose workers come and go: one joins late, one is killed, one leaves as asked, the master is
# killed and comes back; results, checksum and ledger are those of a run that nobody disturbed. And who
# has no key of the job's is not let in.
# usage: serve.sh SCOW MPIEXEC
set -euo pipefail
scow=$1 mpiexec=$2
dir=$(mktemp -d)
started=()
trap 'kill -9 "${started[@]}" 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1

fail() {
    echo "serve: $*"
    tail -n 20 ./*.said 2>/dev/null
    exit 1
}
# begin NAME COMMAND...: in the background; its process is in `begun`, what it says in NAME.said.
begin() {
    local name=$1
    shift
    "$@" >"$name.said" 2>&1 &
    begun=$!
    started+=("$begun")
}
# await WHAT CONDITION...: until it holds; the suite's time limit ends what never does.
await() {
    local what=$1
    shift
    while ! "$@" 2>/dev/null; do
        sleep 0.02
    done
    : "$what"
}
checksum() { sed -n 's/^checksum //p' "$1"; }
# The worker itself, which a supervisor restarts when its master is gone.
member_of() { pgrep -P "$1" | head -n 1; }

seq 1 40 >lines.txt
# Core tasks of larger numbers wait until they are allowed: so a run is in the middle however long others take to join it.
allow() {
    echo "$1" >new
    mv new most
}
cat >task.sh <<'END'
while [ -e most ] && [ "$1" -gt "$(cat most)" ]; do sleep 0.02; done
sleep 0.01
echo "line $1"
END
allow 40
cat >plan.json <<END
{"schema": "scow-plan-1", "kernel": "command", "parameters": {"command": "sh $dir/task.sh {}", "write-behind": "yes"},
 "scheduler": "by-hand", "tasks": 40, "workers": [0, 1], "rounds": [{"repeat": 10, "loads": [2, 2]}]}
END
"$mpiexec" -n 3 "$scow" run plan.json -i lines.txt -o expected.h5 -q >expected.said 2>&1 ||
    fail "the run to compare with: $(cat expected.said)"

# ---- workers that come and go ------------------------------------------------------------------
# The first worker is there before its master, and waits for its file.
allow 10
begin killed "$scow" work out.h5.access --patience 60
killed=$begun
begin master "$scow" serve plan.json -i lines.txt -o out.h5 --patience 2
master=$begun
await "an access file" test -s out.h5.access
[ "$(stat -c %a out.h5.access)" = 600 ] || fail "others may read the access file"
await "the first worker" grep -q "worker 1 joins" master.said
begin leaves "$scow" work out.h5.access --patience 20
leaves=$begun
await "the second worker" grep -q "worker 2 joins" master.said
member=$(member_of "$killed")
kill -9 "$killed" "$member"
kill -TERM "$leaves"
allow 40 # what it has in hand
wait "$leaves" || fail "who leaves as asked ends with $?"
allow 0
begin stays "$scow" work out.h5.access --patience 20
stays=$begun
await "the third worker" grep -q "worker 3 joins" master.said
await "who left to be told of" grep -q "worker 2 leaves as asked; it had" master.said
await "who was killed to be told of" grep -q "worker 1 is lost: its process or connection is gone" master.said
grep -q "worker 2 was working on" master.said && fail "who leaves is held to have been killed by what it had"

# ---- the master is killed, and comes back ------------------------------------------------------
# Batch systems take their time to end a job: the master of before still has the address when the next one begins.
kill -STOP "$master"
code=0
"$scow" show out.h5 --check >check.said 2>&1 || code=$?
[ "$code" = 75 ] || fail "the master was stopped too late, or lost something: --check ends with $code"
begin given_up "$scow" serve plan.json -i lines.txt -o out.h5 --resume --patience 2
given_up=$begun
await "the address to be waited for" grep -q "another process has tcp://.*: waits for it" given_up.said
kill -TERM "$given_up"
code=0
wait "$given_up" || code=$?
[ "$code" = 75 ] || fail "who waits for the address and is asked to stop ends with $code"
begin resumed "$scow" serve plan.json -i lines.txt -o out.h5 --resume --patience 2
resumed=$begun
await "the address to be waited for" grep -q "another process has tcp://.*: waits for it" resumed.said
kill -9 "$master"
wait "$master" 2>/dev/null || true
allow 40
code=0
wait "$resumed" || code=$?
[ "$code" = 0 ] || fail "going on ends with $code"
grep -q "share" resumed.said && fail "it counts workers that are not there: $(cat resumed.said)"
wait "$stays" || fail "the worker that waited for its master ends with $?"
[ "$(checksum resumed.said)" = "$(checksum expected.said)" ] || fail "another checksum"
# It could have let in 256: who was killed had planned for two, and one worker has gone on.
"$scow" report out.h5 --json >report.json
/usr/bin/python3 - <<'END' || fail "its report says $(cat report.json)"
import json
report = json.load(open("report.json"))
assert [part["workers"] for part in report["parts"]] == [2, 1], report["parts"]
assert [worker["worker"] for worker in report["joined_workers"]] == [0], report["joined_workers"]
assert report["command_line"].startswith("scow serve plan.json "), report["command_line"]
END
"$scow" show out.h5 --check >/dev/null || fail "--check does not hold"
for file in expected out; do
    "$scow" show $file.h5 --tsv | cut -f 1-5,11-14 >$file.txt
done
cmp expected.txt out.txt || fail "other results"
[ ! -e out.h5.access ] || fail "the access file outlives its job"

# ---- workers that read by themselves, and a plan whose master computes ---------------------------
sed 's/"command": "sh/"staged": "yes", &/; s/"repeat": 10/"repeat": 1/; s/"loads": \[2, 2\]/"loads": [10, 10]/
     s/"tasks": 40/&, "master": {"tasks": 20, "task_s": 0.01}/' plan.json |
    sed 's/task.sh/ended.sh/' >staged.json
# The job of the first worker to come to core task 30 is ended, as batch systems do it: all its processes are told.
cat >ended.sh <<END
parent() { awk '/^PPid/ {print \$2}' "/proc/\$1/status"; }
if [ "\$1" = 30 ] && mkdir $dir/ended 2>/dev/null; then
    job=\$PPID
    while [ "\$(cat "/proc/\$(parent "\$job")/comm")" = scow-work ]; do job=\$(parent "\$job"); done
    kill -TERM "\$job"
    sleep 0.3
    kill -TERM \$\$
fi
echo "line \$1"
END
mkdir copy
cp lines.txt copy/
sed 's/^7$/8/' lines.txt >copy/another.txt
begin staged "$scow" serve staged.json -i lines.txt -o staged.h5
staged=$begun
await "an access file" test -s staged.h5.access
code=0
"$scow" work staged.h5.access -i copy/another.txt >another.said 2>&1 || code=$?
[ "$code" = 4 ] || fail "a worker with another input: $code"
grep -q "another.txt: is not the same here as at the master" another.said || fail "it says $(cat another.said)"
(cd copy && "$scow" work ../staged.h5.access) >copy.said 2>&1 || fail "a worker with a copy: $(cat copy.said)"
[ -d ended ] || fail "nobody has ended the first worker: $(cat copy.said)"
"$scow" work staged.h5.access >copy.said 2>&1 || fail "a worker in place of one whose job has ended: $(cat copy.said)"
wait "$staged" || fail "workers that read by themselves: $?"
grep -q "has the master compute 20 core tasks, and serving workers takes all of it: workers get them$" staged.said ||
    fail "of a master that computes it says $(cat staged.said)"
[ "$(checksum staged.said)" = "$(checksum expected.said)" ] || fail "another checksum of what workers read by themselves"

# ---- who is not let in ---------------------------------------------------------------------------
begin other "$scow" serve plan.json -i lines.txt -o other.h5 -q -s ss
await "an access file" test -s other.h5.access
begin closed "$scow" serve plan.json -i lines.txt -o closed.h5 -s ss
closed=$begun
await "an access file" test -s closed.h5.access
sed "2s/.*/$(sed -n 2p closed.h5.access | sed 's/[&/]/\\&/g')/" other.h5.access >wrong.access
chmod 600 wrong.access
code=0
"$scow" work wrong.access --patience 0.5 >wrong.said 2>&1 || code=$?
[ "$code" = 1 ] || fail "keys of another job: $code"
grep -q "nobody there has let this worker in" wrong.said || fail "it says $(cat wrong.said)"
grep -q joins closed.said && fail "a worker of another job has joined"
chmod 640 wrong.access
code=0
"$scow" work wrong.access >wrong.said 2>&1 || code=$?
[ "$code" = 4 ] || fail "an access file that others may read: $code"

# ---- workers that are submitted ----------------------------------------------------------------
# One of two is stopped: what it has is handed out once more, and nobody waits for it in the end. The other one alone would
# take six seconds, in which the second one comes.
cat >sleep.json <<END
{"schema": "scow-profile-1", "kernel": "sleep", "settings": [{"windows": [{"tasks": [1, 100],
 "envelope": {"latency_s": 1e-4, "s_per_task": 0}, "send": {"latency_s": 1e-4, "s_per_task": 0},
 "workers": [{"count": 2, "receive": {"latency_s": 0, "s_per_task": 0},
              "compute": {"latency_s": 0, "s_per_task": 0.1}}]}]}]}
END
"$scow" plan -p sleep.json -X 60 -o sleeps.json -q
begin local "$scow" serve sleeps.json -o local.h5 --submit local -n 2
local=$begun
await "the second worker" grep -q "worker 2 joins" local.said
kill -STOP "$(member_of "$(pgrep -P "$local" | head -n 1)")"
code=0
wait "$local" || code=$?
[ "$code" = 0 ] || fail "with workers of its own: $code"
grep -Eq "^copies .* done first by copies|worker [12] is lost" local.said || fail "nobody took over: $(cat local.said)"
"$scow" show local.h5 --check >/dev/null || fail "--check does not hold after copies"
# Before anybody is there, no time passes.
"$scow" report local.h5 --json >local.json
/usr/bin/python3 -c 'import json
changes = json.load(open("local.json"))["replanned"]
times = [change["time_s"] for change in changes]
assert changes[0]["joined"] and times == sorted(times), changes
here = json.load(open("local.json"))["joined_workers"]
assert [worker["worker"] for worker in here] == [0, 1] and here[0]["joined_s"] == 0 <= here[1]["joined_s"], here
assert all(worker["host"] for worker in here) and sum(worker["tasks"] for worker in here) == 60, here' ||
    fail "workers that join are not told of as they come: $(cat local.said)"
# A pretended queue, whose jobs are processes, lines of a file: name and number. An array is one call.
mkdir queue bin
cat >bin/sbatch <<END
#!/bin/sh
echo "\$*" >>$dir/queue/calls
last=\$(echo "\$*" | sed -n 's/.*--array=0-\([0-9]*\).*/\1/p')
for script; do :; done
cp "\$script" $dir/queue/script
for k in \$(seq 0 "\${last:-0}"); do
    setsid sh $dir/queue/script >/dev/null 2>&1 &
    echo "7\${last:+_\$k} \$!" >>$dir/queue/jobs
done
echo "7;cluster"
END
cat >bin/squeue <<END
#!/bin/sh
while read -r name job; do if kill -0 "\$job" 2>/dev/null; then echo "\$name R"; fi; done <$dir/queue/jobs
END
cat >bin/scancel <<END
#!/bin/sh
kill "\$(sed -n "s/^\$1 //p" $dir/queue/jobs)"
END
chmod +x bin/*
# The plan is of a profile that was measured on other machines.
cat >other.profile <<END
{"schema": "scow-profile-1", "kernel": "command", "parameters": {"command": "sh $dir/task.sh {}"},
 "host": {"name": "n1", "processor": "another", "isa": "avx2"}, "settings": [{"windows": [{"tasks": [1, 100],
 "envelope": {"latency_s": 1e-4, "s_per_task": 0}, "send": {"latency_s": 1e-4, "s_per_task": 0},
 "workers": [{"count": 2, "receive": {"latency_s": 0, "s_per_task": 0},
              "compute": {"latency_s": 0, "s_per_task": 0.05}}]}]}]}
END
"$scow" plan -p other.profile -i lines.txt -o elsewhere.json -q
code=0
PATH="$dir/bin:$PATH" "$scow" serve elsewhere.json -i lines.txt -o slurm.h5 --submit slurm -n 2 >slurm.said 2>&1 || code=$?
[ "$code" = 0 ] || fail "with workers of Slurm's: $code"
[ "$(checksum slurm.said)" = "$(checksum expected.said)" ] || fail "another checksum of Slurm's workers"
# The second may come when all is done.
joined=$(grep -c "worker [0-9]* joins" slurm.said) || fail "nobody is said to join: $(cat slurm.said)"
[ "$(grep -c "joins, a machine that the profile does not know" slurm.said)" = "$joined" ] || fail "it knows machines: $(cat slurm.said)"
[ "$(wc -l <queue/jobs)" = 2 ] || fail "$(wc -l <queue/jobs) jobs were submitted"
grep -c -- '--parsable.* --array=0-1' queue/calls | grep -qx 1 || fail "not as one array: $(cat queue/calls)"
code=0
"$scow" serve plan.json -i lines.txt -o none.h5 -q --submit slrm >none.said 2>&1 || code=$?
[ "$code" = 2 ] || fail "a manager that nobody knows: $code"
grep -q "slurm" none.said || fail "it says $(cat none.said)"

# ---- a job a chunk ------------------------------------------------------------------------------
# The first job to come to core task 7 is killed, and submitted again.
cat >kills.sh <<'END'
parent() { awk '/^PPid/ {print $2}' "/proc/$1/status"; }
if [ "$1" = 7 ] && [ ! -e killed ]; then
    touch killed
    job=$PPID
    while [ "$(cat "/proc/$(parent "$job")/comm")" = scow-chunk ]; do job=$(parent "$job"); done
    kill -9 "$job"
fi
echo "line $1"
END
sed "s/task.sh/kills.sh/" plan.json >kills.json
"$scow" serve kills.json -i lines.txt -o chunks.h5 --per-chunk -s gss,least=3 -n 2 --submit local >chunks.said 2>&1 ||
    fail "in chunks: $(cat chunks.said)"
grep -q "5 chunks by gss" chunks.said || fail "it says $(cat chunks.said)"
grep -q "submitted again" chunks.said || fail "nothing was submitted again: $(cat chunks.said)"
[ "$(checksum chunks.said)" = "$(checksum expected.said)" ] || fail "another checksum in chunks"
grep -q "^$(uname -n) *5 .*%$" chunks.said || fail "no row of this machine: $(cat chunks.said)"
"$scow" show chunks.h5 --check >/dev/null || fail "--check does not hold in chunks"
code=0
"$scow" serve kills.json -i lines.txt -o chunks.h5 --per-chunk -s gss -n 2 --resume --submit local >again.said 2>&1 || code=$?
[ "$code" = 4 ] || fail "going on by another rule: $code"
rm chunks.h5.parts/chunk-3
code=0
"$scow" collect chunks.h5.parts -o less.h5 >less.said 2>&1 || code=$?
[ "$code" = 75 ] || fail "a chunk is missing: $code"
grep -q "1 of 5 chunks is missing" less.said || fail "it says $(cat less.said)"
"$scow" chunk chunks.h5.parts 3 || fail "a chunk by hand ends with $?"
"$scow" collect chunks.h5.parts -o more.h5 -q >more.said 2>&1 || fail "collecting with it: $(cat more.said)"
[ "$(checksum more.said)" = "$(checksum expected.said)" ] || fail "another checksum with a chunk by hand"
grep -q "^scow" more.said && fail "with -q it tells $(cat more.said)"
"$scow" collect chunks.h5.parts -o json.h5 --json >parts.json 2>collect.said || fail "collecting as JSON: $(cat collect.said)"
grep -q '^{"wall_s": [0-9.]*, "resources": \[{"resource": "'"$(uname -n)"'", "chunks": 5, .*"utilization": [0-9.]*}\]}$' parts.json ||
    fail "as JSON: $(cat parts.json)"
[ ! -s collect.said ] || fail "collecting says $(cat collect.said)"
code=0
"$scow" collect chunks.h5.parts -o json.h5 >collect.said 2>&1 || code=$?
[ "$code" = 4 ] || fail "collecting into an output that is there: $code"
grep -q "^scow collect: json.h5" collect.said || fail "collecting says $(cat collect.said)"

# By the other rules whose chunks are known: submitted, and by hand as it prints it.
sed "s|sh $dir/task.sh|echo line|" plan.json >says.json
"$scow" serve says.json -i lines.txt -o tss.h5 --per-chunk -s tss -n 2 --submit local >tss.said 2>&1 || fail "by tss: $(cat tss.said)"
grep -q "5 chunks by tss" tss.said || fail "it says $(cat tss.said)"
"$scow" serve says.json -i lines.txt -o fiss.h5 --per-chunk -s fiss,sigma=2 -n 2 >fiss.said 2>&1 || fail "by fiss: $(cat fiss.said)"
read -ra words <<<"$(sed -n "s/^sbatch --array=0-3 --wrap 'scow \(.*\) \$.*/\1/p" fiss.said)"
[ "${words[*]}" = "chunk fiss.h5.parts" ] || fail "it says $(cat fiss.said)"
for chunk in 3 1 0 2; do
    "$scow" "${words[@]}" $chunk || fail "chunk $chunk by hand ends with $?"
done
"$scow" collect fiss.h5.parts -o fiss.h5 >fiss.said 2>&1 || fail "collecting what fiss assigned: $(cat fiss.said)"
for rule in tss fiss; do
    [ "$(checksum $rule.said)" = "$(checksum expected.said)" ] || fail "another checksum by $rule"
    "$scow" show $rule.h5 --check >/dev/null || fail "--check does not hold by $rule"
done

# ---- how many packages a second ----------------------------------------------------------------
"$scow" bench rate --join 2 --seconds 0.01 --json >rate.json || fail "measuring the rate ends with $?"
grep -q '"workers": 2.*"packages_per_s": [1-9]' rate.json || fail "a rate of $(cat rate.json)"
[ ! -e scow-bench.h5 ] || fail "measuring leaves an output"
code=0
"$scow" bench rate --join 2 --seconds 0.01 -o /nowhere/out.h5 >rate.said 2>&1 || code=$?
[ "$code" = 1 ] || fail "measuring without an output: $code"
grep -q "/nowhere/out.h5: cannot be created" rate.said || fail "it says $(cat rate.said)"

# ---- a plan that is for others ------------------------------------------------------------------
sed 's/"tasks"/"model": "multi-port", &/' plan.json >other.json
code=0
"$scow" serve other.json -i lines.txt -o refused.h5 >refused.said 2>&1 || code=$?
[ "$code" = 2 ] || fail "a plan of another operating model: $code"
grep -q "plan again with --model single-port" refused.said || fail "it says $(cat refused.said)"
[ ! -e refused.h5 ] || fail "a refused plan leaves an output"

# ---- an input that is missing, too many, or of another job ----------------------------------------
cat >asleep.json <<'END'
{"schema": "scow-plan-1", "kernel": "sleep", "scheduler": "by-hand", "tasks": 4, "workers": [0],
 "rounds": [{"repeat": 1, "loads": [4]}]}
END
# refused CODE SENTENCE OPTIONS...: leaves nothing.
refused() {
    local expected=$1 sentence=$2 code=0
    shift 2
    "$scow" serve "$@" -o refused.h5 >refused.said 2>&1 || code=$?
    [ "$code" = "$expected" ] || fail "$*: $code"
    grep -q "$sentence" refused.said || fail "$*: it says $(cat refused.said)"
    if grep -q "workers join at" refused.said; then fail "$*: workers are asked to come"; fi
    [ -z "$(find . -name 'refused.h5*')" ] || fail "$*: leaves $(find . -name 'refused.h5*')"
}
refused 2 "plan.json: core task 'command' needs an input: add -i INPUT" plan.json
refused 2 "plan.json: core task 'command' needs an input: add -i INPUT" plan.json --per-chunk -s gss
refused 2 "asleep.json: core task 'sleep' has no input: leave -i out" asleep.json -i lines.txt
seq 1 39 >few.txt
refused 4 "plan.json: is for 40 core tasks, but few.txt has 39" plan.json -i few.txt
refused 4 "plan.json: is for 40 core tasks, but few.txt has 39" plan.json -i few.txt --submit local -n 1
refused 4 "plan.json: is for 40 core tasks, but few.txt has 39" plan.json -i few.txt --per-chunk -s gss
refused 4 "cannot open 'none.txt'" plan.json -i none.txt --per-chunk -s gss

# ---- nobody is waited for where nothing can begin ------------------------------------------------
code=0
"$scow" serve plan.json -i lines.txt -o out.h5 -q >there.said 2>&1 || code=$?
[ "$code" = 4 ] || fail "an output that is there already: $code"

# Of several masters one is left, and it says so.
sed 's/"count": 2/"count": 4/' sleep.json >four.json
"$scow" plan -p four.json -X 60 -s static --masters 2 -o several.json -q
"$scow" plan -p four.json -X 60 -s static --tree 2 -o tree.json -q
for plan in several tree; do
    code=0
    "$scow" serve $plan.json -o out.h5 --access $plan.access >$plan.said 2>&1 || code=$?
    [ "$code" = 4 ] || fail "a plan of several masters ends with $code"
done
grep -q "^scow serve: several.json: has 2 masters side by side, and serving workers is for one: rank 0 sends all packages" several.said ||
    fail "of several masters it says $(cat several.said)"
grep -q "^scow serve: tree.json: has 3 masters in a tree, and serving workers is for one: rank 0 sends all packages" tree.said ||
    fail "of a tree it says $(cat tree.said)"

# ---- as asked -------------------------------------------------------------------------------------
kill -TERM "$closed"
code=0
wait "$closed" || code=$?
[ "$code" = 75 ] || fail "a master that is asked to stop ends with $code"
[ -e closed.h5.access ] || fail "a master that may go on takes its access file along"
echo "serve: good"
