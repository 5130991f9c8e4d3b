#!/usr/bin/env bash
# A run that is stopped and goes on with more workers than its profile has: all of them work, like the
# last one that was measured, and the report says so.
# usage: run_resumed_wider.sh SCOW MPIEXEC GATE
set -euo pipefail
scow=$1 mpiexec=$2 gate=$3
# shellcheck source=tests/spmd/faults.sh
source "$(dirname "$(realpath "$0")")/faults.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() {
    echo "resumed wider: $*"
    exit 1
}

none='{"latency_s": 0, "s_per_task": 0}'
cat >profile.json <<END
{"schema": "scow-profile-1", "kernel": "sleep", "settings": [{"windows": [{"tasks": [3, 20],
  "envelope": {"latency_s": 1e-4, "s_per_task": 0}, "send": $none,
  "workers": [{"name": "n", "count": 2, "receive": $none, "compute": {"latency_s": 0, "s_per_task": 4e-3}}]}]}]}
END
"$scow" plan -p profile.json -X 1200 -s scow-mp -o plan.json -q

# Both workers wait at the gate when they have done some of it.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 LD_PRELOAD=$gate GATE=$dir/gate GATE_WRITES=25 \
    "$mpiexec" -n 3 "$scow" run plan.json -o "$dir/out.h5" -q --patience 600 >said 2>&1 &
launcher=$!
while [[ ! -e gate.1 || ! -e gate.2 ]]; do
    kill -0 $launcher 2>/dev/null || fail "ended by itself: $(cat said)"
    sleep 0.02
done
ranks_stop out.h5 3
: >gate.open
code=0
wait $launcher || code=$?
[[ $code == 75 ]] || fail "exit code $code: $(cat said)"
"$mpiexec" -n 5 "$scow" run plan.json -o out.h5 -q --resume >said 2>&1 || fail "not resumed: $(cat said)"
"$scow" report out.h5 >report.txt || fail "no report"
grep -qx 'workers     4' report.txt || fail "not all work: $(cat report.txt)"
grep -qx 'beyond      2 workers beyond those measured, like n' report.txt || fail "$(cat report.txt)"
echo "resumed wider: done"
