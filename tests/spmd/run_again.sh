#!/usr/bin/env bash
# Lines that fail, and are tried again by --resume: each part is compared with its own plan, as it was
# printed, core tasks count once, and the profile learns from both.
# usage: run_again.sh SCOW MPIEXEC
set -euo pipefail
scow=$1 mpiexec=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1

fail() {
    echo "run again: $*"
    exit 1
}

seq 40 >lines.txt
cat >profile.json <<'END'
{ "schema": "scow-profile-1", "kernel": "command",
  "parameters": {"command": "sh -c 'sleep 0.02; test -e good || test {} -lt 38'", "per": "task", "retries": 0, "keep": 8,
                 "jobs": 1, "grace": 1, "most-output": 1000},
  "settings": [{"windows": [{"tasks": [1, 40], "envelope": {"latency_s": 1e-5, "s_per_task": 0},
    "send": {"latency_s": 1e-5, "s_per_task": 0},
    "workers": [{"count": 2, "receive": {"latency_s": 1e-5, "s_per_task": 0}, "compute": {"latency_s": 1e-4, "s_per_task": 0.022}}]}]}]}
END
"$scow" plan -p profile.json -i lines.txt -s static -o plan.json -q

# run CODE OPTION...: what is printed goes to the file `said`.
run() {
    local wanted=$1 code=0
    shift
    "$mpiexec" "${given[@]}" -n 3 "$scow" run plan.json -i lines.txt -o out.h5 -q "$@" >said 2>errors || code=$?
    [[ $code == "$wanted" ]] || fail "ended with $code, not $wanted: $(cat said errors)"
}

now=$(date +%s)
given=(-genv SLURM_JOB_ID 42 -genv SLURM_JOB_START_TIME "$now" -genv SLURM_JOB_END_TIME $((now + 600)) -genv SLURM_NTASKS 3
    -genv SLURM_MEM_PER_NODE 2000)
run 1
given=()
cp said first
touch good
run 0 --resume
"$scow" report out.h5 --json >last.json
"$scow" report out.h5 --part 1 --json >first.json
"$scow" report out.h5 >last.txt
"$scow" report out.h5 -q --profile learnt.json
code=0
"$scow" report out.h5 --part 3 >/dev/null 2>errors || code=$?
[[ $code == 4 && $(cat errors) == *"has nothing of a part 3: its run has 2 parts"* ]] || fail "part 3: $code, $(cat errors)"
grep -q '^  part 1 .* 40 core tasks in .* (3 of them done again later), ' last.txt || fail "$(cat last.txt)"
if grep -q 'handed out twice' last.txt; then fail "$(cat last.txt)"; fi
/usr/bin/python3 - <<'END_PYTHON' || fail "$(cat first said last.json)"
import json, re
last, first, learnt = (json.load(open(name)) for name in ("last.json", "first.json", "learnt.json"))
for name, report, tasks in (("first", first, 40), ("said", last, 3)):
    promised = float(re.search(r"predicted ([\d.]+) s", open(name).read())[1])
    assert abs(report["predicted_s"] - promised) < 1e-4, (name, report["predicted_s"], promised)
    assert sum(worker["tasks"] for worker in report["workers"]) == report["resumed_tasks"] == tasks
    assert report["worker_busy_share"]["measured"] <= 1, report["worker_busy_share"]
    assert report["drift"] is not None and report["model_error"] is not None
    assert report["tasks_done"] == report["tasks"] == 40
assert last["part"] == 2 and first["part"] == 1
parts, all = last["parts"], last["in_all"]
assert parts == first["parts"] and [part["tasks"] for part in parts] == [40, 3], parts
assert [part["again"] for part in parts] == [3, 0] and all["tasks"] == 40 and all["again"] == 3
assert [part["predicted_s"] for part in parts] == [first["predicted_s"], last["predicted_s"]], parts
assert abs(all["predicted_s"] - first["predicted_s"] - last["predicted_s"]) < 1e-9
asked, used = first["requested"], first["used"]
assert asked["by"] == "slurm" and asked["job"] == "42" and asked["walltime_s"] == 600, asked
assert asked["processor_s"] == 1800 and asked["memory_bytes"] == 2000 * 2**20, asked
assert used["walltime_s"] > first["measured_s"] and used["processor_s"] > 0 and used["memory_bytes"] > 1e6, used
assert "#SBATCH --time=00:0" in first["next_request"], first["next_request"]
assert last["requested"]["by"] == "plan" and last["next_request"] is None
assert len(learnt["history"]) == 1, learnt["history"]
END_PYTHON
echo "run again: done"
