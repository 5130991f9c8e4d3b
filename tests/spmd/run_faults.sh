#!/usr/bin/env bash
# Random faults at random moments: a rank is killed, stopped, stopped for a while, or finds its disk
# full. Each run ends with the checksum of an undisturbed one, or cleanly with a file that can be gone
# on with to that checksum; nothing is left running. SEED repeats a sequence.
# usage: run_faults.sh SCOW MPIEXEC IMAGE FULL_DISK [RUNS]
set -euo pipefail
scow=$1 mpiexec=$2 image=$3 shim=$4 runs=${5:-10}
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'pkill -KILL -f -- "-o $dir/" || true; rm -rf "$dir"' EXIT
cd "$dir"
# shellcheck source=tests/spmd/faults.sh
source "$here/faults.sh"
seed=${SEED:-$RANDOM}
echo "seed $seed"
RANDOM=$seed
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
echo 'leak:libhdf5' >leaks
export LSAN_OPTIONS=suppressions=$dir/leaks:print_suppressions=0

declare -A whole tasks=([sleep]=300 [grid]=192 [reduction]=196)
for job in sleep grid reduction; do
    job_make $job
    start whole.h5
    end whole.h5
    whole[$job]=$(checksum_of whole.h5)
    [[ ${whole[$job]} =~ ^[0-9a-f]{16}$ ]] || fail "$job: $(cat whole.h5.said)"
    rm -f whole.h5
done

# disturb FAULT RANK: the run that is going on.
disturb() {
    local victim=${processes[$2]:-}
    if [[ -z $victim ]] || ! is_scow "$victim"; then
        late=$((late + 1))
        return
    fi
    case $1 in
    killed) kill -KILL "$victim" 2>/dev/null || true ;;
    stopped) kill -STOP "$victim" 2>/dev/null || true ;;
    paused)
        kill -STOP "$victim" 2>/dev/null || true
        sleep "0.$((RANDOM % 10))"
        kill -CONT "$victim" 2>/dev/null || true
        ;;
    esac
}

survived=0 resumed=0 late=0
for ((run = 1; run <= runs; run++)); do
    jobs=(sleep grid reduction) faults=(killed stopped paused "full disk")
    job=${jobs[RANDOM % 3]} fault=${faults[RANDOM % 4]} rank=$((RANDOM % 4))
    # A stopped master stops the run, which is no fault: batch systems do that.
    [[ $fault != stopped || $rank != 0 ]] || fault=paused
    at=$((RANDOM % ${tasks[$job]}))
    job_make "$job"
    behind=""
    ((RANDOM % 2)) || { job_behind && behind=" behind"; }
    rm -f part.h5
    command=()
    [[ $fault != "full disk" ]] ||
        command=(env LD_PRELOAD="$shim" FULL_DISK_RANK="$rank" FULL_DISK_AFTER=$((RANDOM * 3)))
    start part.h5 --patience 4
    # From the output's being there: what comes before is the launcher's.
    while [[ ! -s part.h5 ]] && kill -0 "$launcher" 2>/dev/null; do sleep 0.01; done
    gather part.h5 || true
    reach part.h5 $at
    [[ $fault == "full disk" ]] || disturb "$fault" $rank
    end part.h5
    command=()
    how="whole"
    if [[ $(checksum_of part.h5) != "${whole[$job]}" ]]; then
        how="resumed, $(done_of part.h5) done"
        ! { [[ -s part.h5 ]] && is_complete part.h5 && [[ -n $(checksum_of part.h5) ]]; } ||
            fail "run $run (seed $seed): $job$behind, $fault rank $rank at $at: another checksum: $(cat part.h5.said)"
        start part.h5 --resume
        end part.h5
        resumed=$((resumed + 1))
    else
        is_complete part.h5 || fail "run $run (seed $seed): it is not complete: $(cat part.h5.said)"
        survived=$((survived + 1))
    fi
    echo "run $run: $job$behind, rank $rank $fault at $at of ${tasks[$job]}: $how"
    [[ $(checksum_of part.h5) == "${whole[$job]}" ]] ||
        fail "run $run (seed $seed): $job$behind, rank $rank $fault at $at: not the checksum ${whole[$job]}: $(cat part.h5.said)"
done
echo "$runs runs with a fault each: $survived reached their end, $resumed were gone on with; $late faults came too late"
