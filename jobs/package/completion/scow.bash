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
    go:-j | go:--workers) ;;
    go:-k | go:--kernel) _scow_words "matched-filter command mandelbrot motif motif-levels library jacobi sleep" "$3" ;;
    go:-i | go:--input) _scow_files -f "$3" ;;
    go:-o | go:--output) _scow_files -f "$3" ;;
    go:-p | go:--profile) _scow_files -f "$3" ;;
    go:--results) _scow_files -f "$3" ;;
    go:--threads) ;;
    go:--until) ;;
    go:--patience) ;;
    go:--gpus-per-worker) ;;
    go:--isa) ;;
    go:--weights) _scow_files -f "$3" ;;
    go:--weights-from) ;;
    go:--weights-column) ;;
    calibrate:-k | calibrate:--kernel) _scow_words "matched-filter command mandelbrot motif motif-levels library jacobi sleep" "$3" ;;
    calibrate:-i | calibrate:--input) _scow_files -f "$3" ;;
    calibrate:-o | calibrate:--output) _scow_files -f "$3" ;;
    calibrate:--html) _scow_files -f "$3" ;;
    calibrate:--probes) _scow_files -f "$3" ;;
    calibrate:--scratch) _scow_files -d "$3" ;;
    calibrate:--budget) ;;
    calibrate:--patience) ;;
    calibrate:--threads) ;;
    calibrate:--order) ;;
    calibrate:--write-behind) ;;
    calibrate:--gpus-per-worker) ;;
    calibrate:--isa) ;;
    calibrate:--weights) _scow_files -f "$3" ;;
    calibrate:--weights-from) ;;
    calibrate:--weights-column) ;;
    plan:-p | plan:--profile) _scow_files -f "$3" ;;
    plan:-i | plan:--input) _scow_files -f "$3" ;;
    plan:--resume) _scow_files -f "$3" ;;
    plan:-k | plan:--kernel) _scow_files -f "$3" ;;
    plan:-X | plan:--tasks) ;;
    plan:-n | plan:--workers) ;;
    plan:--like) ;;
    plan:--weights) _scow_files -f "$3" ;;
    plan:--weights-from) ;;
    plan:--weights-column) ;;
    plan:--weights-of) ;;
    plan:--rows) ;;
    plan:--columns) ;;
    plan:--iterations) ;;
    plan:--tolerance) ;;
    plan:--every) ;;
    plan:-s | plan:--scheduler) _scow_words "auto scow-mp scow-pwu periodic umr umr2 umr-scow mi single static optimal scow-mu apples" "$3" ;;
    plan:--production) ;;
    plan:--block) ;;
    plan:--set) ;;
    plan:--masters) ;;
    plan:--tree) ;;
    plan:--levels) ;;
    plan:--buffers) ;;
    plan:--model) _scow_words "single-port multi-port receive-in-parallel send-in-parallel work-in-parallel no-parallelism" "$3" ;;
    plan:--tail) _scow_words "ss fsc gss tss fiss fac wf dtss dfss dfiss dtfss tree monitor awf-b awf-c awf-d awf-e af" "$3" ;;
    plan:-o | plan:--output) _scow_files -f "$3" ;;
    plan:--html) _scow_files -f "$3" ;;
    plan:--deadline) ;;
    plan:--objective) ;;
    plan:--budget) ;;
    plan:--price) ;;
    plan:--require) ;;
    plan:--exclude) ;;
    plan:--at-most) ;;
    plan:--load) _scow_files -f "$3" ;;
    plan:--load-by) ;;
    plan:--waits) _scow_files -f "$3" ;;
    plan:--within) ;;
    plan:--svg) _scow_files -f "$3" ;;
    plan:--period) ;;
    plan:--noise) ;;
    plan:--seeds) ;;
    plan:--risk) ;;
    plan:--effort) ;;
    plan:--gpus-per-worker) ;;
    run:-i | run:--input) _scow_files -f "$3" ;;
    run:-o | run:--output) _scow_files -f "$3" ;;
    run:-p | run:--profile) _scow_files -f "$3" ;;
    run:-k | run:--kernel) _scow_files -f "$3" ;;
    run:-s | run:--scheduler) _scow_words "ss fsc gss tss fiss fac wf dtss dfss dfiss dtfss tree monitor awf-b awf-c awf-d awf-e af" "$3" ;;
    run:--replan) ;;
    run:--tail) _scow_words "ss fsc gss tss fiss fac wf dtss dfss dfiss dtfss tree monitor awf-b awf-c awf-d awf-e af" "$3" ;;
    run:--ahead) ;;
    run:--results) _scow_files -f "$3" ;;
    run:--until) ;;
    run:--patience) ;;
    run:--gpus-per-worker) ;;
    run:--isa) ;;
    run:--weights) _scow_files -f "$3" ;;
    run:--weights-from) ;;
    run:--weights-column) ;;
    run:--weights-of) ;;
    run:--timeout) ;;
    run:--retries) ;;
    run:--halt) ;;
    run:--keep) ;;
    run:--grace) ;;
    run:--most-output) ;;
    serve:-i | serve:--input) _scow_files -f "$3" ;;
    serve:-o | serve:--output) _scow_files -f "$3" ;;
    serve:-p | serve:--profile) _scow_files -f "$3" ;;
    serve:--access) _scow_files -f "$3" ;;
    serve:--listen) ;;
    serve:--members) ;;
    serve:-s | serve:--scheduler) _scow_words "ss fsc gss tss fiss fac wf dtss dfss dfiss dtfss tree monitor awf-b awf-c awf-d awf-e af" "$3" ;;
    serve:--replan) ;;
    serve:--ahead) ;;
    serve:--submit) ;;
    serve:-n | serve:--workers) ;;
    serve:--parts) _scow_files -d "$3" ;;
    serve:--results) _scow_files -f "$3" ;;
    serve:--until) ;;
    serve:--patience) ;;
    serve:--isa) ;;
    work:-i | work:--input) _scow_files -f "$3" ;;
    work:--until) ;;
    work:--patience) ;;
    work:--parts) _scow_files -d "$3" ;;
    chunk:--submitted) ;;
    collect:-o | collect:--output) _scow_files -f "$3" ;;
    report:--part) ;;
    report:--energy) ;;
    report:--html) _scow_files -f "$3" ;;
    report:--probes) _scow_files -f "$3" ;;
    report:--chrome-trace) _scow_files -f "$3" ;;
    report:--csv) _scow_files -f "$3" ;;
    report:--profile) _scow_files -f "$3" ;;
    report:--sensed) _scow_files -f "$3" ;;
    show:-i | show:--image) _scow_files -f "$3" ;;
    show:-o | show:--write) _scow_files -f "$3" ;;
    show:--png) _scow_files -f "$3" ;;
    show:--slice) ;;
    show:--xdmf) _scow_files -f "$3" ;;
    show:--task) ;;
    show:--to) _scow_files -d "$3" ;;
    simulate:-p | simulate:--profile) _scow_files -f "$3" ;;
    simulate:-s | simulate:--rule) _scow_words "ss fsc gss tss fiss fac wf dtss dfss dfiss dtfss tree monitor awf-b awf-c awf-d awf-e af" "$3" ;;
    simulate:-X | simulate:--tasks) ;;
    simulate:-i | simulate:--input) _scow_files -f "$3" ;;
    simulate:-n | simulate:--workers) ;;
    simulate:--block) ;;
    simulate:--set) ;;
    simulate:--ahead) ;;
    simulate:--replan) ;;
    simulate:--tail) _scow_words "ss fsc gss tss fiss fac wf dtss dfss dfiss dtfss tree monitor awf-b awf-c awf-d awf-e af" "$3" ;;
    simulate:--model) _scow_words "single-port multi-port receive-in-parallel send-in-parallel work-in-parallel no-parallelism" "$3" ;;
    simulate:--buffers) ;;
    simulate:--weights) _scow_files -f "$3" ;;
    simulate:--weights-from) ;;
    simulate:--weights-column) ;;
    simulate:--weights-of) ;;
    simulate:--noise) ;;
    simulate:--outliers) ;;
    simulate:--outlier-factor) ;;
    simulate:--slow) ;;
    simulate:--slow-factor) ;;
    simulate:--slow-from) ;;
    simulate:--loads) _scow_files -f "$3" ;;
    simulate:--load-patterns) ;;
    simulate:--joins) _scow_files -f "$3" ;;
    simulate:--lose) ;;
    simulate:--at) ;;
    simulate:--seed) ;;
    simulate:--seeds) ;;
    simulate:--effort) ;;
    sense:-o | sense:--output) _scow_files -f "$3" ;;
    sense:--every) ;;
    sense:--count) ;;
    sense:--node) ;;
    load:--pattern) ;;
    load:--seconds) ;;
    load:--threads) ;;
    load:--seed) ;;
    load:--cpu) ;;
    bench:--seconds) ;;
    bench:--ahead) ;;
    bench:--join) ;;
    bench:-o | bench:--output) _scow_files -f "$3" ;;
    calibrate:--algorithm | calibrate:--angles | calibrate:--bank | calibrate:--block | calibrate:--blocks | calibrate:--colsep | calibrate:--columns | calibrate:--combine | calibrate:--command | calibrate:--east | calibrate:--env | calibrate:--format | calibrate:--from | calibrate:--gap-extend | calibrate:--gap-open | calibrate:--grace | calibrate:--grain | calibrate:--halt | calibrate:--header | calibrate:--height | calibrate:--inside | calibrate:--iterations | calibrate:--jobs | calibrate:--keep | calibrate:--length | calibrate:--match | calibrate:--matrix | calibrate:--mismatch | calibrate:--most-output | calibrate:--north | calibrate:--out-dir | calibrate:--per | calibrate:--polarity | calibrate:--positions | calibrate:--retries | calibrate:--rows | calibrate:--search | calibrate:--sequences | calibrate:--ship | calibrate:--sigma | calibrate:--south | calibrate:--targets | calibrate:--tasks | calibrate:--timeout | calibrate:--tuned | calibrate:--west | calibrate:--width | calibrate:--workdir | calibrate:--wrap | calibrate:--x-max | calibrate:--x-min | calibrate:--y-max | calibrate:--y-min | go:--algorithm | go:--angles | go:--bank | go:--block | go:--blocks | go:--colsep | go:--columns | go:--combine | go:--command | go:--east | go:--env | go:--format | go:--from | go:--gap-extend | go:--gap-open | go:--grace | go:--grain | go:--halt | go:--header | go:--height | go:--inside | go:--iterations | go:--jobs | go:--keep | go:--length | go:--match | go:--matrix | go:--mismatch | go:--most-output | go:--north | go:--out-dir | go:--per | go:--polarity | go:--positions | go:--retries | go:--rows | go:--search | go:--sequences | go:--ship | go:--sigma | go:--south | go:--targets | go:--tasks | go:--timeout | go:--tuned | go:--west | go:--width | go:--workdir | go:--wrap | go:--x-max | go:--x-min | go:--y-max | go:--y-min) ;;
    *) return 1 ;;
    esac
}

