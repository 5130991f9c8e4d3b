#!/usr/bin/env bash
# Masters below a master, and below these: a job of two groups gives the checksum of one master's, in one output with
# one trace; what is overdue is handed out once more within its group; a worker that is killed is its group's
# business, and the master of a group that of the master above it: the run is whole all the same; a run that is asked
# to stop is gone on with. By a rule, each group's master assigns what the group gets.
# usage: run_tree.sh SCOW MPIEXEC GATE
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

# Each package takes the port 10 ms. One worker is enough for the checksum.
cat >profile.json <<'END'
{"schema": "scow-profile-1", "kernel": "sleep", "settings": [{"windows": [{"tasks": [1, 1000],
   "envelope": {"latency_s": 1e-2, "s_per_task": 0}, "send": {"latency_s": 0, "s_per_task": 0},
   "workers": [{"count": 8, "link": {"latency_s": 1e-2, "s_per_task": 0}, "receive": {"latency_s": 1e-3, "s_per_task": 0},
                "compute": {"latency_s": 1e-3, "s_per_task": 1e-2}}]}]}]}
END
printf '1-3\n4-6\n' >groups.txt
"$scow" plan -p profile.json -X 60 -n 1 -q -o flat.json
"$scow" plan -p profile.json -X 60 --tree groups.txt -q -o tree.json
for plan in flat tree; do
    ranks=7
    [[ $plan == tree ]] || ranks=2
    "$mpiexec" -n $ranks "$scow" run $plan.json -o "$PWD/$plan.h5" --no-copies >$plan.h5.said 2>&1 || fail "$plan: $(cat $plan.h5.said)"
    [[ $(checksum_of $plan.h5) == "$(checksum_of flat.h5)" ]] || fail "$plan: another checksum"
    [[ ! -e $plan.h5.trace && ! -e $plan.h5.trace.1 && ! -e $plan.h5.status ]] || fail "something is left: $(ls)"
done
"$scow" report tree.h5 --json >report.json
/usr/bin/python3 - <<'END' || fail "the output of a tree or its report is not what it should be: $("$scow" report tree.h5)"
import h5py, json
plan, report = json.load(open("tree.json")), json.load(open("report.json"))
workers = {worker + 1 for child in plan["children"] for worker in child["workers"]}
with h5py.File("tree.h5") as file:
    trace = [row for row in file["run/trace"][:] if row["tasks"] > 0]
    done = file["ledger"][:]
assert (done == 1).all() and len(done) == 60, done
assert {int(row["rank"]) for row in trace if row["operation"] <= 1} == {0, 1, 4}
seen = sorted((int(row["first_task"]), int(row["tasks"])) for row in trace if row["operation"] == 4 and row["rank"] in workers)
assert [first for first, _ in seen] == [sum(n for _, n in seen[:k]) for k in range(len(seen))], seen
assert sum(n for _, n in seen) == 60, seen
assert report["complete"] and report["tasks_done"] == 60, report
assert report["predicted_s"] == plan["predicted"]["makespan_s"], report["predicted_s"]
END
echo "a tree: the same result"

# Worker 3 takes twenty times as long: the other one of its group does what it has, too. What they compute their
# group's master collects.
rm tree.h5
SCOW_SLEEP_SLOW=3,0,20 "$mpiexec" -n 7 "$scow" run tree.json --collect -o "$PWD/tree.h5" >tree.h5.said 2>&1 || fail "copies: $(cat tree.h5.said)"
grep -q "^copies  *[0-9]* handed out for " tree.h5.said || fail "no copies: $(cat tree.h5.said)"
[[ $(checksum_of tree.h5) == "$(checksum_of flat.h5)" ]] || fail "copies: another checksum"
echo "copies within a group: done"

# ---- what fails ----------------------------------------------------------------------------------

