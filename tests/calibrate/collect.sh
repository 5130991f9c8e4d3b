#!/usr/bin/env bash
# Results that return, the whole way: calibrated as such, planned as such, run on workers that write
# nothing, and reported beside what was predicted; what does not go together is refused.
# usage: collect.sh SCOW MPIEXEC IMAGE
set -euo pipefail
scow=$1 mpiexec=$2 image=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1

fail() {
    echo "collect: $*"
    exit 1
}

"$mpiexec" -n 3 "$scow" calibrate -i "$image" --block 32 --budget 2 --collect --scratch "$dir" --probes probes.tsv -q -o profile.json
grep -q '"results": "package"' profile.json || fail "the profile does not say that results return"
grep -qE '"result": \{"latency_s": |"result": \{' profile.json || fail "nothing is known of results: $(cat profile.json)"
grep -q '"collect": {' profile.json || fail "nothing is known of what the master takes to write them"
grep -qE '^[0-9]+	[12]	result	' probes.tsv || fail "no result was timed"
grep -qE '^[0-9]+	0	collect	' probes.tsv || fail "the master was not timed"
! grep -q '	output	' probes.tsv || fail "workers wrote"
"$scow" plan -p profile.json -i "$image" -o plan.json >said
grep -q '"results": "package"' plan.json || fail "the plan does not say that results return"
"$mpiexec" -n 3 "$scow" run plan.json -i "$image" -o out.h5 -q >said 2>errors || fail "the plan does not run: $(cat errors)"
"$scow" report out.h5 --json >report.json
/usr/bin/python3 - <<'END' || fail "the report: $(cat report.json)"
import json

operations = json.load(open("report.json", encoding="utf-8"))["operations"]
for name in "result", "collect":
    assert operations[name]["measured_s"] > 0, name
    assert operations[name]["predicted_s"] > 0, name
assert operations["output"]["measured_s"] == 0
END

# Kept where results return, and only there.
"$mpiexec" -n 3 "$scow" calibrate -i "$image" --block 32 --budget 2 --collect --reuse -q -o profile.json || fail "not kept"
code=0
"$mpiexec" -n 3 "$scow" calibrate -i "$image" --block 32 --budget 2 --write-behind no --reuse -q -o profile.json 2>errors || code=$?
[[ $code == 4 && $(<errors) == *"has no setting with"* ]] || fail "kept for workers that write: exit $code: $(cat errors)"
code=0
"$mpiexec" -n 3 "$scow" calibrate -i "$image" --collect --write-behind both -q -o other.json 2>errors || code=$?
[[ $code == 2 && $(<errors) == "scow calibrate: --collect has the master write results, and --write-behind the workers: give one of them" && ! -e other.json ]] ||
    fail "both: exit $code: $(cat errors)"
echo "collect: calibrated, planned, run and reported"
