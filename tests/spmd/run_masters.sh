#!/usr/bin/env bash
# Several masters side by side: a job whose master is the bottleneck gives the same result with one, two and three
# masters, in one output with one trace; a worker that is killed is its star's business; where a master is killed, or
# one rank is asked to stop, the run ends, and can be gone on with. What they cannot do is refused.
# usage: run_masters.sh SCOW MPIEXEC GATE [same]: with `same` only that the result is the same
set -euo pipefail
scow=$1 mpiexec=$2 gate=$3
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'pkill -KILL -f -- "-o $dir/" || true; rm -rf "$dir"' EXIT
cd "$dir"
# shellcheck source=tests/spmd/faults.sh
source "$here/faults.sh"
# What is preloaded stands before a sanitiser's library.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0

# ---- the same result -----------------------------------------------------------------------------

# A master takes 5 ms for a core task, each of eight workers 20 ms.
cat >profile.json <<'END'
{"schema": "scow-profile-1", "kernel": "sleep", "settings": [{"windows": [{"tasks": [1, 1000],
   "envelope": {"latency_s": 5e-3, "s_per_task": 5e-3}, "send": {"latency_s": 0, "s_per_task": 0},
   "workers": [{"count": 10, "receive": {"latency_s": 0, "s_per_task": 0},
                "compute": {"latency_s": 1e-2, "s_per_task": 2e-2}}]}]}]}
END
for masters in 1 3; do
    "$scow" plan -p profile.json -X 60 -n $((7 + masters)) --masters $masters -q -o plan$masters.json
    "$mpiexec" -n $((8 + masters)) "$scow" run plan$masters.json -o "$PWD/$masters.h5" --no-copies >$masters.h5.said 2>&1 ||
        fail "$masters masters: $(cat $masters.h5.said)"
    [[ $(checksum_of $masters.h5) == "$(checksum_of 1.h5)" ]] || fail "$masters masters: another checksum"
    [[ ! -e $masters.h5.trace && ! -e $masters.h5.trace.1 && ! -e $masters.h5.status ]] || fail "something is left: $(ls)"
done
"$scow" report 3.h5 --json >report.json
"$scow" report 3.h5 >report.txt
/usr/bin/python3 - <<'END' || fail "3 masters: the output or its report is not what it should be: $(cat report.txt)"
import h5py, json
plan, report = json.load(open("plan3.json")), json.load(open("report.json"))
ranks = [star.get("master", 0) for star in plan["stars"]]
with h5py.File("3.h5") as file:
    trace = [row for row in file["run/trace"][:] if row["tasks"] > 0]
    done = file["ledger"][:]
assert (done == 1).all() and len(done) == 60, done
assert {int(row["rank"]) for row in trace if row["operation"] <= 1} == set(ranks), ranks
seen = sorted((int(row["first_task"]), int(row["tasks"])) for row in trace if row["operation"] == 4)
assert [first for first, _ in seen] == [sum(n for _, n in seen[:k]) for k in range(len(seen))], seen
assert report["complete"] and report["tasks_done"] == 60, report
stars = report["masters"]
assert [star["rank"] for star in stars] == ranks, stars
planned = [star["tasks"] + star.get("given", 0) - star.get("taken", 0) for star in stars] # on a busy machine some may move
assert planned == [star["tasks"] for star in plan["stars"]], stars
assert all(star["makespan"]["measured_s"] <= report["measured_s"] + 1e-9 for star in stars), stars
assert report["predicted_s"] == max(star["makespan"]["predicted_s"] for star in stars), report["predicted_s"]
END
grep -q "^master  *workers  *core tasks" report.txt || fail "no rows of masters: $(cat report.txt)"
echo "masters: the same result"
if [[ ${4:-} == same ]]; then exit; fi

# By a rule each master assigns its part to its own workers, by weight.
for task in {1..60}; do echo $((task % 5 ? 1 : 6)); done >weights.txt
"$scow" plan -p profile.json -X 60 -n 10 --masters 3 --weights weights.txt -q -o weighed.json
"$mpiexec" -n 11 "$scow" run weighed.json -o "$PWD/rule.h5" -s gss -p profile.json --no-copies --weights weights.txt >rule.h5.said 2>&1 ||
    fail "by a rule: $(cat rule.h5.said)"
