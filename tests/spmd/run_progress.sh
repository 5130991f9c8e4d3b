#!/usr/bin/env bash
# Who waits is told how far a run is, how fast it goes, and which worker is behind.
# usage: run_progress.sh SCOW MPIEXEC
set -euo pipefail
scow=$1 mpiexec=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() {
    echo "run progress: $*"
    exit 1
}

cat >sleeps.json <<'END'
{"schema": "scow-profile-1", "kernel": "sleep", "settings": [{"windows": [{"tasks": [1, 10],
  "envelope": {"latency_s": 1e-3, "s_per_task": 0}, "send": {"latency_s": 1e-3, "s_per_task": 0},
  "workers": [{"count": 3, "receive": {"latency_s": 0, "s_per_task": 0},
    "compute": {"latency_s": 0, "s_per_task": 5e-2}}]}]}]}
END
"$scow" plan -p sleeps.json -X 180 -s periodic -o plan.json -q
# The second worker becomes a third as fast after its first core tasks: at least 8 s in all.
SCOW_SLEEP_SLOW=2,5,3 "$mpiexec" -n 4 "$scow" run plan.json -p sleeps.json -o out.h5 >run.txt 2>progress.txt
grep -qE '^scow: [0-9]+ of 180 core tasks \([0-9]+ %\), [0-9.]+/s, [0-9]+ s, [0-9]+ s left; slowest worker 1 at \+[1-9][0-9]+ %$' \
    progress.txt || fail "no such line: $(cat progress.txt)"
"$mpiexec" -n 4 "$scow" run plan.json -p sleeps.json -o quiet.h5 -q >run.txt 2>progress.txt
[[ ! -s progress.txt ]] || fail "-q is not quiet: $(cat progress.txt)"
echo "run progress: done"
