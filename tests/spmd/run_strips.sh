#!/usr/bin/env bash
# Jacobi's iteration in strips: the grid does not depend, to the bit, on who has which strip; a run
# that is stopped, or ends, is gone on with; its report has what was predicted beside what was measured.
# usage: run_strips.sh SCOW MPIEXEC PROFILE
set -euo pipefail
scow=$1 mpiexec=$2 profile=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# Borders cost next to nothing, so that all workers get a strip.
sed 's/"s_per_byte": 8e-8/"s_per_byte": 1e-12/' "$profile" >"$dir/grid.json"
cd "$dir"
export OMP_NUM_THREADS=1

fail() {
    echo "strips: $*"
    exit 1
}

# plan FILE WORKERS ITERATIONS OPTION...
plan() {
    "$scow" plan --strips -p grid.json --rows 37 --columns 53 -n "$2" --iterations "$3" --every 50 --set north=2,inside=0.5 \
        -q -o "$1" "${@:4}" || fail "planning $1"
}
# go_run CODE RANKS PLAN OPTION...: what is said is in `said` and `errors`.
go_run() {
    code=0
    "$mpiexec" -n "$2" "$scow" run "$3" "${@:4}" >said 2>errors || code=$?
    ((code == $1)) || fail "${*:3}: exit $code: $(cat errors)"
}
# same A B: the same grid.
same() {
    /usr/bin/python3 - "$1" "$2" <<'PY' || fail "$1 and $2 hold other grids"
import sys

import h5py

grids = [h5py.File(name, "r") for name in sys.argv[1:]]
a, b = (file["/grid"][:] for file in grids)
sys.exit(int(a.shape != (37, 53) or not (a == b).all() or grids[0].attrs["iterations"] != grids[1].attrs["iterations"]))
PY
}

plan one.json 1 220
plan three.json 3 220
go_run 0 2 one.json -o one.h5 -q
go_run 0 5 three.json -o three.h5
same one.h5 three.h5
grep -q '^scow run: three.json has strips for 3 workers: 1 have nothing to do$' errors || fail "nobody says that one is idle: $(cat errors)"
cp said three.txt
"$scow" report three.h5 | cmp -s - three.txt || fail "the report is not what the run said"
grep -q '^total .*%$' three.txt || fail "no total: $(cat three.txt)"
"$scow" report three.h5 --json | /usr/bin/python3 -c 'import json, sys
report = json.load(sys.stdin)
measured = report["measured"]
assert measured["iterations"] == 220 and measured["complete"] and measured["tests"] == 5
assert sum(strip["columns"] for strip in measured["strips"]) == report["plan"]["columns"] == 53' || fail "as JSON"

# ---- gone on with ------------------------------------------------------------------------------
go_run 4 4 three.json -o three.h5
[[ $(<errors) == "scow run: three.h5: exists already: choose another name or remove it first" ]] || fail "$(cat errors)"
go_run 0 4 three.json -o three.h5 --resume
[[ $(<said) == "three.h5: all is done: 220 iterations" ]] || fail "$(cat said)"
# Out of time after the first test.
go_run 75 4 three.json -o part.h5 -q --until 1s
[[ $(<errors) == "scow run: part.h5: stopped after 50 of 220 iterations: run the same again with --resume" ]] || fail "$(cat errors)"
plan two.json 2 220
go_run 0 3 two.json -o part.h5 -q --resume
same one.h5 part.h5
"$scow" show part.h5 | grep -q '^went on     after 50 iterations$' || fail "$("$scow" show part.h5)"
# Of more iterations than before, and until nothing changes.
plan more.json 2 100000 --tolerance 1e-3 --keep
go_run 0 3 more.json -o part.h5 -q --resume
"$scow" report part.h5 --json | /usr/bin/python3 -c 'import json, sys
measured = json.load(sys.stdin)["measured"]
assert measured["complete"] and measured["begun"] == 220 < measured["iterations"] < 100000
assert 0 < measured["change"] <= 1e-3' || fail "it does not end where nothing changes: $("$scow" report part.h5)"

# ---- measured, planned and run -----------------------------------------------------------------
"$mpiexec" -n 3 "$scow" calibrate -k jacobi --rows 60 --columns 40 --budget 1s --quick -q -o measured.json 2>errors ||
    fail "calibrating: $(cat errors)"
/usr/bin/python3 -c 'import json
profile = json.load(open("measured.json"))
exchange = profile["exchange"]
assert exchange["latency_s"] >= 0 and exchange["s_per_byte"] >= 0 and sum(exchange.values()) > 0' || fail "nothing of exchanges"
"$scow" plan --strips -p measured.json --iterations 20 -q -o measured-plan.json || fail "planning what was measured"
go_run 0 3 measured-plan.json -o measured.h5
grep -q '^60 rows x 40 columns, 20 of 20 iterations' said || fail "$(cat said)"

# ---- what cannot be ------------------------------------------------------------------------------
go_run 4 3 three.json -o none.h5
[[ $(<errors) == "scow run: three.json: has a strip for rank 3, and there are 2 workers: start it with mpiexec -n 4, or plan with -n 2" ]] ||
    fail "$(cat errors)"
go_run 2 4 three.json -o none.h5 -s ss
[[ $(<errors) == "scow run: -s is for packages of core tasks, and three.json is of strips: leave it out" ]] || fail "$(cat errors)"
"$scow" plan --strips -p grid.json --rows 37 --columns 54 --iterations 300 -q -o other.json
go_run 4 4 other.json -o part.h5 --resume
[[ $(<errors) == "scow run: part.h5: holds another grid, of 37 rows and 53 columns or with other values around it, than the plan's: name another output" ]] ||
    fail "$(cat errors)"
echo text >text.h5
go_run 4 4 three.json -o text.h5 --resume
[[ $(<errors) == "scow run: text.h5: is no readable HDF5 file: name another output" ]] || fail "$(cat errors)"
go_run 1 4 three.json -o nowhere/out.h5
[[ $(<errors) == *nowhere/out.h5* ]] || fail "$(cat errors)"
[[ ! -e none.h5 && ! -e none.h5.new && ! -e part.h5.new ]] || fail "something is left: $(ls)"
echo "the grid is the same, whoever has which strip"
