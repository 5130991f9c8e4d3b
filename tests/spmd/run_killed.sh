#!/usr/bin/env bash
# A run killed at any time leaves a file that can be read, in which every core task whose ledger
# byte is 1 has its result.
# usage: run_killed.sh SCOW MPIEXEC IMAGE CHECK
set -euo pipefail
scow=$1 mpiexec=$2 image=$3 check=$4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat >plan.json <<'EOF'
{"schema": "scow-plan-1", "kernel": "matched-filter",
 "parameters": {"bank": "source", "combine": "max", "algorithm": "reference"},
 "scheduler": "by hand", "tasks": 56, "block": 32, "workers": [0, 1],
 "rounds": [{"repeat": 28, "loads": [1, 1]}]}
EOF
"$mpiexec" -n 3 "$scow" run plan.json -i "$image" -o whole.h5 -q >/dev/null
seed=${SEED:-$RANDOM}
echo "seed $seed"
RANDOM=$seed
for ((trial = 0; trial < 4; trial++)); do
    "$mpiexec" -n 3 "$scow" run plan.json -i "$image" -o "$dir/part.h5" -q >/dev/null 2>&1 &
    job=$!
    # From the moment the file is there, some hundredths of a second.
    while [[ ! -s part.h5 ]] && kill -0 $job 2>/dev/null; do sleep 0.01; done
    sleep "0.$(printf %02d $((RANDOM % 40)))"
    pkill -KILL -f -- "-o $dir/part.h5" || true
    wait $job 2>/dev/null || true
    if [[ -e part.h5 ]]; then
        "$check" whole.h5 part.h5
        rm part.h5
    else
        echo "killed before there was a file"
    fi
    rm -f part.h5.new
done
