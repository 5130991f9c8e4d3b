# Completion of scow for bash. Made by jobs/package/generate.py from the tables that make --help.
# shellcheck shell=bash

# Words that begin with the one being typed, or files.
_scow_words() {
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}
_scow_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
}

# The value after -k or --kernel, or the usual core task.
_scow_kernel() {
    local i
    for ((i = 1; i < ${#COMP_WORDS[@]} - 1; i++)); do
        case ${COMP_WORDS[i]} in
        -k | --kernel) echo "${COMP_WORDS[i + 1]}" && return ;;
        esac
    done
    echo matched-filter
}

# What follows an option: COMMAND OPTION WORD. False: that one takes nothing.
_scow_value() {
    case $1:$2 in
    calibrate:-k | calibrate:--kernel) _scow_words "matched-filter command mandelbrot motif sleep" "$3" ;;
    calibrate:-i | calibrate:--input) _scow_files -f "$3" ;;
    calibrate:-o | calibrate:--output) _scow_files -f "$3" ;;
    calibrate:--html) _scow_files -f "$3" ;;
    calibrate:--probes) _scow_files -f "$3" ;;
    calibrate:--scratch) _scow_files -d "$3" ;;
    calibrate:--budget) ;;
    calibrate:--threads) ;;
    calibrate:--write-behind) ;;
    calibrate:--isa) ;;
    plan:-p | plan:--profile) _scow_files -f "$3" ;;
    plan:-i | plan:--input) _scow_files -f "$3" ;;
    plan:--resume) _scow_files -f "$3" ;;
    plan:-k | plan:--kernel) _scow_files -f "$3" ;;
    plan:-X | plan:--tasks) ;;
    plan:-n | plan:--workers) ;;
    plan:--like) ;;
    plan:-s | plan:--scheduler) _scow_words "auto scow-mp scow-pwu periodic umr umr2 umr-scow mi single static optimal" "$3" ;;
    plan:--block) ;;
    plan:--set) ;;
    plan:--buffers) ;;
    plan:--tail) _scow_words "ss fsc gss tss fiss fac wf dtss monitor awf-b awf-c awf-d awf-e af" "$3" ;;
    plan:-o | plan:--output) _scow_files -f "$3" ;;
    plan:--html) _scow_files -f "$3" ;;
    plan:--deadline) ;;
    plan:--noise) ;;
    plan:--seeds) ;;
    plan:--risk) ;;
    plan:--effort) ;;
    run:-i | run:--input) _scow_files -f "$3" ;;
    run:-o | run:--output) _scow_files -f "$3" ;;
    run:-p | run:--profile) _scow_files -f "$3" ;;
    run:-k | run:--kernel) _scow_files -f "$3" ;;
    run:-s | run:--scheduler) _scow_words "ss fsc gss tss fiss fac wf dtss monitor awf-b awf-c awf-d awf-e af" "$3" ;;
    run:--replan) ;;
    run:--tail) _scow_words "ss fsc gss tss fiss fac wf dtss monitor awf-b awf-c awf-d awf-e af" "$3" ;;
    run:--ahead) ;;
    run:--results) _scow_files -f "$3" ;;
    run:--patience) ;;
    run:--isa) ;;
    report:--html) _scow_files -f "$3" ;;
    report:--probes) _scow_files -f "$3" ;;
    report:--chrome-trace) _scow_files -f "$3" ;;
    report:--csv) _scow_files -f "$3" ;;
    report:--profile) _scow_files -f "$3" ;;
    show:-i | show:--image) _scow_files -f "$3" ;;
    show:-o | show:--png) _scow_files -f "$3" ;;
    show:--slice) ;;
    show:--xdmf) _scow_files -f "$3" ;;
    show:--task) ;;
    simulate:-p | simulate:--profile) _scow_files -f "$3" ;;
    simulate:-s | simulate:--rule) _scow_words "ss fsc gss tss fiss fac wf dtss monitor awf-b awf-c awf-d awf-e af" "$3" ;;
    simulate:-X | simulate:--tasks) ;;
    simulate:-n | simulate:--workers) ;;
    simulate:--block) ;;
    simulate:--set) ;;
    simulate:--ahead) ;;
    simulate:--replan) ;;
    simulate:--tail) _scow_words "ss fsc gss tss fiss fac wf dtss monitor awf-b awf-c awf-d awf-e af" "$3" ;;
    simulate:--buffers) ;;
    simulate:--noise) ;;
    simulate:--outliers) ;;
    simulate:--outlier-factor) ;;
    simulate:--slow) ;;
    simulate:--slow-factor) ;;
    simulate:--slow-from) ;;
    simulate:--lose) ;;
    simulate:--at) ;;
    simulate:--seed) ;;
    simulate:--seeds) ;;
    calibrate:--algorithm | calibrate:--angles | calibrate:--bank | calibrate:--block | calibrate:--blocks | calibrate:--combine | calibrate:--command | calibrate:--grace | calibrate:--grain | calibrate:--halt | calibrate:--height | calibrate:--iterations | calibrate:--jobs | calibrate:--keep | calibrate:--length | calibrate:--most-output | calibrate:--per | calibrate:--polarity | calibrate:--positions | calibrate:--retries | calibrate:--search | calibrate:--sequences | calibrate:--ship | calibrate:--sigma | calibrate:--tasks | calibrate:--timeout | calibrate:--tuned | calibrate:--width | calibrate:--x-max | calibrate:--x-min | calibrate:--y-max | calibrate:--y-min) ;;
    *) return 1 ;;
    esac
}

