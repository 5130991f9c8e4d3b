#!/usr/bin/env bash
# One checksum whatever the ranks, threads, packages and order of workers.
# usage: run_checksum.sh SCOW MPIEXEC IMAGE [THREADS...]: usually 1 and 2
set -euo pipefail
scow=$1 mpiexec=$2 image=$3
shift 3
(($# > 0)) || set -- 1 2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# plan NAME WORKERS LOADS...: one round a line of loads; 256 x 200 pixels in blocks of 32: 8 x 6 tasks.
plan() {
    local name=$1 workers=$2 rounds="" loads
    shift 2
    for loads in "$@"; do
        rounds+="${rounds:+, }{\"repeat\": 1, \"loads\": [$loads]}"
    done
    cat >"$name" <<EOF
{"schema": "scow-plan-1", "kernel": "matched-filter",
 "parameters": {"bank": "chaudhuri", "combine": "max", "tuned": "avx2"},
 "scheduler": "by hand", "tasks": 48, "block": 32, "workers": [$workers], "rounds": [$rounds]}
EOF
}

plan one.json 0 48
plan two.json "1, 0" "10, 1" "0, 20" "17, 0"
plan four.json "2, 0, 3, 1" "1, 2, 3, 4" "5, 5, 5, 5" "0, 1, 0, 1" "4, 4, 4, 4"

run() { # ranks threads plan
    local out
    out=$(mktemp -u out-XXXXXX.h5)
    OMP_NUM_THREADS=$2 "$mpiexec" -n "$1" "$scow" run "$3" -i "$image" -o "$out" -q |
        sed -n 's/.*checksum //p'
}

first=$(run 2 1 one.json)
[[ $first =~ ^[0-9a-f]{16}$ ]] || { echo "no checksum: '$first'"; exit 1; }
for ranks in 2 3 5; do
    for threads; do
        for file in one.json two.json four.json; do
            workers=$(tr -cd '01234' <<<"$(sed -n 's/.*"workers": \[\([^]]*\)\].*/\1/p' $file)" | wc -c)
            ((workers < ranks)) || continue
            got=$(run $ranks "$threads" $file)
            if [[ $got != "$first" ]]; then
                echo "$ranks ranks, $threads threads, $file: checksum $got instead of $first"
                exit 1
            fi
        done
    done
done
echo "one checksum everywhere: $first"
