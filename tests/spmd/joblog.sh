#!/usr/bin/env bash
# The log of a run of commands: what each line ran, while its input is what it was.
# usage: joblog.sh SCOW MPIEXEC
set -euo pipefail
scow=$1 mpiexec=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1

fail() {
    echo "joblog: $*"
    exit 1
}

# commands WANTED...: of all rows, the last column.
commands() {
    local found
    "$scow" show out.h5 --joblog >log.txt
    [[ $(head -n 1 log.txt) == $'Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand' ]] ||
        fail "the log has no heading"
    found=$(tail -n +2 log.txt | cut -f 9-)
    [[ $found == "$(printf '%s\n' "$@")" ]] || fail "the commands are $found"
}

printf '0\n3 4\n%s\n' "it's" >lines.txt
cat >plan.json <<'END'
{ "schema": "scow-plan-1", "kernel": "command",
  "parameters": {"command": "sh -c 'exit $0' {#} {}", "per": "task", "retries": 0, "keep": 8, "jobs": 1,
                 "grace": 1, "most-output": 1000},
  "scheduler": "static", "tasks": 3, "workers": [0, 1], "rounds": [{"repeat": 1, "loads": [2, 1]}] }
END
code=0
"$mpiexec" -n 3 "$scow" run plan.json -i lines.txt -o out.h5 -q >/dev/null 2>errors.txt || code=$?
[[ $code == 1 ]] || fail "the run ended with $code: $(cat errors.txt)"

commands "sh -c 'exit \$0' 1 0" "sh -c 'exit \$0' 2 '3 4'" "sh -c 'exit \$0' 3 'it'\\''s'"
[[ $(cut -f 1,7,8 log.txt | tail -n +2) == $'1\t1\t0\n2\t2\t0\n3\t3\t0' ]] ||
    fail "the exit codes are $(cut -f 7 log.txt)"
echo more >>lines.txt
commands "sh -c 'exit \$0' {#} {}" "sh -c 'exit \$0' {#} {}" "sh -c 'exit \$0' {#} {}"
rm lines.txt
commands "sh -c 'exit \$0' {#} {}" "sh -c 'exit \$0' {#} {}" "sh -c 'exit \$0' {#} {}"
