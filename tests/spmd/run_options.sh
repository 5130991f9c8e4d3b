#!/usr/bin/env bash
# Options of core tasks that do not change costs are given to a run in place of the plan's, differ
# when it goes on, and stand in its output; others belong to calibration. And a run over TCP.
# usage: run_options.sh SCOW MPIEXEC PLUGIN
set -euo pipefail
scow=$1 mpiexec=$2 plugin=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1

fail() {
    echo "run_options: $*"
    exit 1
}

cat >plan.json <<'END'
{ "schema": "scow-plan-1", "kernel": "command",
  "parameters": {"command": "sh -c 'echo $0; exit $0' {}", "per": "task", "retries": 0, "keep": 8, "jobs": 1, "grace": 1,
                 "most-output": 1000},
  "scheduler": "static", "tasks": 4, "workers": [1, 0], "rounds": [{"repeat": 1, "loads": [2, 2]}] }
END
printf '%s\n' 0 3 0 0 >lines.txt

# run CODE SENTENCE OPTION...
run() {
    local wanted=$1 sentence=$2 code=0
    shift 2
    timeout 400 "$mpiexec" -n 3 "$scow" run plan.json -i lines.txt -o out.h5 -q "$@" >/dev/null 2>errors.txt || code=$?
    [[ $code == "$wanted" && $(cat errors.txt) == *"$sentence"* ]] || fail "$* ends with $code: $(cat errors.txt)"
}

# The attempts at line 2, and what the output says that it was run with.
attempts() {
    "$scow" show out.h5 --failed | sed -n 's/^2: exit 3, \([0-9]*\) attempts: 3$/\1/p'
}
says() {
    command -v h5dump >/dev/null || return 0
    [[ $(h5dump -a "/$1" out.h5) == *"(0): $2"* ]] || fail "the output says of $1 $(h5dump -a "/$1" out.h5)"
}

run 1 "1 of 4 core tasks failed" --retries 2 --timeout 30 --keep=2 --halt '90%'
[[ $(attempts) == 3 ]] || fail "line 2 was tried $(attempts) times, not 3"
says retries 2
says timeout '"30'
says keep 2
# shows OPTION VALUE: what was in force, in place of the plan's.
shows() {
    "$scow" show out.h5 | grep -q "^core task .*[(,] *$1 $2[,)]" || fail "shows $1 otherwise: $("$scow" show out.h5 | grep "^core task ")"
}
shows retries 2
shows timeout 30
shows keep 2
shows grace 1

# Otherwise when it goes on; but for what results are laid out by.
run 4 "its records are of another size, as it was begun with --timeout 30 --retries 2 --halt 90% --keep 2" --resume --retries 4
run 1 "1 of 4 core tasks failed" --resume --retries 4 --keep 2
[[ $(attempts) == 5 ]] || fail "line 2 was tried $(attempts) times, not 5"
says retries 4
says timeout '"'
shows retries 4
shows keep 2
! "$scow" show out.h5 | grep -q "^core task .*timeout" || fail "shows a timeout that is not in force"

# What calibration measures, what does not exist, what is no number.
rm out.h5 out.h5.results.*
run 2 "--jobs changes what core tasks cost: give it to scow calibrate" --jobs 2
run 2 "core task 'command' has no option '--retrys' for runs: did you mean '--retries'?" --retrys 2
run 2 "--retries needs a number, not 'many'" --retries many

# Six ranks that TCP alone connects, as it does between machines: they come to an end, too.
printf '%s\n' 0 0 0 0 >lines.txt
code=0
UCX_TLS=tcp,self timeout 400 "$mpiexec" -n 6 "$scow" run plan.json -i lines.txt -o tcp.h5 -q >said.txt 2>&1 || code=$?
[[ $code == 0 && $(wc -l <said.txt) == 2 ]] || fail "over TCP a run ends with $code: $(cat said.txt)"
run 2 "retries must be a whole number from 0 to 1000" --retries 1e9
run 2 "scow run: --halt is 'often': it must be a number above 0" --halt often
run 2 "scow run: --timeout is '0': it must be a number above 0" --timeout 0
# What a file says wrongly is not the command line's mistake.
sed 's/"retries": 0/"retries": 0, "timeout": "soon"/' plan.json >wrong.json
code=0
timeout 400 "$mpiexec" -n 3 "$scow" run wrong.json -i lines.txt -o out.h5 -q 2>errors.txt || code=$?
[[ $code == 4 && $(cat errors.txt) == "scow run: wrong.json: --timeout is 'soon': it must be a number above 0,"* ]] ||
    fail "a wrong plan ends with $code: $(cat errors.txt)"
# measure SENTENCE OPTION...: the same of commands that are measured, while they work or before.
measure() {
    local sentence=$1 code command
    shift
    for command in "go --no-page -o out.h5" "calibrate -o out.json"; do
        code=0
        # shellcheck disable=SC2086 # words
        timeout 400 "$mpiexec" -n 2 "$scow" $command -k command -i lines.txt -q "$@" 2>errors.txt || code=$?
        [[ $code == 2 && $(cat errors.txt) == "scow ${command%% *}: $sentence"* ]] ||
            fail "$command $* ends with $code: $(cat errors.txt)"
    done
}
measure "--command is missing" --keep 8
measure "--timeout is 'soon': it must be" --command 'true {}' --timeout soon
measure "--halt is '200%': it must be" --command 'true {}' --halt '200%'
measure "--env has '1x=', and must be words" --command 'true {}' --env '1x='
measure "--command 'true {foo}' has {foo}, which is no place for a line" --command 'true {foo}'
measure "--wrap 'nice \"' has a quote" --command 'true {}' --wrap 'nice "'
measure "--per cannot be 'tusk': did you mean 'task'?" --command 'true {}' --per tusk
measure "--keep must be a whole number from 0 to 65536" --command 'true {}' --keep 1e9
[[ ! -e out.h5 ]] || fail "a run that was refused left an output"

# A plug-in's own, which only the plan names.
cat >plan.json <<END
{ "schema": "scow-plan-1", "kernel": "variant", "plugin": "$plugin",
  "parameters": {"power": 1},
  "scheduler": "static", "tasks": 3, "workers": [0, 1], "rounds": [{"repeat": 1, "loads": [2, 1]}] }
END
plug() {
    local wanted=$1 sentence=$2 code=0
    shift 2
    timeout 400 "$mpiexec" -n 3 "$scow" run plan.json -o out.h5 -q "$@" >/dev/null 2>errors.txt || code=$?
    [[ $code == "$wanted" && $(cat errors.txt) == *"$sentence"* ]] || fail "$* ends with $code: $(cat errors.txt)"
}
plug 2 "power must be a whole number from 1 to 3" --power 4
plug 2 "core task 'variant' has no option '--retries' for runs" --retries 4
plug 0 "" --power 3
says power 3
code=0
timeout 400 "$mpiexec" -n 2 "$scow" run --quite plan.json 2>errors.txt || code=$?
[[ $code == 2 && $(cat errors.txt) == *"unknown option '--quite'"* ]] || fail "says $(cat errors.txt)"
timeout 400 "$mpiexec" -n 1 "$scow" run --help >help.txt
grep -q -- '--retries VALUE' help.txt || fail "help does not speak of --retries"
