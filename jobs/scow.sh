#!/usr/bin/env bash
# From an input to a report through the batch system, with one command:
#
#     bash jobs/scow.sh submit -i INPUT -o OUT.h5 [-N NODES] [-T RANKS] [-c THREADS]
#                              [--profile FILE] [--deadline SECONDS] [-- OPTION OF scow calibrate...]
#
# submits the chain calibrate -> plan -> run -> report; each step waits for the one before it to end
# well, and a step that fails cancels those behind it. The run asks for the nodes, memory and time
# that its plan says.
#
#   -i INPUT    as for scow calibrate, plan and run; without it for core tasks that have none
#   -o OUT.h5   the output; beside it come OUT.profile.json, OUT.plan.json, what the run asks for
#               (OUT.request), a log of each step (OUT.STEP.log) and OUT.report.html. With an
#               unfinished OUT.h5, run and report alone are submitted, and go on with it
#   -N NODES    to calibrate with and, at most, to run with (2)
#   -T RANKS    on a node (one for every core, or for every THREADS of them)
#   -c THREADS  of a rank (1)
#   --profile FILE      in place of OUT.profile.json. One that is there is kept if it is of the same
#                       nodes, core task and settings, and ends the chain with a sentence if not
#   --deadline SECONDS  use the fewest workers whose plan takes no longer
#   --objective NAME, --budget CHARGE, --price [CLASS=]P, --require CLASS, --exclude CLASS,
#   --at-most CLASS=N, --waits FILE, --within PERCENT  choose workers as scow plan does
#
# After -- comes what scow calibrate shall know: -k KERNEL, parameters, --quick, --budget (of more than
# ten minutes: with SBATCH_TIMELIMIT=2:00:00, which is not the run's).
# SCOW_SUBMIT holds options of sbatch (or qsub) for all steps: SCOW_SUBMIT="-p short -A project", as
# SBATCH_PARTITION and its like do; SCOW_LAUNCH and SCOW_MODULES are as jobs/run.sbatch says.
set -euo pipefail

jobs=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
batch=${SCOW_BATCH:-slurm} # jobs/pbs/scow.sh sets it to pbs
read -ra own <<<"${SCOW_SUBMIT:-}"

# Usage, unless `code` says otherwise.
fail() {
    echo "scow.sh: $*" >&2
    exit "${code:-2}"
}

usage() {
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
}

# ---- Slurm -----------------------------------------------------------------------------------

# The partition that jobs go to; nothing: the cluster's default.
slurm_partition() {
    printf '%s\n' "${SBATCH_PARTITION:-}" "${own[@]}" |
        sed -nE '1p; /^(-p|--partition)$/{n;p}; s/^(-p|--partition=)(.+)/\2/p' | tail -n 1
}

# Cores of its smallest node.
slurm_cores() {
    sinfo -h -o '%X %Y %P' | awk -v name="$(slurm_partition)" '
        name ? $3 == name || $3 == name "*" : $3 ~ /[*]$/ {
            cores = $1 * $2
            least = !least || cores < least ? cores : least
        }
        END { print least + 0 }'
}

# slurm_submit STEP AFTER ARGUMENT...: prints the job's number. Of a job that submits another one,
# Slurm's variables would speak of the wrong job.
slurm_submit() (
    how=(--parsable --export=ALL --job-name="scow-$1" --output="$stem.$1.log")
    [ -z "$2" ] || how+=(--dependency="afterok:$2" --kill-on-invalid-dep=yes)
    for name in "${!SLURM_@}"; do
        [ "$name" = SLURM_CONF ] || unset "$name"
    done
    sbatch "${how[@]}" "${own[@]}" "${resources[@]}" "$jobs/$1.sbatch" "${@:3}" | cut -d ';' -f 1
)

# ---- PBS -------------------------------------------------------------------------------------

# The same. Arguments travel in a variable, for qsub takes none for its script.
pbs_submit() (
    how=(-V -N "scow-$1" -j oe -o "$stem.$1.log")
    [ -z "$2" ] || how+=(-W "depend=afterok:$2")
    SCOW_ARGUMENTS=$(printf '%q ' "${@:3}")
    export SCOW_ARGUMENTS
    qsub "${how[@]}" "${own[@]}" "${resources[@]}" "$jobs/pbs/$1.pbs"
)

# ---- the chain -------------------------------------------------------------------------------

