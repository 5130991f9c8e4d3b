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
grep -qE '^scow: [0-9]+ of 180 core tasks \([0-9]+ %\), [0-9.]+/s, [0-9]+ s, [0-9]+ s left; slowest worker 2 at \+[1-9][0-9]+ %$' \
    progress.txt || fail "no such line: $(cat progress.txt)"
grep -q $'\r' progress.txt && fail "lines are redrawn in a file"
# Ranks write to the launcher's pipe, and the launcher to a terminal: the line is redrawn there.
if command -v script >/dev/null; then
    SHELL=/bin/sh TERM=xterm script -qec "stty cols 40; '$mpiexec' -n 4 '$scow' run plan.json -p sleeps.json -o redrawn.h5" \
        /dev/null >terminal.txt </dev/null
    grep -qF $'\r\033[K1' terminal.txt || fail "the line is not redrawn on a terminal: $(cat -v terminal.txt)"
    grep -aqE $'\r\033\\[K[0-9]+ of 180 \\([0-9]+ %\\), [0-9.]+/s, [0-9]+ s left(\r|$)' terminal.txt ||
        fail "the line says too much for 40 columns, or too little: $(cat -v terminal.txt)"
    grep -q '^scow: ' terminal.txt && fail "lines follow each other on a terminal: $(cat -v terminal.txt)"
    SHELL=/bin/sh TERM=xterm script -qec "'$mpiexec' -n 4 '$scow' run plan.json -p sleeps.json -o piped.h5 2>&1 | cat" \
        /dev/null >piped.txt </dev/null
    grep -qF $'\033' piped.txt && fail "lines are redrawn in a pipe: $(cat -v piped.txt)"
fi
"$mpiexec" -n 4 "$scow" run plan.json -p sleeps.json -o quiet.h5 -q >run.txt 2>progress.txt
[[ ! -s progress.txt ]] || fail "-q is not quiet: $(cat progress.txt)"
echo "run progress: done"