# The same job by hand, so that every worker has something at the gate; masters do not come to it. Rank 1 has groups,
# those of 2 (with 3 and 4) and 5 (with 6), and 7 has a worker.
expected=$(checksum_of flat.h5)
cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "sleep", "scheduler": "by hand", "tasks": 60, "workers": [0, 6],
 "rounds": [{"repeat": 3, "loads": [15, 5]}], "children": [
 {"scheduler": "by hand", "tasks": 45, "workers": [1, 4], "rounds": [{"repeat": 3, "loads": [10, 5]}], "children": [
  {"scheduler": "by hand", "tasks": 30, "workers": [2, 3], "rounds": [{"repeat": 15, "loads": [1, 1]}]},
  {"scheduler": "by hand", "tasks": 15, "workers": [5], "rounds": [{"repeat": 15, "loads": [1]}]}]},
 {"scheduler": "by hand", "tasks": 15, "workers": [7], "rounds": [{"repeat": 15, "loads": [1]}]}]}
END
input=() options=(-p profile.json) ranks=9 workers=(3 4 6 8)

# hit SIGNAL RANK: a run of which one rank gets the signal when some core tasks are done.
hit() {
    rm -f part.h5*
    gate_start part.h5
    gate_await part.h5
    kill -"$1" "${processes[$2]}"
    gate_open
    end part.h5
}

survive() { # RANK NAME
    hit KILL "$1"
    [[ $(checksum_of part.h5) == "$expected" ]] || fail "$2: not the checksum $expected: $(cat part.h5.said)"
    grep -q "^scow run: worker $1 is lost: " part.h5.said || fail "$2: says of no loss: $(cat part.h5.said)"
    is_complete part.h5 || fail "$2: not complete: $(cat part.h5.said)"
    "$scow" report part.h5 >report.txt || fail "$2: no report"
    grep -q "^lost  *worker $1 after " report.txt || fail "$2: the report says of no loss: $(head report.txt)"
    echo "$2: done"
}

survive 4 "a worker"
survive 5 "the master of a group in a group"
survive 1 "the master of groups"

hit TERM 8
grep -q "stopped as asked, with [0-9]* of 60 core tasks done" part.h5.said || fail "asked to stop: $(cat part.h5.said)"
(($(done_of part.h5) > 0)) || fail "asked to stop: nothing is kept: $(cat part.h5.said)"
start part.h5 --resume
end part.h5
[[ $(checksum_of part.h5) == "$expected" ]] || fail "resumed: not the checksum $expected: $(cat part.h5.said)"
echo "one worker asked to stop: done"

# ---- what is refused -----------------------------------------------------------------------------

refuse() { # RANKS CODE SENTENCE ARGUMENT...
    local started=$1 wanted=$2 sentence=$3 code=0
    shift 3
    "$mpiexec" -n "$started" "$scow" run "$@" -o none.h5 -p profile.json -q >said 2>&1 || code=$?
    [[ $code == "$wanted" ]] || fail "$*: exit code $code: $(cat said)"
    grep -qF "$sentence" said || fail "$*: $(cat said)"
    [[ ! -e none.h5 ]] || fail "$*: an output is left"
}
sed 's/"workers": \[2, 3\]/"workers": [2, 5]/; s/"workers": \[5\]/"workers": [3]/' plan.json >crossed.json
refuse 9 4 "is not one of the ranks between it and the next master: plan again with --tree" crossed.json

# ---- by a rule -----------------------------------------------------------------------------------

# Each group's master assigns what the group gets to its own workers.
"$mpiexec" -n 9 "$scow" run plan.json -p profile.json -s fac -o rule.h5 --no-copies >rule.h5.said 2>&1 || fail "by a rule: $(cat rule.h5.said)"
[[ $(checksum_of rule.h5) == "$expected" ]] || fail "by a rule: not the checksum $expected"
"$scow" report rule.h5 --json >rule.json
"$scow" simulate -p profile.json plan.json -s fac --json >expected.json
/usr/bin/python3 - <<'END' || fail "by a rule: the report is not what it should be: $(cat rule.json)"
import json
report, expected = json.load(open("rule.json")), json.load(open("expected.json"))
assert report["complete"] and report["tasks_done"] == 60, report
assert [group["tasks"] for group in report["groups"]] == [30, 15, 15], report["groups"]
assert abs(report["predicted_s"] - expected["makespan_s"]) < 1e-9, (report["predicted_s"], expected)
END
echo "run tree: done"
