#!/usr/bin/env bash
# Nothing is begun that would not end in time: the run stops by itself, says how to go on, and does.
# usage: run_until.sh SCOW MPIEXEC HASTY
set -euo pipefail
scow=$1 mpiexec=$2 hasty=$3
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
unset SLURM_JOB_ID SLURM_JOB_END_TIME PBS_JOBID
export OMP_NUM_THREADS=1
# What is preloaded stands before a sanitiser's library.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0

# shellcheck source=tests/spmd/faults.sh
source "$here/faults.sh"

cat >profile.json <<'END'
{"schema": "scow-profile-1", "kernel": "sleep", "settings": [{"windows": [{"tasks": [1, 1000],
   "envelope": {"latency_s": 1e-4, "s_per_task": 0}, "send": {"latency_s": 0, "s_per_task": 0},
   "workers": [{"count": 2, "receive": {"latency_s": 0, "s_per_task": 0},
                "compute": {"latency_s": 0, "s_per_task": 2e-2}}]}]}]}
END
cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "sleep", "scheduler": "by hand", "tasks": 1000,
 "workers": [0, 1], "rounds": [{"repeat": 10, "loads": [50, 50]}]}
END
# How fast what is left is done does not matter; and what is asked to stop or killed shall not be over before, however long
# it takes here to look at it.
sed 's/2e-2/1e-3/' profile.json >fast.json
sed 's/2e-2/4e-3/' profile.json >brisk.json
sed 's/2e-2/2/' profile.json >slow.json

# try CODE OPTION...: what it says is in `said`. Ranks may take long to begin (hasty.c): the time of --until is for work.
try() {
    local wanted=$1 code=0
    shift
    timeout 400 "$mpiexec" -n 3 env LD_PRELOAD="$hasty" DAY_STANDS=1 "$scow" run plan.json -p "${profile:-profile.json}" -q "$@" >said 2>&1 || code=$?
    ((code == wanted)) || fail "exit code $code, not $wanted: $(cat said)"
}

# 500 tasks of each worker need 10 s: packages of a second, and what fits of the last.
try 75 -o out.h5 --until 3.5s
grep -q "^scow run: out.h5: --until ends this run too soon for what is left, with [0-9]* of 1000 core tasks done: run the same again with --resume to go on" said ||
    fail "$(cat said)"
done=$(sed -n 's/.* with \([0-9]*\) of 1000 .*/\1/p' said)
((done > 0 && done <= 250)) || fail "$done core tasks in 2.5 s"
"$scow" show out.h5 --live >said
grep -q "^run  *out.h5: stopped" said || fail "$(cat said)"
grep -q "^done  *$done of 1000 core tasks" said || fail "$(cat said)"
"$scow" show out.h5 | grep -q "^ended  *stopped because time ran out, as --until says" || fail "$("$scow" show out.h5)"
# A counter is at its end then, what still fits is handed out, and the rest is counted anew.
profile=brisk.json try 75 -o counted.h5 -s fac --dca --until 2.2s
done=$(sed -n 's/.* with \([0-9]*\) of 1000 .*/\1/p' said)
((done > 0 && done <= 600)) || fail "$done core tasks by a counter in 1.2 s: $(cat said)"
profile=fast.json try 0 -o counted.h5 -s fac --dca --resume
grep -q "^counted.h5: 1000 core tasks, $done of them done before, the others in " said || fail "$(cat said)"
# Likewise where the ranks are asked. While it goes on, it is seen from elsewhere.
profile=slow.json try 75 -o "$PWD/asked.h5" -s ss --dca &
stopping=$!
until [[ -s asked.h5.status ]]; do sleep 0.05; done
"$scow" show asked.h5 --live --json >live.json
/usr/bin/python3 - <<'END' || fail "$(cat live.json)"
import json
live = json.load(open("live.json"))
assert live["state"] == "running" and live["tasks"] == 1000 and live["workers"] == 2, live
END
ranks_stop asked.h5 3
wait "$stopping" || fail "$(cat said)"
done=$(sed -n 's/.*asked.h5: stopped as asked, with \([0-9]*\) of 1000 .*/\1/p' said)
((done < 1000)) || fail "asked to stop, it says $(cat said)"
profile=fast.json try 0 -o "$PWD/asked.h5" -s ss --dca --resume
grep -q "asked.h5: 1000 core tasks, $done of them done before, the others in " said || fail "$(cat said)"
export SLURM_JOB_ID=1 SLURM_JOB_END_TIME=$(($(date +%s) + 100))
profile=fast.json try 0 -o out.h5 --resume
unset SLURM_JOB_ID SLURM_JOB_END_TIME
[[ ! -e out.h5.status ]] || fail "complete, and its status is still there"
"$scow" show out.h5 --live | grep -q "^run  *out.h5: finished" || fail "$("$scow" show out.h5 --live)"
"$scow" report out.h5 | grep -q "^  part 1 .*, stopped because time ran out, as --until says$" || fail "$("$scow" report out.h5)"
[[ $("$scow" show out.h5 | sed -n 's/^done *//p') == "1000 of 1000 core tasks" ]] || fail "$("$scow" show out.h5)"

# Not even one. And that nobody can see it from elsewhere is no reason to fail.
mkdir none.h5.status.new
try 75 -o none.h5 --until 1.01
grep -q "^scow run: none.h5: --until ends this run too soon for a single core task, with 0 of 1000 done: ask for more time, and run the same again with --resume" said ||
    fail "$(cat said)"
grep -q "^scow run: none.h5.status: cannot be written (Is a directory): the run goes on without it" said || fail "$(cat said)"

# Killed, it is said to be gone at once.
timeout 400 "$mpiexec" -n 3 "$scow" run plan.json -p slow.json -o gone.h5 >said 2>&1 &
until [[ -s gone.h5.status ]]; do sleep 0.1; done
kill -9 "$(sed -n 's/.*"master_pid": \([0-9]*\).*/\1/p' gone.h5.status)"
wait $! && fail "killed, and nothing said"
"$scow" show gone.h5 --live >said
grep -q "^run  *gone.h5: gone" said || fail "$(cat said)"
"$scow" show gone.h5 --live --json | grep -q '"gone": true' || fail "not gone for programs"

try 2 -o other.h5 --until soon
[[ $(cat said) == "scow run: --until soon: is neither a duration (2h, 1h30m, 45s) nor a time (18:30, 2026-11-23T18:30) nor none" ]] || fail "$(cat said)"
echo "run until: done"
