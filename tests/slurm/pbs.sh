#!/usr/bin/env bash
# jobs/pbs with a qsub that pretends: it keeps what it is given, and the test runs that on this machine,
# each job when the one that it depends on ended well.
# usage: pbs.sh BIN MPIEXEC
set -euo pipefail
bin=$(realpath "$1") mpiexec=$2
house=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
mkdir pretended queue
export PATH=$dir/pretended:$bin:$PATH QUEUE=$dir/queue
unset OMP_NUM_THREADS

cat >pretended/qsub <<'END'
#!/usr/bin/env bash
set -euo pipefail
after='' log=/dev/null variables=''
while getopts VN:j:o:W:l:v:q: option; do
    case $option in
    o) log=$OPTARG ;;
    W) after=${OPTARG#depend=afterok:} ;;
    v) variables=$OPTARG ;;
    l) echo "$OPTARG" >>"$QUEUE/asked" ;;
    *) ;;
    esac
done
shift $((OPTIND - 1))
[ $# = 1 ]
job=$(($(find "$QUEUE" -name 'job.*' | wc -l) + 1))
printf '%s\n' "after=$after" "log=$log" "variables=$variables" "script=$1" "arguments=${SCOW_ARGUMENTS@Q}" >"$QUEUE/job.$job"
echo "$job"
END
cat >pretended/qrerun <<'END'
#!/usr/bin/env bash
echo "$1" >>"$QUEUE/again"
END
# As many ranks as were asked for.
cat >pretended/mpiexec <<END
#!/usr/bin/env bash
exec "$mpiexec" -n 3 "\$@"
END
# Six seconds, and those of `short`, are over when something has been done, however long ranks take to begin.
cat >pretended/await <<'END'
#!/usr/bin/env bash
output=$(printf '%s\n' "${@:2}" | sed -n '/^-o$/{n;p}')
while kill -0 "$1" 2>/dev/null && ! scow show "$output" 2>/dev/null | grep -q '^done *[1-9]'; do sleep 0.05; done
END
cat >pretended/timeout <<'END'
#!/usr/bin/env bash
[[ $1 == --foreground && $2 == --signal=USR1 ]] || exit 2
[[ $3 == 6 ]] || exec "${@:4}"
"${@:4}" &
await $! "${@:4}"
kill -USR1 $!
wait $! || true
exit 124
END
cat >pretended/short <<'END'
#!/usr/bin/env bash
setsid mpiexec "$@" &
await $! "$@"
kill -KILL -- -$!
wait $!
END
chmod +x pretended/*

fail() {
    echo "$*"
    tail -n 20 ./*.log || true
    exit 1
}

# job_run NUMBER VARIABLE...: its exit code is in `code`.
job_run() {
    local after log variables script arguments number=$1
    # shellcheck source=/dev/null
    . "$QUEUE/job.$number"
    code=99
    # shellcheck disable=SC2154 # the job's file says it
    if [ -z "$after" ] || [ "$(cat "$QUEUE/ended.$after")" = 0 ]; then
        code=0
        # shellcheck disable=SC2086,SC2154 # a variable or none
        env PBS_O_WORKDIR="$dir" PBS_JOBID="$number" SCOW_ARGUMENTS="$arguments" $variables "${@:2}" \
            bash "$script" >"$log" 2>&1 || code=$?
    fi
    echo "$code" >"$QUEUE/ended.$number"
}

# ---- the chain ----
cp "$house/tests/kernel/golden/vessel.pgm" image.pgm
bash "$house/jobs/pbs/scow.sh" submit -i image.pgm -o out.h5 -N 1 -T 3 -- --quick --block 32 --algorithm reference >said
[[ $(cat said) == "calibrate 1, plan 2, which submits the run and its report: out.h5, out.report.html" ]] || fail "$(cat said)"
# The plan's job is still running when the others come to wait for it.
echo 0 >"$QUEUE/ended.2"
for job in 1 2 3 4; do
    job_run $job
    [[ $code == 0 ]] || fail "job $job ended with $code"
done
scow show out.h5 --check -q || fail "the run is not complete"
[[ -s out.report.html ]] || fail "no report"
grep -qx 'select=1:ncpus=3:mpiprocs=3:ompthreads=1' "$QUEUE/asked" || fail "asked for: $(cat "$QUEUE/asked")"
grep -Eqx 'select=1:ncpus=3:mpiprocs=3:ompthreads=1:mem=[0-9]+mb' "$QUEUE/asked" || fail "asked for: $(cat "$QUEUE/asked")"
grep -Eqx 'walltime=00:0[0-9]:00' "$QUEUE/asked" || fail "asked for: $(cat "$QUEUE/asked")"

# ---- a calibration that fails, and what depends on it ----
rm -f "$QUEUE"/*
bash "$house/jobs/pbs/scow.sh" submit -i missing.pgm -o none.h5 -N 1 -T 3 >said
job_run 1
[[ $code == 4 ]] || fail "an input that is missing: $code"
job_run 2
[[ $code == 99 && ! -e $QUEUE/job.3 ]] || fail "went on without a calibration"

# ---- time is over, and there is more of it later ----
rm -f "$QUEUE"/*
cat >profile.json <<'END'
{"schema": "scow-profile-1", "kernel": "sleep", "settings": [{"windows": [{"tasks": [1, 1000],
 "envelope": {"latency_s": 1e-6, "s_per_task": 0}, "send": {"latency_s": 1e-6, "s_per_task": 0},
 "workers": [{"count": 2, "receive": {"latency_s": 0, "s_per_task": 0}, "compute": {"latency_s": 0, "s_per_task": 0.3}}]}]}]}
END
sed 's/0\.3/0.001/' profile.json >fast.json
cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "sleep", "scheduler": "by hand", "tasks": 240, "workers": [0, 1], "rounds": [{"repeat": 120, "loads": [1, 1]}]}
END
cp profile.json now.json
SCOW_ARGUMENTS='plan.json slept.h5 -p now.json' qsub -V "$house/jobs/pbs/run.pbs" >/dev/null
job_run 1 SCOW_STOP_AFTER=6
[[ $code == 75 && $(cat "$QUEUE/again") == 1 ]] || fail "out of time: $code, queued again: $(cat "$QUEUE/again")"
cp fast.json now.json
job_run 1
[[ $code == 0 ]] || fail "with more time: $code"
scow show slept.h5 --check -q || fail "the resumed run is not complete"

# ---- everybody is killed: back into the queue, once something has been done ----
rm -f "${QUEUE:?}"/*
cp profile.json now.json
SCOW_ARGUMENTS='plan.json killed.h5 -p now.json' qsub -V "$house/jobs/pbs/run.pbs" >/dev/null
job_run 1 SCOW_LAUNCH=short
[[ $code == 75 && $(cat "$QUEUE/again") == 1 ]] || fail "killed: $code, queued again: $(cat "$QUEUE/again")"
cp fast.json now.json
job_run 1
[[ $code == 0 ]] || fail "after everybody was killed: $code"
scow show killed.h5 --check -q || fail "the run whose ranks were killed is not complete"
echo "pbs done"