options_read() {
    input='' output='' nodes=2 ranks='' threads=1 profile='' choices=()
    while [ $# -gt 0 ]; do
        case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --)
            shift
            break
            ;;
        -i | -o | -N | -T | -c | --profile | --deadline | --objective | --budget | --price | --require | --exclude | --at-most | --waits | --within) [ $# -gt 1 ] || fail "$1 needs a value" ;;&
        -i) input=$2 ;;
        -o) output=$2 ;;
        -N) nodes=$2 ;;
        -T) ranks=$2 ;;
        -c) threads=$2 ;;
        --profile) profile=$2 ;;
        --deadline | --objective | --budget | --price | --require | --exclude | --at-most | --waits | --within) choices+=("$1" "$2") ;;
        *) fail "unknown option '$1': see 'bash jobs/scow.sh --help'; options of scow calibrate come after --" ;;
        esac
        shift 2
    done
    [ -n "$output" ] || fail "no output given: add -o OUT.h5"
    for number in "$nodes" "$threads" "${ranks:-1}"; do
        [[ $number =~ ^[1-9][0-9]*$ ]] || fail "-N, -T and -c are whole numbers from 1, not '$number'"
    done
    calibrate=("$@")
    stem=${output%.h5}
    profile=${profile:-$stem.profile.json}
    plan=$stem.plan.json
    request=$stem.request
}

# Ranks on a node, where nobody said how many.
ranks_find() {
    [ "$batch" = slurm ] || fail "say with -T how many ranks are started on a node"
    local cores
    cores=$(slurm_cores) || cores=0
    ranks=$((cores / threads))
    [ "$ranks" -gt 0 ] || fail "how many ranks fit on a node cannot be found out: say it with -T"
}

# What the calibration asks for: the nodes of the run to come.
resources_of_nodes() {
    [ -n "$ranks" ] || ranks_find
    [ $((nodes * ranks)) -gt 1 ] || fail "one rank is the master and does not compute: ask for more nodes (-N) or ranks (-T)"
    case $batch in
    slurm) resources=(--nodes="$nodes" --ntasks-per-node="$ranks" --cpus-per-task="$threads") ;;
    pbs) resources=(-l "select=$nodes:ncpus=$((ranks * threads)):mpiprocs=$ranks:ompthreads=$threads") ;;
    esac
}

# What the plan asks for, as scow plan printed it.
resources_of_plan() {
    read -ra resources <<<"$(sed -nE 's/^#(SBATCH|PBS) //p' "$request" | tr '\n' ' ')"
    [ ${#resources[@]} -gt 0 ] || code=4 fail "$request: does not say what the run asks for: remove $output, or submit with another one"
}

plan_make() {
    local lines=--sbatch
    [ "$batch" = slurm ] || lines=--pbs
    scow plan -p "$profile" ${input:+-i "$input"} ${choices[@]+"${choices[@]}"} -o "$plan" "$lines" >"$request.new"
    mv "$request.new" "$request"
    cat "$request"
}

# The run behind job $1, if there is one to wait for, and its report.
run_submit() {
    local run report
    resources_of_plan
    run=$("${batch}_submit" run "$1" "$plan" "$output" ${input:+-i "$input"})
    resources=()
    report=$("${batch}_submit" report "$run" "$output")
    echo "run $run, report $report: $output, $stem.report.html"
}

# Go on with an output that is there.
run_resume() {
    local outcome=0
    scow show "$output" --check -q || outcome=$?
    case $outcome in
    0) echo "$output is there, and complete: scow report $output" ;;
    1 | 75)
        { [ -s "$plan" ] && [ -s "$request" ]; } ||
            code=4 fail "$output is there, but not its $plan and $request: submit with another output"
        run_submit ''
        ;;
    *) code=4 fail "$output is there and cannot be resumed: submit with another one" ;;
    esac
}

chain_submit() {
    local calibration planning
    resources_of_nodes
    calibration=$("${batch}_submit" calibrate '' ${input:+-i "$input"} -o "$profile" "${calibrate[@]}")
    resources=()
    planning=$("${batch}_submit" plan "$calibration" "$jobs/scow.sh" continue ${input:+-i "$input"} -o "$output" \
        --profile "$profile" ${choices[@]+"${choices[@]}"})
    echo "calibrate $calibration, plan $planning, which submits the run and its report: $output, $stem.report.html"
}

step=${1:-}
case $step in
submit | continue) shift ;;
-h | --help)
    usage
    exit 0
    ;;
*) fail "say 'submit': see 'bash jobs/scow.sh --help'" ;;
esac
options_read "$@"
# One that has just been built here needs no installing.
command -v scow >/dev/null || export PATH=$jobs/../build/release/bin:$PATH
command -v scow >/dev/null || fail "no scow to be found: load its module, or add it to the PATH"
case $batch in
slurm) command -v sbatch >/dev/null || fail "there is no sbatch here: submit where Slurm is, or, to PBS, with jobs/pbs/scow.sh" ;;
pbs) command -v qsub >/dev/null || fail "there is no qsub here: submit where PBS is, or, to Slurm, with jobs/scow.sh" ;;
*) fail "SCOW_BATCH is slurm or pbs, not '$batch'" ;;
esac
case $step in
submit) if [ -e "$output" ]; then run_resume; else chain_submit; fi ;;
continue)
    plan_make
    run_submit "${SLURM_JOB_ID:-${PBS_JOBID:-}}"
    ;;
esac
