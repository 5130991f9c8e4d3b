#!/usr/bin/env bash
# Random faults at random moments of batch jobs on a virtual cluster: a rank is killed, stopped or
# stopped for a while, a whole node is gone (not the one that the job's script is on) with all that Slurm
# has there, or a disk is full. Each job ends with the checksum of a run that nobody
# disturbed: by itself, after it has queued itself again, or, where it has ended cleanly with a file
# that can be gone on with, submitted once more. Nothing is left running. SEED repeats a sequence.
# FAULT="killed worker" does one kind only, VERBOSE=1 shows what each job said.
# usage: faults.sh BIN MPIEXEC FULL_DISK [RUNS]
set -euo pipefail
shim=$(realpath "$3") runs=${4:-20}
CLUSTER_PATIENCE=5
# shellcheck source=tests/slurm/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
seed=${SEED:-$RANDOM}
echo "seed $seed"
RANDOM=$seed

tasks=1400
cat >profile.json <<'END_PROFILE'
{"schema": "scow-profile-1", "kernel": "sleep", "settings": [{"windows": [{"tasks": [1, 1000],
 "envelope": {"latency_s": 1e-6, "s_per_task": 0}, "send": {"latency_s": 1e-6, "s_per_task": 0},
 "workers": [{"count": 7, "receive": {"latency_s": 0, "s_per_task": 0}, "compute": {"latency_s": 0, "s_per_task": 0.03}}]}]}]}
END_PROFILE
cat >plan.json <<END_PLAN
{"schema": "scow-plan-1", "kernel": "sleep", "scheduler": "by hand", "tasks": $tasks, "workers": [0, 1, 2, 3, 4, 5, 6],
 "rounds": [{"repeat": 50, "loads": [4, 4, 4, 4, 4, 4, 4]}]}
END_PLAN
"$mpiexec" -n 8 scow run plan.json -p profile.json -o whole.h5 -q >/dev/null 2>&1
expected=$(checksum_of whole.h5)

usual="srun --no-kill --kill-on-bad-exit=0"

# submit LAUNCHER: prints the job's number.
submit() {
    SCOW_LAUNCH=$1 sbatch --parsable --nodes=4 --ntasks-per-node=2 --time=10 --output=part.log \
        "$house/jobs/run.sbatch" plan.json part.h5 -p profile.json --patience 4
}

done_of() {
    local count
    count=$(scow show part.h5 2>/dev/null | sed -n 's/^done *\([0-9]*\) of .*/\1/p') || true
    echo "${count:-0}"
}

has_ended() { # JOB
    case $(job_say "$1" JobState) in
    COMPLETED | FAILED | CANCELLED | NODE_FAIL | TIMEOUT) return 0 ;;
    *) return 1 ;;
    esac
}

is_scow() { # PROCESS
    [[ /proc/$1/exe -ef $bin/scow-run ]]
}

parent_of() { # PROCESS
    local parent=''
    read -r _ _ _ parent _ 2>/dev/null <"/proc/$1/stat" || true
    echo "$parent"
}

# ranks: "PROCESS RANK NODE" of those that are there, not of what they have forked. In few processes, for
# the job goes on meanwhile.
ranks() {
    local process parent entry rank node
    for process in $(pgrep -x scow-run || true); do
        [[ /proc/$process/cwd -ef $PWD ]] || continue
        rank='' node=''
        while IFS= read -r -d '' entry; do
            case $entry in
            PMI_RANK=*) rank=${entry#*=} ;;
            SLURMD_NODENAME=*) node=${entry#*=} ;;
            esac
        done <"/proc/$process/environ"
        parent=$(parent_of "$process")
        [[ -z $rank || -z $parent ]] || is_scow "$parent" || echo "$process $rank $node"
    done 2>/dev/null
}

# What runs on a node without the job's script: Slurm's daemon, and the ranks with Slurm's process for them.
processes_of() { # NODE RANKS
    local process rank node
    cat "$dir/cluster/run/slurmd-$1.pid"
    while read -r process rank node; do
        [[ $node != "$1" ]] || { echo "$process" && parent_of "$process"; }
    done <<<"$2"
}

# kill_them SIGNAL PROCESS...: as many as are still there.
kill_them() {
    kill -"$1" "${@:2}" 2>/dev/null || true
}

