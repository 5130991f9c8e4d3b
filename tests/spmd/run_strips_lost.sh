#!/usr/bin/env bash
# Real kills of workers in strips; tests/faults/strips.c simulates all others. A rank without a strip takes the first
# one's place, and after the second the others go on alone, with the grid that was kept last; the grid is that of the
# definition, the report names the losses. Meanwhile nobody else may write to the output, and who checks it is told
# that it is being written.
# usage: run_strips_lost.sh SCOW MPIEXEC PROFILE
set -euo pipefail
scow=$1 mpiexec=$2
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'pkill -KILL -f -- "-o $dir/" || true; rm -rf "$dir"' EXIT
sed 's/"s_per_byte": 8e-8/"s_per_byte": 1e-12/' "$3" >"$dir/grid.json"
cd "$dir"
# shellcheck source=tests/spmd/faults.sh
source "$here/faults.sh"

# More iterations than there will ever be, and hardly more than grids that are written: who waits for
# the disk takes no processor's time.
"$scow" plan --strips -p grid.json -n 2 --rows 37 --columns 53 --iterations 1000000000 --every 2 --keep -q -o plan.json
input=() options=()
# kept MORE: waits until a grid of more iterations is kept, of `now` as many.
kept() {
    now=0
    while ((now <= $1)); do
        sleep 0.1
        kill -0 "$launcher" 2>/dev/null || fail "it has ended: $(cat out.h5.said)"
        now=$("$scow" report out.h5 2>/dev/null | sed -n 's/.* columns, \([0-9]*\) of .*/\1/p') || true
        now=${now:-0}
    done
}

start out.h5
gather out.h5 || fail "$(cat out.h5.said)"
kept 0
code=0
"$scow" show --check out.h5 2>errors || code=$?
[[ $code == 4 && $(<errors) == "scow: out.h5: a run that writes to it is still alive: wait for it" ]] || fail "checked: $code $(cat errors)"
# lose RANK OTHERS: that one, and what others do then.
lose() {
    kill -KILL "${processes[$1]}"
    until grep -q "^scow run: worker $1 is lost: .*; $2 anew with the grid that was kept last$" out.h5.said; do
        kill -0 "$launcher" 2>/dev/null || fail "it ends with the worker: $(cat out.h5.said)"
        sleep 0.1
    done
    kept 0
    kept "$now"
}
lose 2 "worker 3 takes its place, and all begin"
lose 3 "the others begin"
kill -TERM "${processes[0]}"
end out.h5
grep -q '^scow run: .*/out.h5: stopped after [0-9]* of 1000000000 iterations: run the same again with --resume$' out.h5.said ||
    fail "$(cat out.h5.said)"
report=$("$scow" report out.h5)
gone='after .*: its process is gone;'
grep -q "^lost        worker 2 $gone worker 3 took its place, and all went on from iteration [1-9][0-9]*, and " <<<"$report" ||
    fail "the first loss: $report"
grep -q "^lost        worker 3 $gone the others went on from iteration [1-9][0-9]*, and " <<<"$report" ||
    fail "the second: $report"
/usr/bin/python3 - <<'PY' || fail "the grid is not that of the definition"
import h5py
import numpy

with h5py.File("out.h5") as file:
    done, grid = file.attrs["iterations"], file["grid"][:]
now = numpy.full((39, 55), 0.25)
now[0, :], now[-1, :], now[:, 0], now[:, -1] = 1, 0, 0, 0
for _ in range(done):
    before, now = now, now.copy()
    now[1:-1, 1:-1] = (before[:-2, 1:-1] + before[2:, 1:-1] + before[1:-1, :-2] + before[1:-1, 2:]) * 0.25
    if (now == before).all():
        break  # nothing changes any more
assert (grid == now[1:-1, 1:-1]).all()
PY
echo "a run of strips goes on without the workers that were killed"
