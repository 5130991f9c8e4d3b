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
 "scheduler": "by hand", "tasks": 48, "block": 32, "workers": [0, 1],
 "rounds": [{"repeat": 24, "loads": [1, 1]}]}
EOF
"$mpiexec" -n 3 "$scow" run plan.json -i "$image" -o whole.h5 -q >/dev/null
seed=${SEED:-$RANDOM}
echo "seed $seed"
RANDOM=$seed

# How many core tasks the file calls done; each of them must have its result.
finished() {
    "$check" whole.h5 part.h5 8 6 >said || { cat said; exit 1; }
    cut -d' ' -f1 said
}

partial=0
for ((trial = 0; trial < 60 && partial < 3; trial++)); do
    "$mpiexec" -n 3 "$scow" run plan.json -i "$image" -o "$dir/part.h5" -q >/dev/null 2>&1 &
    job=$!
    while [[ ! -s part.h5 ]] && kill -0 $job 2>/dev/null; do sleep 0.01; done
    while (($(finished) == 0)) && kill -0 $job 2>/dev/null; do sleep 0.01; done
    sleep "0.0$((RANDOM % 10))"
    pkill -KILL -f -- "-o $dir/part.h5" || true
    wait $job 2>/dev/null || true
    count=$(finished)
    echo "killed with $count of 48 core tasks done, all right"
    code=0
    "$scow" show part.h5 --check -q 2>said || code=$?
    ((count == 48)) || ((code == 75)) || { echo "an unfinished run: exit code $code, and: $(cat said)"; exit 1; }
    ((count == 0 || count == 48)) || partial=$((partial + 1))
    code=0
    "$scow" show part.h5 --png part.png 2>said || code=$?
    if ((count < 48)) && { ((code != 4)) || ! grep -q 'did not reach its end' said; }; then
        echo "a picture of an unfinished run: exit code $code, and: $(cat said)"
        exit 1
    fi
    rm -f part.h5 part.png
done
((partial >= 3)) || { echo "no run was killed in the middle"; exit 1; }