[[ $(checksum_of rule.h5) == "$(checksum_of 1.h5)" ]] || fail "by a rule: another checksum"
"$scow" report rule.h5 --json >rule.json
"$scow" simulate -p profile.json weighed.json -s gss --json >expected.json
/usr/bin/python3 - <<'END' || fail "by a rule: the output or its report is not what it should be: $(cat rule.json)"
import json
report, expected = json.load(open("rule.json")), json.load(open("expected.json"))
assert report["complete"] and len(report["masters"]) == 3 and all(star["tasks"] > 0 for star in report["masters"]), report
assert sum(star["tasks"] for star in report["masters"]) == 60, report
alone = max(star["makespan"]["predicted_s"] for star in report["masters"]) # of stars between which nothing moves
assert report["predicted_s"] == alone, report
assert expected.get("moved") or abs(alone - expected["makespan_s"]) < 1e-9, (alone, expected)
END
echo "masters, by a rule: done"

# ---- what fails ----------------------------------------------------------------------------------

# The same job in two stars of two workers, by hand, so that every worker has something at the gate.
expected=$(checksum_of 1.h5)
cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "sleep", "scheduler": "by hand", "tasks": 60, "stars": [
 {"scheduler": "by hand", "tasks": 30, "workers": [0, 1], "rounds": [{"repeat": 15, "loads": [1, 1]}]},
 {"master": 3, "scheduler": "by hand", "tasks": 30, "workers": [3, 4], "rounds": [{"repeat": 15, "loads": [1, 1]}]}]}
END
input=() options=(-p profile.json) ranks=6 workers=(1 2 4 5)

# hit SIGNAL RANK: a run of which one rank gets the signal when some core tasks are done.
hit() {
    rm -f part.h5*
    gate_start part.h5
    gate_await part.h5
    reach part.h5 1 # the master may get to it late
    kill -"$1" "${processes[$2]}"
    gate_open
    end part.h5
}

resume() { # NAME
    if is_complete part.h5; then fail "$1: the run is complete"; fi
    (($(done_of part.h5) > 0)) || fail "$1: nothing is kept: $(cat part.h5.said)"
    start part.h5 --resume
    end part.h5
    [[ $(checksum_of part.h5) == "$expected" ]] || fail "$1, resumed: not the checksum $expected: $(cat part.h5.said)"
    echo "$1: done"
}

# A star whose second worker becomes slow gives work to the other one.
SCOW_SLEEP_SLOW=5,5,10 start slow.h5 --no-copies
end slow.h5
[[ $(checksum_of slow.h5) == "$expected" ]] || fail "a slow worker: not the checksum $expected: $(cat slow.h5.said)"
grep -q "^moved  *[0-9]* core tasks* between masters, in [0-9]* move" slow.h5.said || fail "nothing moved: $(cat slow.h5.said)"
"$scow" report slow.h5 --json >slow.json
/usr/bin/python3 - <<'END' || fail "a slow worker: the report is not what it should be: $(cat slow.json)"
import h5py, json
report = json.load(open("slow.json"))
first, second = report["masters"]
moves = report["moved"]
assert report["complete"] and first["tasks"] + second["tasks"] == 60, report
assert first["taken"] == second["given"] == sum(move["tasks"] for move in moves if move["from"] == 3) > 0, moves
assert first["tasks"] - second["tasks"] == 2 * (first["taken"] - first["given"]), (first, second)
with h5py.File("slow.h5") as file:
    assert (file["ledger"][:] == 1).all()
    trace = file["run/trace"][:]
computed = [row for row in trace if row["operation"] == 4 and row["tasks"] > 0]
assert sum(row["tasks"] for row in computed if row["rank"] in (1, 2)) == first["tasks"], first
END
echo "work moves to the star that is done: done"

