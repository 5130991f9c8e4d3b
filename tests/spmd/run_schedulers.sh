#!/usr/bin/env bash
# Every static scheduler on the executor: each core task once, the checksum of a plan by hand.
# usage: run_schedulers.sh SCOW MPIEXEC IMAGE
set -euo pipefail
scow=$1 mpiexec=$2 image=$3
export OMP_NUM_THREADS=1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() {
    echo "run schedulers: $*"
    exit 1
}

# Three workers, the third twice as fast; 256 x 200 pixels in blocks of 32 are 8 x 6 tasks.
cost='{"latency_s": 1e-5, "s_per_task": 1e-6}'
cat >profile.json <<END
{"schema": "scow-profile-1", "kernel": "matched-filter",
 "parameters": {"bank": "chaudhuri", "combine": "max", "tuned": "avx2"},
 "settings": [{"block": 32, "windows": [{"tasks": [1, 48], "envelope": $cost, "send": $cost,
   "workers": [{"count": 2, "link": $cost, "receive": $cost, "compute": {"latency_s": 1e-5, "s_per_task": 4e-4}},
               {"link": $cost, "receive": $cost, "compute": {"latency_s": 1e-5, "s_per_task": 2e-4}}]}]}]}
END

sum_of() { # output plan option...
    local out=$1 plan=$2
    shift 2
    "$mpiexec" -n 4 "$scow" run "$plan" -i "$image" -p profile.json -o "$out" -q --no-copies "$@" |
        sed -n 's/.*checksum //p'
}

mapfile -t schedulers < <("$scow" plan --help | sed -n '/^Schedulers:/,/^$/ s/^  \([a-z0-9-][a-z0-9-]*\) .*/\1/p')
((${#schedulers[@]} >= 10)) || fail "few schedulers: ${schedulers[*]}"
first="" made=()
for scheduler in "${schedulers[@]}"; do
    code=0
    "$scow" plan -p profile.json -X 48 -s "$scheduler" -o "$scheduler.json" -q 2>errors.txt || code=$?
    # Built without linear programming there is no optimal.
    if [[ $scheduler == optimal && $code == 3 ]]; then
        continue
    fi
    [[ $code == 0 ]] || fail "no plan by $scheduler: $(cat errors.txt)"
    sum=$(sum_of "$scheduler.h5" "$scheduler.json")
    [[ $sum =~ ^[0-9a-f]{16}$ ]] || fail "$scheduler gives no checksum: '$sum'"
    first=${first:-$sum}
    [[ $sum == "$first" ]] || fail "$scheduler gives $sum, and another one $first"
    made+=("$scheduler")
done
/usr/bin/python3 - "${made[@]}" <<'END' || fail "one did not do what it planned"
import json, sys
import h5py

def is_done(name):
    plan = json.load(open(name + ".json"))
    loads = [(plan["workers"][k], load) for r in plan["rounds"] for _ in range(r["repeat"])
             for k, load in enumerate(r["loads"]) if load]
    with h5py.File(name + ".h5") as file:
        assert file["ledger"][:].min() == 1 and file.attrs["complete"] == 1, name
        done = sorted((e["package"], e["rank"] - 1, e["tasks"]) for e in file["run/trace"][:] if e["operation"] == 4)
    assert [(w, n) for _, w, n in done] == loads, (name, done, loads)

for name in sys.argv[1:]:
    is_done(name)
END
sum=$(sum_of rule.h5 auto.json -s gss)
[[ $sum == "$first" ]] || fail "gss on request gives $sum, and the plans $first"
"$scow" report rule.h5 >rule.txt
"$scow" report rule.h5 --json >rule.json
"$scow" report auto.h5 --json >plan.json
"$scow" report --compare ./*.h5 >all.txt
grep -q '^requests  ' rule.txt || fail "no requests in the report"
grep -q '"requests": {"predicted_s": ' rule.json || fail "no requests in JSON"
grep -q '"requests": null' plan.json || fail "a plan has requests"
grep -q '^scow-mp' all.txt || fail "no comparison"
echo "run schedulers: done"
