#!/usr/bin/env bash
# A run in three parts, stopped and killed between: the report has all of them, and what is left of it
# can be planned in between.
# usage: run_parts.sh SCOW MPIEXEC IMAGE
set -euo pipefail
scow=$1 mpiexec=$2 image=$3
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'pkill -KILL -f -- "-o $dir/" || true; rm -rf "$dir"' EXIT
cd "$dir"
# shellcheck source=tests/spmd/faults.sh
source "$here/faults.sh"
job_make sleep
start whole.h5
end whole.h5
expected=$(checksum_of whole.h5)
# So slow that nothing is over before somebody comes.
sed 's/2e-2/3e-1/' profile.json >slow.json
options=(-p slow.json)

# How often the file says that its run went on.
resumed_of() {
    /usr/bin/python3 -c 'import h5py, sys; print(h5py.File(sys.argv[1], "r").attrs["resumed"])' "$1" 2>/dev/null || true
}

# part SIGNAL RESUMED: a part that ends by it, when something is done that the file has.
part() {
    start part.h5 --resume
    gather part.h5 || fail "ended by itself: $(cat part.h5.said)"
    reach part.h5 6
    while [[ $(resumed_of part.h5) != "$2" ]]; do sleep 0.1; done
    # Some packages' events are beside the output, too.
    while kill -0 "$launcher" 2>/dev/null && (($(stat -c %s part.h5.trace 2>/dev/null || echo 0) < 3000)); do
        sleep 0.1
    done
    kill -"$1" "${processes[@]}"
    end part.h5
    left=$((300 - $(done_of part.h5)))
    ((left > 0 && left < 300)) || fail "$1: $left left"
}

part TERM 0
"$scow" plan --resume part.h5 --json >rest.json || fail "the rest cannot be planned"
"$scow" plan --resume part.h5 --sbatch >lines
"$scow" plan --resume part.h5 -n 2 | grep -q ' 2 workers\|workers  *2' || fail "not for two workers"
/usr/bin/python3 - $left <<'END_PYTHON' || fail "the plan of the rest: $(cat rest.json lines)"
import json, re, sys
plan, lines = json.load(open("rest.json")), open("lines").read()
assert plan["tasks"] == int(sys.argv[1]), plan["tasks"]
assert plan["predicted"]["makespan_s"] > 0
assert re.search(r"^#SBATCH --time=00:0[1-9]:00$", lines, re.M), lines
END_PYTHON
# One core task at a time, so that some are done soon.
options=(-p slow.json -s ss)
part KILL 1
options=(-p profile.json)
start part.h5 --resume
end part.h5
[[ $(checksum_of part.h5) == "$expected" ]] || fail "not the checksum $expected: $(cat part.h5.said)"
"$scow" report part.h5 --json >report.json
"$scow" report part.h5 >report.txt
grep -Eq '^in all      3 parts, ' report.txt || fail "the report has no parts: $(head -20 report.txt)"
/usr/bin/python3 - <<'END_PYTHON' || fail "the parts are not what they should be: $(head -40 report.json)"
import json
report = json.load(open("report.json"))
parts, all = report["parts"], report["in_all"]
assert [part["outcome"] for part in parts] == ["stopped", "killed", "complete"], parts
assert sum(part["tasks"] for part in parts) == all["tasks"] == 300, parts
assert all["parts"] == 3 and all["between_s"] >= 0
assert abs(all["measured_s"] - sum(part["measured_s"] for part in parts)) < 1e-9
assert all["measured_s"] > report["measured_s"] > 0
assert parts[0]["packages"] > 0 and parts[1]["packages"] > 0 and parts[2]["packages"] > 0
for part in parts:
    assert part["began"] <= part["ended"], part
END_PYTHON

# The part that was killed has left its trace, but for what happened at the very end.
[[ ! -e part.h5.trace ]] || fail "the trace is still beside the output"
"$scow" report part.h5 --part 2 --json >killed.json || fail "the part that was killed has no report"
/usr/bin/python3 - <<'END_PYTHON' || fail "the part that was killed: $(head -40 killed.json)"
import h5py, json
report, killed = json.load(open("report.json")), json.load(open("killed.json"))
trace = h5py.File("part.h5", "r")["run/part2/trace"][:]
words = h5py.check_enum_dtype(trace.dtype["operation"])
done = trace[(trace["operation"] == words["compute"]) & (trace["tasks"] > 0)]
part = report["parts"][1]
assert part["packages"] == len(done) and len(set(done["first_task"])) == len(done)
assert 0 < done["tasks"].sum() <= part["tasks"], (done["tasks"].sum(), part)
assert abs(part["measured_s"] - trace[trace["rank"] > 0]["end"].max()) < 1e-6
# A report counts from the first package's sending on, which on a busy machine comes some time after the run began.
first = min(row["start"] for row in trace if row["operation"] in (words["envelope"], words["send"], words["link"]))
assert abs(killed["measured_s"] - (part["measured_s"] - first)) < 1e-6, (killed["measured_s"], part["measured_s"], first)
assert sum(worker["packages"] for worker in killed["workers"]) == len(done)
END_PYTHON
code=0
"$scow" plan --resume part.h5 2>said || code=$?
[[ $code == 4 && $(cat said) == "scow: part.h5: all its core tasks are done: nothing is left to plan" ]] ||
    fail "a run that is complete: $code, $(cat said)"
code=0
"$scow" plan --resume part.h5 -p profile.json 2>said || code=$?
[[ $code == 2 ]] || fail "with a profile: $code, $(cat said)"
echo "run parts: done"