# Options that only this core task has.
_scow_parameters() {
    case $1 in
    matched-filter) echo "--bank --combine --polarity --angles --sigma --length --block --blocks --width --algorithm --tuned" ;;
    command) echo "--command --per --timeout --retries --halt --keep --jobs --grace --most-output --format --colsep --header --wrap --workdir --env --out-dir" ;;
    mandelbrot) echo "--width --height --x-min --x-max --y-min --y-max --iterations" ;;
    motif) echo "--sequences --length --positions --search --grain --ship" ;;
    motif-levels) echo "--sequences --length --positions --from" ;;
    library) echo "--targets --matrix --match --mismatch --gap-open --gap-extend" ;;
    jacobi) echo "--rows --columns --north --south --west --east --inside" ;;
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
        _scow_words "go calibrate plan run serve work chunk collect report show tasks simulate sense load bench --help --version" "$word"
        return
    fi
    command=${COMP_WORDS[at + 1]}
    _scow_value "$command" "$before" "$word" && return
    case $command:$word in
    go:-*) _scow_words "--workers --kernel --input --output --profile --results --threads --staged --collect --until --patience --no-copies --gpus-per-worker --isa --trust --dry-run --no-page --quiet --version --weights --weights-from --weights-column --help $(_scow_parameters "$(_scow_kernel)")" "$word" ;;
    calibrate:-*) _scow_words "--kernel --input --output --html --reuse --probes --scratch --budget --patience --quick --threads --order --staged --staged-too --collect --master-computes --dca --write-behind --levels --gpus-per-worker --isa --dry-run --quiet --version --weights --weights-from --weights-column --help $(_scow_parameters "$(_scow_kernel)")" "$word" ;;
    plan:-*) _scow_words "--profile --input --resume --kernel --tasks --workers --like --weights --weights-from --weights-column --weights-of --strips --rows --columns --iterations --tolerance --every --keep --scheduler --production --block --set --masters --tree --levels --real-valued --buffers --model --master-computes --tail --output --html --deadline --objective --budget --price --require --exclude --at-most --load --load-by --waits --pareto --why --within --compare --sweep --pairs --svg --period --noise --seeds --risk --effort --gantt --json --sbatch --pbs --gpus-per-worker --quiet --verbose --help" "$word" ;;
    run:-*) _scow_words "--input --output --profile --kernel --scheduler --dca --replan --tail --ahead --results --collect --resume --trust --retry-lost --until --patience --no-copies --gpus-per-worker --isa --quiet --verbose --version --weights --weights-from --weights-column --weights-of --timeout --retries --halt --keep --grace --most-output --help" "$word" ;;
    serve:-*) _scow_words "--input --output --profile --access --listen --members --scheduler --replan --ahead --submit --workers --per-chunk --parts --results --no-copies --resume --trust --retry-lost --until --patience --isa --quiet --version --help" "$word" ;;
    work:-*) _scow_words "--input --until --patience --parts --quiet --version --help" "$word" ;;
    chunk:-*) _scow_words "--submitted --version --help" "$word" ;;
    collect:-*) _scow_words "--output --json --quiet --version --help" "$word" ;;
    report:-*) _scow_words "--json --compare --part --energy --html --probes --chrome-trace --csv --profile --sensed --quiet --verbose --help" "$word" ;;
    show:-*) _scow_words "--image --write --png --slice --xdmf --task --failed --json --csv --tsv --jsonl --output --stderr --to --joblog --levels --live --once --check --trust --quiet --verbose --help" "$word" ;;
    tasks:-*) _scow_words "--help" "$word" ;;
    simulate:-*) _scow_words "--profile --rule --dca --tasks --input --workers --block --set --levels --ahead --packages --replan --tail --model --buffers --weights --weights-from --weights-column --weights-of --noise --outliers --outlier-factor --slow --slow-factor --slow-from --loads --load-patterns --joins --lose --at --copies --seed --seeds --effort --gantt --json --quiet --verbose --help" "$word" ;;
    sense:-*) _scow_words "--output --every --count --node --help" "$word" ;;
    load:-*) _scow_words "--pattern --seconds --threads --seed --cpu --help" "$word" ;;
    bench:-*) _scow_words "--seconds --ahead --join --output --json --version --help" "$word" ;;
    tasks:*) _scow_words "matched-filter command mandelbrot motif motif-levels library jacobi sleep" "$word" ;;
    report:* | run:* | serve:* | show:* | simulate:* | work:*) _scow_files -f "$word" ;;
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
