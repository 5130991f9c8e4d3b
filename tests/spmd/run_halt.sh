#!/usr/bin/env bash
# --halt counts commands of all workers: a number is reached by all together, and a share that one
# worker alone is above, and all together are not, ends nothing. Workers have one package each.
# usage: run_halt.sh SCOW MPIEXEC
set -euo pipefail
scow=$1 mpiexec=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1

fail() {
    echo "run_halt: $*"
    exit 1
}

cat >plan.json <<END
{ "schema": "scow-plan-1", "kernel": "command",
  "parameters": {"command": "sh $dir/work.sh {}", "per": "task", "retries": 0, "keep": 8, "jobs": 1, "grace": 1,
                 "most-output": 1000},
  "scheduler": "static", "tasks": 40, "workers": [0, 1], "rounds": [{"repeat": 1, "loads": [20, 20]}] }
END

# run CODE SENTENCE OPTION...
run() {
    local wanted=$1 sentence=$2 code=0
    shift 2
    rm -f begun.* ended.* out.h5 out.h5.results.*
    timeout 400 "$mpiexec" -n 3 "$scow" run plan.json -i lines.txt -o out.h5 -q "$@" >/dev/null 2>errors.txt || code=$?
    [[ $code == "$wanted" && $(cat errors.txt) == *"$sentence"* ]] || fail "$* ends with $code: $(cat errors.txt)"
}

# 12 of both are reached before either has had 12: both wait at their ninth for what they are told.
cat >work.sh <<'END'
: >"begun.$1"
[ $((($1 - 1) % 20)) -lt 8 ] || sleep 60
sleep 0.1
exit 1
END
seq 40 >lines.txt
run 1 "which --halt 12 ends" --halt 12
begun=$(find . -name 'begun.*' | wc -l)
((begun >= 12 && begun < 24)) || fail "$begun commands were begun until 12 had failed"

# All of the first worker's fail, a half of all. They begin when all of the second one's have ended, so that how fast
# either gets on does not matter, and take long enough to be told of in between.
cat >work.sh <<'END'
if [ "$1" -gt 20 ]; then
    sleep 0.05
    : >"ended.$1"
    exit 0
fi
until [ -e ended.40 ]; do sleep 0.02; done
sleep 0.1
exit 1
END
run 1 "20 of 40 core tasks failed" --halt '80%'
run 1 "commands of all workers failed, which --halt 30% ends" --halt '30%'

# What it came to is kept, and why it ended.
sed -i 's/"repeat": 1, "loads": \[20, 20\]/"repeat": 10, "loads": [2, 2]/' plan.json
cat >work.sh <<'END'
[ "$1" -gt 8 ]
END
run 1 "failed, which --halt 3 ends" --halt 3
"$scow" show out.h5 | grep -q "^ended  *halted: .*failed, which --halt 3 ends" || fail "$("$scow" show out.h5)"
code=0
timeout 400 "$mpiexec" -n 3 "$scow" run plan.json -i lines.txt -o out.h5 -q --resume >/dev/null 2>errors.txt || code=$?
[[ $code == 1 && $(cat errors.txt) == *"8 of 40 core tasks failed"* ]] || fail "going on ends with $code: $(cat errors.txt)"
"$scow" report out.h5 | grep -q "^  part 1 .*, halted: .*failed, which --halt 3 ends" || fail "$("$scow" report out.h5)"