# Options that only this core task has.
_scow_parameters() {
    case $1 in
    matched-filter) echo "--bank --combine --polarity --angles --sigma --length --block --blocks --width --algorithm --tuned" ;;
    command) echo "--command --per --timeout --retries --halt --keep --jobs --grace --most-output" ;;
    mandelbrot) echo "--width --height --x-min --x-max --y-min --y-max --iterations" ;;
    motif) echo "--sequences --length --positions --search --grain --ship" ;;
    sleep) echo "--tasks" ;;
    esac
}

# Complete the command line from word $1 on, which is scow.
_scow_from() {
    local at=$1 word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command
    COMPREPLY=()
    if [[ $word == '=' ]]; then # --name=VALUE comes as three words
        word=
    elif [[ $before == '=' ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if ((COMP_CWORD == at + 1)); then
        _scow_words "calibrate plan run report show tasks simulate --help --version" "$word"
        return
    fi
    command=${COMP_WORDS[at + 1]}
    _scow_value "$command" "$before" "$word" && return
    case $command:$word in
    calibrate:-*) _scow_words "--kernel --input --output --html --reuse --probes --scratch --budget --quick --threads --staged --staged-too --write-behind --isa --quiet --version --help $(_scow_parameters "$(_scow_kernel)")" "$word" ;;
    plan:-*) _scow_words "--profile --input --resume --kernel --tasks --workers --like --scheduler --block --set --real-valued --buffers --tail --output --html --deadline --compare --sweep --noise --seeds --risk --effort --gantt --json --sbatch --pbs --quiet --verbose --help" "$word" ;;
    run:-*) _scow_words "--input --output --profile --kernel --scheduler --replan --tail --ahead --results --resume --patience --isa --quiet --verbose --version --help" "$word" ;;
    report:-*) _scow_words "--json --compare --html --probes --chrome-trace --csv --profile --quiet --verbose --help" "$word" ;;
    show:-*) _scow_words "--image --png --slice --xdmf --task --joblog --check --quiet --verbose --help" "$word" ;;
    tasks:-*) _scow_words "--help" "$word" ;;
    simulate:-*) _scow_words "--profile --rule --tasks --workers --block --set --ahead --replan --tail --buffers --noise --outliers --outlier-factor --slow --slow-factor --slow-from --lose --at --seed --seeds --json --quiet --verbose --help" "$word" ;;
    tasks:*) _scow_words "matched-filter command mandelbrot motif sleep" "$word" ;;
    report:* | run:* | show:* | simulate:*) _scow_files -f "$word" ;;
    esac
}

_scow() {
    _scow_from 0
}

# Of a launcher's command line, the part behind scow; files before it.
_scow_launched() {
    local i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        scow | */scow) _scow_from "$i" && return ;;
        esac
    done
    COMPREPLY=()
}

complete -F _scow scow
# What already completes a launcher's command line is left in its place.
for _scow_launcher in mpiexec mpiexec.mpich mpiexec.hydra mpirun mpirun.mpich; do
    complete -p "$_scow_launcher" &>/dev/null || complete -o bashdefault -o default -F _scow_launched "$_scow_launcher"
done
unset _scow_launcher
