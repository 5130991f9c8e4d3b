#!/usr/bin/env bash
# Jacobi's iteration in strips: the grid is that of one strip, to the bit; a run that is stopped, or
# ends, is gone on with; its report has what was predicted beside what was measured. What outputs are
# refused is in grid_file.c, what goes wrong on the way in tests/faults/strips.c.
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

plan three.json 3 220
go_run 0 5 three.json -o three.h5
grep -q '^scow run: three.json has strips for 3 workers: 1 more can take a lost one.s place$' errors || fail "nobody says that one is spare: $(cat errors)"
cp said three.txt
"$scow" report three.h5 | cmp -s - three.txt || fail "the report is not what the run said"
grep -q '^total .*%$' three.txt || fail "no total: $(cat three.txt)"
"$scow" report three.h5 --json --html three.html >three.report
"$scow" show --check three.h5 | grep -q '^digests *agree with the grid$' || fail "$("$scow" show --check three.h5)"

# ---- gone on with ------------------------------------------------------------------------------
# Out of time after the first test; then until nothing changes, with other strips.
plan two.json 2 220
go_run 75 3 two.json -o part.h5 -q --until 1s
[[ $(<errors) == "scow run: part.h5: stopped after 50 of 220 iterations: run the same again with --resume" ]] || fail "$(cat errors)"
cp part.h5 stopped.h5
plan more.json 3 100000 --tolerance 1e-3 --keep
go_run 0 4 more.json -o part.h5 -q --resume
"$scow" show part.h5 | grep -q '^went on     after 50 iterations$' || fail "$("$scow" show part.h5)"
go_run 0 4 more.json -o part.h5 --resume
[[ $(<said) == "part.h5: all is done: "*" iterations" ]] || fail "$(cat said)"
"$scow" report part.h5 --json >part.report

/usr/bin/python3 - <<'PY' || fail "a grid is not that of the definition, or a report is wrong"
import json

import h5py
import numpy


def grid_after(iterations):
    """The definition: each cell the sum of its neighbours in this order, divided by four."""
    now = numpy.full((39, 55), 0.5)
    now[0, :], now[-1, :], now[:, 0], now[:, -1] = 2, 0, 0, 0
    for _ in range(iterations):
        inner = (now[:-2, 1:-1] + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:]) * 0.25
        now[1:-1, 1:-1] = inner
    return now[1:-1, 1:-1]


for name, iterations in (("three", 220), ("stopped", 50), ("part", None)):
    with h5py.File(name + ".h5") as file:
        done = file.attrs["iterations"]
        assert iterations in (None, done), (name, done)
        assert (file["grid"][:] == grid_after(done)).all(), name
report = json.load(open("three.report"))
measured = report["measured"]
assert measured["iterations"] == 220 and measured["complete"] and measured["tests"] == 5
assert sum(strip["columns"] for strip in measured["strips"]) == report["plan"]["columns"] == 53
page = open("three.html").read().split('<script type="application/json" id="data">')[1].split("</script>")[0]
assert json.loads(page) == {"strips": report["plan"], "measured": measured, "path": "three.h5"}
measured = json.load(open("part.report"))["measured"]
assert measured["complete"] and measured["begun"] == 50 < measured["iterations"] < 100000
assert 0 < measured["change"] <= 1e-3
PY

# ---- measured, planned and run -----------------------------------------------------------------
"$mpiexec" -n 3 "$scow" calibrate -k jacobi --rows 60 --columns 40 --budget 0.1s --quick -q -o measured.json 2>errors ||
    fail "calibrating: $(cat errors)"
grep -q '"exchange": {"latency_s": ' measured.json || fail "nothing of exchanges"
"$scow" plan --strips -p measured.json --iterations 20 -q -o measured-plan.json || fail "planning what was measured"
go_run 0 3 measured-plan.json -o measured.h5
grep -q '^60 rows x 40 columns, 20 of 20 iterations' said || fail "$(cat said)"

# ---- what cannot be ------------------------------------------------------------------------------
go_run 4 2 three.json -o none.h5
[[ $(<errors) == "scow run: three.json: has a strip for rank 3, and there are 1 workers: start it with mpiexec -n 4, or plan with -n 1" ]] ||
    fail "$(cat errors)"
go_run 2 2 three.json -o none.h5 -s ss
[[ $(<errors) == "scow run: -s is for packages of core tasks, and three.json is of strips: leave it out" ]] || fail "$(cat errors)"
[[ ! -e none.h5 && ! -e none.h5.new && ! -e part.h5.new ]] || fail "something is left: $(ls)"
echo "the grid is the same, whoever has which strip"
