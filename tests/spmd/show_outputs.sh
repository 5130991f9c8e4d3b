#!/usr/bin/env bash
# What commands wrote, taken out of a run's output: in the order of lines, whoever did them when; of
# the last attempt; by folders; after lines were done again, what they wrote then.
# usage: show_outputs.sh SCOW MPIEXEC
set -euo pipefail
scow=$1 mpiexec=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1

fail() {
    echo "show_outputs: $*"
    exit 1
}

# plan COMMAND RETRIES LOADS...: of lines in packages of 2, to two workers in turn.
plan() {
    cat >plan.json <<END_PLAN
{ "schema": "scow-plan-1", "kernel": "command",
  "parameters": {"command": "$1", "per": "task", "retries": $2, "keep": 8, "jobs": 1, "grace": 1,
                 "most-output": 1000000},
  "scheduler": "static", "tasks": 10, "workers": [1, 0],
  "rounds": [{"repeat": 2, "loads": [2, 2]}, {"repeat": 1, "loads": [1, 1]}] }
END_PLAN
}

# run CODE OPTION...: a run that ends so.
run() {
    local wanted=$1 code=0
    shift
    timeout 400 "$mpiexec" -n 3 "$scow" run plan.json -i lines.txt -o out.h5 -q "$@" >/dev/null 2>errors.txt || code=$?
    [[ $code == "$wanted" ]] || fail "a run ended with $code: $(cat errors.txt)"
}

seq 10 >lines.txt
# A line fails at first, line 9 always; output of several parts, some without an end of line.
cat >work.sh <<'END_WORK'
n=$1
echo "try $n" >&2
[ -e "seen.$n" ] || { : >"seen.$n"; [ "$n" != 4 ] || { echo wrong; exit 3; }; }
[ "$n" != 9 ] || { [ -e good ] || { echo nine; exit 9; }; exit 0; }
[ "$n" != 7 ] || { seq 20000; exit 0; }
printf 'out of %s' "$n"
[ "$n" = 2 ] || echo
END_WORK
plan "sh $dir/work.sh {}" 1
run 1
{
    for n in 1 2 3 4 5 6; do
        printf 'out of %s' $n
        [ $n = 2 ] || echo
    done
    seq 20000
    echo "out of 8"
    echo nine
    echo "out of 10"
} >wanted.txt
"$scow" show out.h5 --output >found.txt
cmp found.txt wanted.txt || fail "the outputs are not those of the lines in their order"
"$scow" show out.h5 --stderr >found.txt
cmp found.txt <(seq -f 'try %g' 10) || fail "standard error is $(cat found.txt)"
[[ $("$scow" show out.h5 --output --task 4) == "out of 4" ]] || fail "of line 4 alone"
"$scow" show out.h5 --to tree
cat tree/*/stdout | cmp - wanted.txt || fail "the folder has not the same outputs"
[[ $(cat tree/10/stderr tree/01/stderr) == $'try 10\ntry 1' ]] || fail "nor errors"
code=0
"$scow" show out.h5 --to tree 2>errors.txt || code=$?
[[ $code == 4 && $(cat errors.txt) == *"no empty folder"* ]] || fail "writes over a folder"

# Done again, line 9 writes nothing, and that is what it has written.
: >good
run 0 --resume
sed -i /nine/d wanted.txt
"$scow" show out.h5 --output | cmp - wanted.txt || fail "what a line wrote before it was done again is still there"

# Of a run that is under way, or was stopped, what there is; moved, with its files beside it.
mkdir elsewhere
mv out.h5 out.h5.results.* elsewhere
"$scow" show elsewhere/out.h5 --output | cmp - wanted.txt || fail "it cannot be moved"
rm elsewhere/out.h5.results.2
code=0
"$scow" show elsewhere/out.h5 --output >found.txt 2>errors.txt || code=$?
[[ $code == 4 && $(cat errors.txt) == *"out.h5.results.2: does not hold"* ]] || fail "misses a file: $(cat errors.txt)"
