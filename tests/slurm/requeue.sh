#!/usr/bin/env bash
# A job that is warned before its time is over goes back into the queue and ends with the checksum of
# a run that nobody disturbed; so does one that is asked to stop at any other moment.
# SEED repeats a sequence.
# usage: requeue.sh BIN MPIEXEC
set -euo pipefail
# shellcheck source=tests/slurm/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
seed=${SEED:-$RANDOM}
echo "seed $seed"
RANDOM=$seed

# profile SECONDS: of a core task that sleeps so long, on seven workers.
profile() {
    cat <<END
{"schema": "scow-profile-1", "kernel": "sleep", "settings": [{"windows": [{"tasks": [1, 1000],
 "envelope": {"latency_s": 1e-6, "s_per_task": 0}, "send": {"latency_s": 1e-6, "s_per_task": 0},
 "workers": [{"count": 7, "receive": {"latency_s": 0, "s_per_task": 0}, "compute": {"latency_s": 0, "s_per_task": $1}}]}]}]}
END
}
profile 0.1 >slow.json
profile 0.03 >middling.json
profile 0.0001 >fast.json
# A minute on seven workers that are slow.
cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "sleep", "scheduler": "by hand", "tasks": 4200, "workers": [0, 1, 2, 3, 4, 5, 6],
 "rounds": [{"repeat": 150, "loads": [4, 4, 4, 4, 4, 4, 4]}]}
END
"$mpiexec" -n 8 scow run plan.json -p fast.json -o whole.h5 -q >/dev/null 2>&1
expected=$(checksum_of whole.h5)

# submit NAME PROFILE OPTION OF sbatch...: prints the job's number.
submit() {
    sbatch --parsable --nodes=4 --ntasks-per-node=2 --output="$1.log" "${@:3}" "$house/jobs/run.sbatch" \
        plan.json "$1.h5" -p "$2.json"
}

done_of() {
    local count
    count=$(scow show "$1" 2>/dev/null | sed -n 's/^done *\([0-9]*\) of .*/\1/p') || true
    echo "${count:-0}"
}

# while_done FILE COUNT: wait until more core tasks than that are done.
while_done() {
    local try
    for ((try = 0; try < 600; try++)); do
        (($(done_of "$1") <= $2)) || return 0
        sleep 0.1
    done
    fail "$1 does not get beyond $2 core tasks"
}

# start_again JOB: Slurm lets a job that goes back into the queue wait for two minutes, so that its nodes
# can forget it; here they have in seconds.
start_again() {
    scontrol update "JobId=$1" StartTime=now+4
}

# completed JOB NAME RESTARTS: it ended well, after so many times in the queue or more.
completed() {
    [[ $(state_of scow-run) == "COMPLETED 0" ]] || fail "$2: $(state_of scow-run)"
    (($(job_say "$1" Restarts) >= $3)) || fail "$2: was never queued again"
    [[ $(checksum_of "$2.h5") == "$expected" ]] || fail "$2: not the checksum of an undisturbed run"
    scow show "$2.h5" --check -q || fail "$2: not complete"
    nothing_left
}

# ---- the walltime: Slurm warns after 10 to 40 s, and the second time there is enough ----
job=$(submit limit slow --time=2 --signal=B:USR1@80)
sbatch --dependency="afterok:$job" --kill-on-invalid-dep=yes --output=limit.report.log "$house/jobs/report.sbatch" limit.h5 >/dev/null
for ((try = 0; try < 900; try++)); do
    (($(job_say "$job" Restarts) == 0)) || break
    sleep 0.1
done
(($(job_say "$job" Restarts) == 1)) || fail "not back in the queue before its time was over"
scontrol update "JobId=$job" TimeLimit=10
start_again "$job"
queue_drain 120
completed "$job" limit 1
[[ $(state_of scow-report) == "COMPLETED 0" ]] || fail "the report behind it: $(state_of scow-report)"
grep -Eq '^run.sbatch: warned with [0-9]+ core tasks done' limit.log || fail "the log does not say why: $(cat limit.log)"

# ---- a warning at any moment, to a launcher that ends with 0 whatever happened ----
cat >lying <<END
#!/usr/bin/env bash
trap 'kill -USR1 \$launcher' USR1
$mpiexec "\$@" &
launcher=\$!
wait
wait
exit 0
END
chmod +x lying
job=$(SCOW_LAUNCH=./lying submit any middling --time=10)
done=0
for restart in 1 2 3; do
    while_done any.h5 "$done"
    sleep "0.$((RANDOM % 10))"
    scancel --batch --signal=USR1 "$job"
    for ((try = 0; try < 300; try++)); do
        (($(job_say "$job" Restarts) < restart)) || break
        sleep 0.1
    done
    done=$(done_of any.h5)
    (($(job_say "$job" Restarts) == restart)) || fail "asked to stop at $done, but not back in the queue"
    # It asks for what the rest needs.
    time=$(scow plan --resume any.h5 --sbatch | sed -n 's/^#SBATCH --time=//p')
    for ((try = 0; try < 50; try++)); do
        [[ $(job_say "$job" TimeLimit) != "$time" ]] || break
        sleep 0.1
    done
    [[ $time && $(job_say "$job" TimeLimit) == "$time" && $time < 00:10:00 ]] ||
        fail "asks for $(job_say "$job" TimeLimit), and the rest needs '$time'"
    start_again "$job"
done
queue_drain 120
completed "$job" any 3

# ---- taken away by somebody else, as a preemption does; cancelled, and submitted again ----
job=$(submit taken middling --time=10)
while_done taken.h5 0
scontrol requeue "$job"
start_again "$job"
while_done taken.h5 "$(done_of taken.h5)"
queue_drain 120
completed "$job" taken 1
job=$(submit cancelled middling --time=10)
while_done cancelled.h5 0
scancel "$job"
queue_drain 60
[[ $(state_of scow-run) == CANCELLED* ]] || fail "a job that its user cancels: $(state_of scow-run)"
done=$(done_of cancelled.h5)
((done > 0 && done < 4200)) || fail "cancelled at $done"
job=$(submit cancelled fast --time=10)
queue_drain 120
completed "$job" cancelled 0
grep -Eq "^cancelled.h5: 4200 core tasks, $done of them done before" cancelled.log || fail "began anew: $(cat cancelled.log)"

# ---- warned when nothing is done: an end, not a circle ----
cat >idle <<'END'
#!/usr/bin/env bash
trap 'exit 0' USR1
touch idles
while :; do sleep 0.1; done
END
chmod +x idle
job=$(SCOW_LAUNCH=./idle submit never fast --time=10)
for ((try = 0; try < 300; try++)); do
    [[ ! -e idles ]] || break
    sleep 0.1
done
scancel --batch --signal=USR1 "$job"
queue_drain 60
[[ $(state_of scow-run) == "FAILED 75" ]] || fail "nothing done: $(state_of scow-run)"
grep -q 'warned before a single core task was done: ask for more time' never.log || fail "never: $(cat never.log)"

# ---- a failure is a failure, not something to begin again ----
sed -i 's/"by hand"/"by another hand"/' plan.json
job=$(submit any fast --time=10)
queue_drain 60
[[ $(state_of scow-run) == "FAILED 4" ]] || fail "another plan: $(state_of scow-run)"
echo "requeue done"
