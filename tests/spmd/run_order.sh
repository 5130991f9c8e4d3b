#!/usr/bin/env bash
# Whatever the order in which packages take core tasks, results are those of the natural one: of core
# tasks that take strides and of those that do not, written by workers, asynchronously or by the
# master, with workers that read by themselves; and what is left of a run is done in its order.
# usage: run_order.sh SCOW MPIEXEC IMAGE
set -euo pipefail
scow=$1 mpiexec=$2 image=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=2

fail() {
    echo "order: $*"
    exit 1
}

# plan KERNEL TASKS LOADS PARAMETERS: three workers, rounds of the same loads.
plan() {
    cat >plan.json <<END
{"schema": "scow-plan-1", "kernel": "$1", "parameters": {$4}, "scheduler": "hand", "tasks": $2,
 "workers": [0, 1, 2], "rounds": [$3]}
END
}
run() { # OUTPUT OPTION...
    local out=$1
    shift
    "$mpiexec" -n 4 "$scow" run plan.json -o "$out" -q "$@" >said 2>errors || fail "run $out: $(cat said errors)"
}
same() { # OUTPUT: is as natural.h5, and holds what was written
    [[ $("$scow" show natural.h5 | grep checksum) == $("$scow" show "$1" | grep checksum) ]] || fail "$1: $("$scow" show "$1")"
    "$scow" show --check "$1" >said 2>&1 || fail "$1: $(cat said)"
}

rounds='{"repeat": 3, "loads": [7, 2, 1]}, {"repeat": 1, "loads": [5, 12, 0]}'
picture='"width": 64, "height": 47, "iterations": 200'
plan mandelbrot 47 "$rounds" "$picture"
run natural.h5
for order in stride:5 stride:47 random:9; do
    plan mandelbrot 47 "$rounds" "$picture, \"order\": \"$order\""
    run "$order.h5"
    same "$order.h5"
    "$scow" show "$order.h5" --png other.png
    "$scow" show natural.h5 --png natural.png
    cmp natural.png other.png || fail "$order: another picture"
done
plan mandelbrot 47 "$rounds" "$picture, \"order\": \"stride:5\", \"write-behind\": \"yes\""
run behind.h5
same behind.h5
plan mandelbrot 47 "$rounds" "$picture, \"order\": \"random:1\""
run collected.h5 --collect
same collected.h5

# Core tasks with data of their own, packed one by one, by the master and by workers.
filter='"bank": "chaudhuri", "combine": "max", "tuned": "generic"'
blocks='{"repeat": 4, "loads": [7, 2, 1]}, {"repeat": 1, "loads": [5, 2, 1]}'
plan matched-filter 48 "$blocks" "$filter, \"block\": 32"
rm natural.h5
run natural.h5 -i "$image"
for more in '"order": "stride:6"' '"order": "random:2", "staged": "yes"'; do
    rm -f other.h5
    plan matched-filter 48 "$blocks" "$filter, \"block\": 32, $more"
    run other.h5 -i "$image"
    same other.h5
done

# What is left of a run is done in its order: lines that fail as long as a file is missing.
for k in {1..40}; do
    if ((k % 3 == 0)); then echo "cat there && echo $k"; else echo "echo $k"; fi
done >lines
plan command 40 '{"repeat": 9, "loads": [2, 1, 1]}, {"repeat": 1, "loads": [2, 1, 1]}' '"command": "sh -c {}", "order": "stride:6"'
code=0
"$mpiexec" -n 4 "$scow" run plan.json -i lines -o part.h5 -q >said 2>&1 || code=$?
[[ $code == 1 ]] || fail "lines that fail: exit $code: $(cat said)"
: >there
run part.h5 -i lines --resume
"$scow" show part.h5 --output >printed
cmp printed <(seq 40) || fail "printed after going on: $(cat printed)"
"$scow" show --check part.h5 >said || fail "part.h5: $(cat said)"
plan command 40 '{"repeat": 9, "loads": [2, 1, 1]}, {"repeat": 1, "loads": [2, 1, 1]}' '"command": "sh -c {}", "order": "stride:5"'
code=0
"$mpiexec" -n 4 "$scow" run plan.json -i lines -o part.h5 -q --resume >said 2>&1 || code=$?
[[ $code == 4 ]] || fail "another order: exit $code: $(cat said)"

# What is no order.
for order in stride:0 backwards; do
    plan mandelbrot 47 "$rounds" "$picture, \"order\": \"$order\""
    code=0
    "$mpiexec" -n 4 "$scow" run plan.json -o no.h5 >said 2>&1 || code=$?
    [[ $code == 4 ]] || fail "$order: exit $code: $(cat said)"
    grep -qF "plan.json: order must be 'natural', 'stride:R' with R of at least 1, or 'random:SEED'" said || fail "$order: $(cat said)"
    [[ ! -e no.h5 ]] || fail "$order: an output was begun"
done
