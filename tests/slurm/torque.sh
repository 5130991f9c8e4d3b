#!/usr/bin/env bash
# The chain of jobs/pbs/scow.sh with a qsub that is not ours: Torque's commands for Slurm read its options and
# hand its jobs to a virtual cluster. (Of PBS's own variables they set none.) And scow serve --submit pbs.
# usage: torque.sh BIN MPIEXEC
set -euo pipefail
# shellcheck source=tests/slurm/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
real=$(command -v qsub || true)
if [[ -z $real ]] || ! grep -q Slurm "$real"; then
    echo "Torque's commands for Slurm (slurm-wlm-torque) are not installed"
    exit 77
fi
cp "$house/tests/kernel/golden/vessel.pgm" image.pgm
mkdir between
# Of several -l it takes the last one, PBS all.
cat >between/qsub <<END
#!/usr/bin/env bash
resources='' others=()
while [ \$# -gt 0 ]; do
    case \$1 in
    -l) resources+=\${resources:+,}\$2 && shift ;;
    *) others+=("\$1") ;;
    esac
    shift
done
exec "$real" \${resources:+-l "\$resources"} "\${others[@]}"
END
chmod +x between/qsub
export PATH=$PWD/between:$PATH PBS_O_WORKDIR=$PWD SCOW_LAUNCH=$mpiexec

bash "$house/jobs/pbs/scow.sh" submit -i image.pgm -o out.h5 -N 2 -T 2 -- --quick --block 32 --algorithm reference >said ||
    fail "submit: $(cat said)"
grep -Eq '^calibrate [0-9]+, plan [0-9]+, which submits' said || fail "submit says: $(cat said)"
queue_drain 180
for step in calibrate plan run report; do
    [[ $(state_of scow-$step) == "COMPLETED 0" ]] || fail "$step: $(state_of scow-$step)"
done
scow show out.h5 --check -q || fail "the run is not complete"
[[ -s out.report.html ]] || fail "no report"

# What the run was given is what its plan asks for.
run=$(sed -n 's/^run \([0-9]*\), report .*/\1/p' out.plan.log)
asked=$(sed -nE 's/^#PBS -l select=([0-9]+):ncpus=[0-9]+:mpiprocs=([0-9]+):.*/\1 \2/p' out.request)
minutes=$(sed -nE 's/^#PBS -l walltime=00:([0-9]+):00$/\1/p' out.request)
[[ $asked && "$(job_say "$run" NumNodes) $(job_say "$run" NtasksPerN:B:S:C)" == "${asked% *} ${asked#* }:"* ]] ||
    fail "asked for '$asked', given $(job_say "$run" NumNodes) nodes, $(job_say "$run" NtasksPerN:B:S:C)"
[[ $minutes && $(job_say "$run" TimeLimit) == "00:$minutes:00" ]] ||
    fail "$minutes minutes asked for, $(job_say "$run" TimeLimit) given"
nothing_left

# Workers as jobs: these commands name no parts of arrays, so each is one of its own.
SCOW_SUBMIT="-l nodes=1:ppn=1" scow serve out.plan.json -i image.pgm -o served.h5 --listen "$(hostname)" --submit pbs -n 2 >served.log 2>&1 ||
    fail "with workers of qsub's: $(cat served.log)"
[[ $(checksum_of served.h5) == "$(checksum_of out.h5)" ]] || fail "another checksum of workers of qsub's"
queue_drain 30
[[ $(scontrol -o show job | grep -c "JobName=scow-work ") == 2 ]] || fail "not two workers were submitted"
nothing_left
echo "torque done"
