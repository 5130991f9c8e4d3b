#!/usr/bin/env bash
# Lines from standard input, which a run that is gone on with reads again, and of a compressed table
# with a header, whose records come out beside their own lines; an output of before commands had
# formats is gone on with.
# usage: run_lines.sh SCOW MPIEXEC
set -euo pipefail
scow=$1 mpiexec=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1

fail() {
    echo "lines: $*"
    exit 1
}

# plan COMMAND TASKS [PARAMETER]...
plan() {
    printf '{"schema": "scow-plan-1", "kernel": "command", "parameters": {"command": "%s"%s},
        "scheduler": "by hand", "tasks": %d, "workers": [0, 1],
        "rounds": [{"repeat": 1, "loads": [%d, 4]}]}' "$1" "${3:-}" "$2" $(($2 - 4)) >plan.json
}

go() {
    "$mpiexec" -n 3 "$scow" run plan.json -q "$@"
}

plan 'echo {}' 20
seq 20 | go -i - -o out.h5 >/dev/null || fail "standard input is not read"
[[ $("$scow" show out.h5 --output) == "$(seq 20)" ]] || fail "not the lines of standard input"
go -i - -o out.h5 --resume </dev/null >resumed.txt || fail "does not go on with what was kept"
grep -q '20 of them done before' resumed.txt || fail "says '$(cat resumed.txt)'"
code=0
seq 21 | go -i - -o out.h5 --resume >/dev/null 2>error.txt || code=$?
[[ $code == 4 && $(<error.txt) == *"is not what 'out.h5.input' holds"* ]] ||
    fail "other lines: exit $code, '$(cat error.txt)'"
code=0
go -i - -o none.h5 </dev/null >/dev/null 2>error.txt || code=$?
[[ $code == 4 && $(<error.txt) == *'standard input, which is empty'* ]] ||
    fail "no lines: exit $code, '$(cat error.txt)'"

# As an older version left it.
if /usr/bin/python3 -c 'import h5py' 2>/dev/null; then
    /usr/bin/python3 -c '
import h5py
with h5py.File("out.h5", "r+") as file:
    for name in "format", "header":
        del file.attrs[name]'
    go -i - -o out.h5 --resume </dev/null >/dev/null || fail "an older output is refused"
fi

{
    echo id,name
    for i in $(seq 12); do printf '%d,"it %d,\n"\n' "$i" "$i"; done
} | gzip >table.csv.gz
plan 'printf %s {id}' 12 ', "header": "yes"'
go -i table.csv.gz -o table.h5 >/dev/null || fail "a compressed table is not read"
[[ $("$scow" show table.h5 --output --task 12) == 12 ]] || fail "not the table's columns"
"$scow" show table.h5 --jsonl | tail -n 1 | grep -qF '"task": 12, "line": "12,' ||
    fail "not its own line: $("$scow" show table.h5 --jsonl | tail -n 1)"
"$scow" show table.h5 --joblog | grep -q $'\tprintf %s 12$' || fail "not its own command"
