#!/usr/bin/env bash
# Workers that come and go on a virtual cluster: two workers, a third joins at a third of the run, one is
# killed at two thirds; the run takes what simulate --joins says, within 10 %. Again, with the master's
# job killed and back: results and checksum of a run that nobody disturbed. And a job a chunk.
# usage: serve.sh BIN MPIEXEC
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0" | grep -v '^shellcheck ' && exit ;; esac
# shellcheck source=tests/slurm/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
export OMP_NUM_THREADS=1
[[ -x $bin/scow-serve ]] || {
    echo "this build has no ZeroMQ"
    exit 77
}
seq 1 300 >lines.txt
"$mpiexec" -n 4 scow calibrate -k command --command 'sleep 0.1; echo {}' -i lines.txt -o profile.json --quiet
scow plan -p profile.json -i lines.txt -o plan.json -q
"$mpiexec" -n 4 scow run plan.json -i lines.txt -o whole.h5 -q >/dev/null

# hand_in NAME COMMAND: a job of one processor; its number is in `job`.
hand_in() {
    job=$(sbatch --parsable -n 1 --job-name="$1" --output="$1.log" --wrap "$2")
}
# await FILE WORDS: until it says so; `at_s` is when.
await() {
    local try
    for ((try = 0; try < 3000; try++)); do
        at_s=$(date +%s.%N)
        if grep -q "$2" "$1" 2>/dev/null; then return 0; fi
        sleep 0.02
    done
    fail "$1: never says '$2'"
}
since() { awk -v a="$1" -v b="$2" 'BEGIN {printf "%.2f", b - a}'; }
until_s() { # SECONDS after `begun`
    sleep "$(awk -v a="$(date +%s.%N)" -v b="$begun" -v s="$1" 'BEGIN {d = b + s - a; print (d > 0 ? d : 0)}')"
}

# two_begin OUTPUT: a master's job, and two workers'.
two_begin() {
    hand_in "master" "exec scow serve plan.json -i lines.txt -o $1 --patience 5"
    master=$job
    for ((try = 0; try < 300; try++)); do
        [[ ! -s $1.access ]] || break
        sleep 0.1
    done
    hand_in first "exec scow work $1.access"
    first=$job
    hand_in second "exec scow work $1.access"
    await master.log "worker 1 joins"
    begun=$at_s
    await master.log "worker 2 joins"
    second_s=$(since "$begun" "$at_s")
}

# ---- as predicted ----
two_begin out.h5
until_s 5
hand_in third "exec scow work out.h5.access"
await master.log "worker 3 joins"
third_s=$(since "$begun" "$at_s")
until_s 10
scancel --signal=KILL --full "$first"
killed_s=$(since "$begun" "$(date +%s.%N)")
queue_drain 60
grep -q "core tasks in" master.log || fail "the run has not ended"
[[ $(checksum_of out.h5) == "$(checksum_of whole.h5)" ]] || fail "another checksum"
# Members are numbered as they joined: which of the first two was killed, the master has said.
gone_s=(- - -)
gone_s[$(sed -n 's/.*: worker \([12]\) \(leaves\|is lost\).*/\1/p' master.log | head -n 1)]=$killed_s
printf 'worker from_s until_s\n1 0 %s\n2 %s %s\n3 %s -\n' "${gone_s[1]}" "$second_s" "${gone_s[2]}" "$third_s" >joins.txt
predicted=$(scow simulate -p profile.json plan.json --replan 10% --joins joins.txt | sed -n 's/^makespan *\([0-9.]*\) s.*/\1/p')
measured=$(sed -n 's/.*core tasks in \([0-9.]*\) s.*/\1/p' master.log)
echo "two workers, a third after $third_s s, one killed after $killed_s s: predicted $predicted s, measured $measured s"
awk -v p="$predicted" -v m="$measured" 'BEGIN {exit !(m < 1.1 * p && m > 0.9 * p)}' || fail "off by more than 10 %"
nothing_left

# ---- the master's job is killed, and comes back ----
two_begin again.h5
until_s 4
scancel --signal=KILL --full "$master"
for ((try = 0; try < 100; try++)); do
    [[ $(job_say "$master" JobState) == RUNNING ]] || break
    sleep 0.1
done
hand_in back "exec scow serve plan.json -i lines.txt -o again.h5 --resume --patience 5"
hand_in third "exec scow work again.h5.access"
queue_drain 120
grep -q "of them done before, the others in" back.log || fail "the master did not go on: $(cat back.log)"
[[ $(checksum_of again.h5) == "$(checksum_of whole.h5)" ]] || fail "another checksum, the master having been killed"
scow show again.h5 --check >/dev/null || fail "--check does not hold"
nothing_left

# ---- workers that the master hands in ----
SCOW_SUBMIT="-n 1" scow serve plan.json -i lines.txt -o handed.h5 -q --listen "$(hostname)" --submit slurm -n 4 >handed.log 2>&1 ||
    fail "with workers that it hands in"
[[ $(checksum_of handed.h5) == "$(checksum_of whole.h5)" ]] || fail "another checksum of workers that were handed in"
queue_drain 30

# ---- a job a chunk ----
SCOW_SUBMIT="-n 1" scow serve plan.json -i lines.txt -o chunks.h5 --per-chunk -s fsc,k=40 -n 6 --submit slurm >chunks.log 2>&1 ||
    fail "in chunks"
[[ $(checksum_of chunks.h5) == "$(checksum_of whole.h5)" ]] || fail "another checksum in chunks"
grep -A 3 '^resource' chunks.log
scow serve plan.json -i lines.txt -o array.h5 --per-chunk -s gss,least=20 -n 4 >by_hand
last=$(sed -n 's/^sbatch --array=0-\([0-9]*\) .*/\1/p' by_hand)
sbatch -n 1 --array="0-$last" --output=array.log --wrap "scow chunk array.h5.parts \$SLURM_ARRAY_TASK_ID" >/dev/null
queue_drain 120
scow collect array.h5.parts -o array.h5 -q >/dev/null 2>&1 || fail "collecting an array"
[[ $(checksum_of array.h5) == "$(checksum_of whole.h5)" ]] || fail "another checksum of an array"
echo "serve: good"