# disturb FAULT RANK: the job that is running. Of what is gone, nothing is hurt.
disturb() {
    local process rank node victim='' where='' gone=() there
    there=$(ranks)
    while read -r process rank node; do
        [[ $rank != "$2" ]] || victim=$process where=$node
    done <<<"$there"
    [[ -z $victim || $1 != node ]] || mapfile -t gone < <(processes_of "$where" "$there" | sort -u)
    if [[ -z $victim ]] || ! is_scow "$victim"; then
        late=', too late' lates=$((lates + 1))
        return
    fi
    case $1 in
    killed) kill_them KILL "$victim" ;;
    stopped) kill_them STOP "$victim" ;;
    paused)
        kill_them STOP "$victim"
        sleep "0.$((RANDOM % 10))"
        kill_them CONT "$victim"
        ;;
    node)
        kill_them KILL "${gone[@]}"
        broken=$where
        ;;
    esac
}

# A node that was gone comes back.
mend() {
    local try
    [[ -n $broken ]] || return 0
    slurmd -N "$broken"
    for ((try = 0; try < 300; try++)); do
        case $(sinfo -h -n "$broken" -o %T) in
        idle | allocated | mixed | completing) break ;;
        down*) scontrol update "NodeName=$broken" State=RESUME 2>/dev/null || true ;;
        esac
        sleep 0.1
    done
    broken=''
}

# conclude JOB: until it has ended; where it is back in the queue, it need not wait for long.
conclude() {
    local try seen=0 count
    for ((try = 0; try < 1200; try++)); do
        ! has_ended "$1" || return 0
        count=$(job_say "$1" Restarts)
        if ((count > seen)); then
            seen=$count
            mend
            scontrol update "JobId=$1" StartTime=now+4 2>/dev/null || seen=$((count - 1))
        fi
        sleep 0.1
    done
    fail "$what: job $1 does not end: $(job_say "$1" JobState) $(cat part.log)"
}

# Every kind once, then at random.
kinds=("killed worker" "stopped worker" "paused worker" "killed master" "node worker" "full-disk worker"
    "full-disk master" "full-disk workers")
survived=0 again=0 submitted=0 lates=0 broken=''
for ((run = 1; run <= runs; run++)); do
    kind=${FAULT:-${kinds[run <= ${#kinds[@]} ? run - 1 : RANDOM % ${#kinds[@]}]}}
    fault=${kind% *} rank=$((1 + RANDOM % 7)) at=$((RANDOM % (tasks / 3))) late=''
    case $kind in
    *master) rank=0 ;;
    *workers) rank=workers ;;
    "node worker") rank=$((2 + RANDOM % 6)) ;; # not beside the master
    esac
    what="run $run (seed $seed): $fault, rank $rank, at $at"
    rm -f part.h5 part.log
    launcher=$usual
    [[ $fault != full-disk ]] ||
        launcher+=" env LD_PRELOAD=$shim FULL_DISK_RANK=$rank FULL_DISK_AFTER=$([[ $rank == 0 ]] && echo $((RANDOM * 4)) || echo $((RANDOM % 200)))"
    job=$(submit "$launcher")
    while ! has_ended "$job" && { [[ ! -s part.h5 ]] || (($(done_of) < at)); }; do sleep 0.05; done
    [[ $fault == full-disk ]] || disturb "$fault" "$rank"
    conclude "$job"
    mend
    how=survived
    (($(job_say "$job" Restarts) == 0)) || how="queued again"
    if [[ $(job_say "$job" JobState) != COMPLETED ]]; then
        code=75
        [[ ! -e part.h5 ]] || scow show part.h5 --check -q 2>said || code=$?
        ((code == 75)) || fail "$what: not to be gone on with ($code): $(cat said part.log)"
        how="submitted again, $(done_of) done"
        conclude "$(submit "$usual")"
    fi
    queue_drain 60
    [[ $(state_of scow-run) == "COMPLETED 0" ]] || fail "$what: $(state_of scow-run): $(cat part.log)"
    [[ $(checksum_of part.h5) == "$expected" ]] || fail "$what: not the checksum of an undisturbed run: $(cat part.log)"
    scow show part.h5 --check -q || fail "$what: not complete"
    nothing_left
    case $how in
    survived) survived=$((survived + 1)) ;;
    queued*) again=$((again + 1)) ;;
    *) submitted=$((submitted + 1)) ;;
    esac
    echo "run $run: $fault, rank $rank, at $at of $tasks$late: $how"
    [[ -z ${VERBOSE:-} ]] || cat part.log
done
echo "$runs jobs with a fault each: $survived reached their end, $again queued themselves again," \
    "$submitted were submitted again; $lates faults came too late"