hit KILL 5
[[ $(checksum_of part.h5) == "$expected" ]] || fail "a worker: not the checksum $expected: $(cat part.h5.said)"
grep -q "^scow run: worker 5 is lost: " part.h5.said || fail "a worker: says of no loss: $(cat part.h5.said)"
"$scow" report part.h5 >report.txt || fail "a worker: no report"
grep -q "^lost  *worker 5 after " report.txt || fail "a worker: the report says of no loss: $(head report.txt)"
echo "a worker: done"

# The second star has one worker, and loses it.
cp plan.json halves.json
cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "sleep", "scheduler": "by hand", "tasks": 60, "stars": [
 {"scheduler": "by hand", "tasks": 30, "workers": [0, 1, 2], "rounds": [{"repeat": 10, "loads": [1, 1, 1]}]},
 {"master": 4, "scheduler": "by hand", "tasks": 30, "workers": [4], "rounds": [{"repeat": 30, "loads": [1]}]}]}
END
workers=(1 2 3 5)
hit KILL 5
[[ $(checksum_of part.h5) == "$expected" ]] || fail "a star's last worker: not the checksum $expected: $(cat part.h5.said)"
grep -q "^moved " part.h5.said || fail "a star's last worker: nothing moved: $(cat part.h5.said)"
mv halves.json plan.json
workers=(1 2 4 5)
echo "a star without workers: done"

# Where several of its proxies are gone at a time, MPICH's launcher may end before it has passed on what was said.
hit KILL 3
grep -qE "the master on rank 3 is (lost|gone); what is done is kept: run the same again with --resume to go on" \
    part.h5.said || [[ ! -s part.h5.said ]] || grep -q HYD part.h5.said || fail "another master: $(cat part.h5.said)"
resume "another master"
"$scow" report part.h5 --json >report.json
/usr/bin/python3 -c 'import json; report = json.load(open("report.json")); assert len(report["masters"]) > 1, report' ||
    fail "another master: one master goes on: $(cat report.json)"

# By weight: what is left is planned by what it weighs, as is said beforehand.
for task in {1..60}; do echo $((task % 5 ? 5 : 6)); done >weights.txt
"$scow" plan -p profile.json -X 60 -n 5 --masters 2 --weights weights.txt -s static -q -o weighed.json
cp plan.json halves.json
/usr/bin/python3 -c 'import json
plan = json.load(open("halves.json")) | {"weights": json.load(open("weighed.json"))["weights"]}
json.dump(plan, open("plan.json", "w"))'
options=(-p profile.json --weights weights.txt)
hit KILL 3
left=$((60 - $(done_of part.h5)))
"$scow" plan --resume part.h5 --json >left.json || fail "another master, by weight: what is left is not planned"
/usr/bin/python3 -c 'import json, sys; plan = json.load(open("left.json"));
assert plan["tasks"] == int(sys.argv[1]) and len(plan["stars"]) == 2 and "weights" in plan, plan' "$left" ||
    fail "another master, by weight: of what is left it says $(cat left.json)"
resume "another master, by weight"
mv halves.json plan.json
options=(-p profile.json)

hit KILL 0
if is_complete part.h5; then fail "the first master: the run is complete"; fi
echo "the first master: done"

hit TERM 4
grep -q "stopped as asked, with [0-9]* of 60 core tasks done" part.h5.said || fail "asked to stop: $(cat part.h5.said)"
echo "one worker asked to stop: done"

# ---- what is refused -----------------------------------------------------------------------------

refuse() { # CODE SENTENCE ARGUMENT...
    local wanted=$1 sentence=$2 code=0
    shift 2
    "$mpiexec" -n 6 "$scow" run "$@" -o none.h5 -p profile.json -q >said 2>&1 || code=$?
    [[ $code == "$wanted" ]] || fail "$*: exit code $code: $(cat said)"
    grep -qF "$sentence" said || fail "$*: $(cat said)"
    [[ ! -e none.h5 ]] || fail "$*: an output is left"
}
sed 's/"workers": \[3, 4\]/"workers": [1, 4]/; s/"workers": \[0, 1\]/"workers": [0, 3]/' plan.json >crossed.json
refuse 4 "is not one of the ranks between it and the next master" crossed.json
echo "run masters: done"
