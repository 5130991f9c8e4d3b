#!/usr/bin/env bash
# The chain of jobs/scow.sh on a virtual cluster: it ends in a result, a report and a profile that is
# used again where it holds; a step that fails cancels those behind it.
# usage: chain.sh BIN MPIEXEC
set -euo pipefail
# shellcheck source=tests/slurm/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
cp "$house/tests/kernel/golden/vessel.pgm" image.pgm
settings=(--quick --block 32 --algorithm reference)

submit() {
    bash "$house/jobs/scow.sh" submit -i image.pgm "$@"
}

# ---- all four steps ----
submit -o out.h5 -N 4 -- "${settings[@]}" >said || fail "submit: $(cat said)"
grep -Eq '^calibrate [0-9]+, plan [0-9]+, which submits' said || fail "submit says: $(cat said)"
queue_drain 180
for step in calibrate plan run report; do
    [[ $(state_of scow-$step) == "COMPLETED 0" ]] || fail "$step: $(state_of scow-$step)"
done
for file in out.{h5,profile.json,plan.json,request,report.html} out.{calibrate,plan,run,report}.log; do
    [[ -s $file ]] || fail "no $file"
done
grep -q '^makespan' out.report.log || fail "the report's log has no report"
grep -q '"nodes": 4' out.profile.json || fail "the profile does not say on how many nodes it was measured"

# The run was given what its plan asks for.
run=$(sed -n 's/^run \([0-9]*\), report .*/\1/p' out.plan.log)
# The plan chooses how many masters there are.
read -r masters workers < <(sed -nE 's/^# (a|[0-9]+) masters? and ([0-9]+) workers?.*/\1 \2/p' out.request)
ranks=$((${masters/a/1} + workers))
minutes=$(sed -n 's/^#SBATCH --time=00:\([0-9]*\):00$/\1/p' out.request)
nodes=$(((ranks + 1) / 2))
[[ $(job_say "$run" NumTasks) == $((2 * nodes)) ]] || fail "$ranks ranks, and $(job_say "$run" NumTasks) tasks"
[[ $(job_say "$run" NumNodes) == "$nodes" ]] || fail "$ranks ranks on $(job_say "$run" NumNodes) nodes"
[[ $(job_say "$run" TimeLimit) == "00:$minutes:00" ]] || fail "$minutes minutes asked for, $(job_say "$run" TimeLimit) given"
scow plan -p out.profile.json -i image.pgm --sbatch | cmp - out.request || fail "the request is not what scow plan prints"

# It is the result of the same plan without a batch system.
"$mpiexec" -n "$ranks" scow run out.plan.json -i image.pgm -o direct.h5 -q >/dev/null 2>&1
[[ $(checksum_of out.h5) == "$(checksum_of direct.h5)" ]] || fail "another checksum than without Slurm"
submit -o out.h5 >said
grep -q '^out.h5 is there, and complete' said || fail "submitted once more, it says: $(cat said)"

# ---- the profile again, started by MPICH's own launcher, with modules ----
cp out.profile.json kept.json
module() {
    echo "$*" >>modules
}
export -f module
SCOW_SUBMIT="-p all" SCOW_MODULES="mpich hdf5" SCOW_LAUNCH=$mpiexec submit -o again.h5 -N 4 --profile kept.json -- "${settings[@]}" >/dev/null
queue_drain 180
[[ $(state_of scow-report) == "COMPLETED 0" ]] || fail "with mpiexec: $(state_of scow-report)"
[[ $(cat modules) == $'load mpich hdf5\nload mpich hdf5\nload mpich hdf5\nload mpich hdf5' ]] ||
    fail "modules: $(cat modules)"
cmp out.profile.json kept.json || fail "a profile that holds was measured anew"
grep -q 'kept.json is of this machine, core task and settings: kept' again.calibrate.log ||
    fail "not said that the profile is kept"
[[ $(checksum_of out.h5) == "$(checksum_of again.h5)" ]] || fail "another checksum with mpiexec"

# ---- refused: other nodes, other settings, another machine; and everything behind is cancelled ----
# refused SENTENCE OPTION...
refused() {
    local sentence=$1
    shift
    rm -f refused.*
    submit -o refused.h5 "$@" >/dev/null
    queue_drain 60
    [[ $(state_of scow-calibrate) == "FAILED 4" ]] || fail "$sentence: calibrate $(state_of scow-calibrate)"
    [[ $(state_of scow-plan) == "CANCELLED 0" ]] || fail "$sentence: plan $(state_of scow-plan)"
    grep -Eq "$sentence" refused.calibrate.log || fail "not '$sentence' but $(cat refused.calibrate.log)"
    [[ ! -e refused.h5 && ! -e refused.plan.json ]] || fail "$sentence: ran in spite of it"
}
refused 'kept.json: was measured with 7 workers, and here there are 3: ' -N 2 --profile kept.json -- "${settings[@]}"
refused 'kept.json: has no setting with "block": 32, .*"source"' -N 4 --profile kept.json -- "${settings[@]}" --bank source
sed 's/"machine": "/&Another /' kept.json >other.json
refused "other.json: was measured with the machine 'Another .*', and here it is '.*'" -N 4 --profile other.json -- "${settings[@]}"
submit -i missing.pgm -o refused.h5 -N 4 >/dev/null
queue_drain 60
[[ $(state_of scow-calibrate) == FAILED* && $(state_of scow-plan) == CANCELLED* ]] ||
    fail "an input that is missing: calibrate $(state_of scow-calibrate), plan $(state_of scow-plan)"
nothing_left
echo "chain done"
