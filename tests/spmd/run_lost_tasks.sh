#!/usr/bin/env bash
# A core task that ends every worker that begins it costs two of them and then counts as failed, with
# its reason; all others are there. The same where the launcher ends all ranks with the first one, and
# the run is gone on with, and where nobody knows which of the ranks it was.
# usage: run_lost_tasks.sh SCOW MPIEXEC PLUGINS
set -euo pipefail
scow=$1 mpiexec=$2 plugins=$3 image=''
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'pkill -KILL -f -- "-o $dir/" || true; rm -rf "$dir"' EXIT
cd "$dir"
# shellcheck source=tests/spmd/faults.sh
source "$here/faults.sh"
# No crash report and no core of a death that is meant.
export UCX_HANDLE_ERRORS=none
ulimit -c 0

input=() options=(--patience 1)
job_deadly() { # FAULT
    cat >plan.json <<END
{"schema": "scow-plan-1", "kernel": "nonsense", "plugin": "$plugins/nonsense.so",
 "parameters": {"fault": "$1", "tasks": 60, "at": 17}, "scheduler": "by hand",
 "tasks": 60, "workers": [0, 1, 2], "rounds": [{"repeat": 4, "loads": [5, 5, 5]}]}
END
}

# done with all but core task 18, and says so.
check() { # NAME REASON
    [[ $(checksum_of out.h5) == "$expected" ]] || fail "$1: not the checksum $expected: $(cat out.h5.said)"
    grep -q "out.h5: 1 of 60 core tasks failed, all others are there; among them 18 (. workers were lost on it; the last one: $2)" \
        out.h5.said || fail "$1: $(cat out.h5.said)"
    [[ $("$scow" show out.h5 | sed -n 's/^done *//p') == "59 of 60 core tasks, 1 failed" ]] || fail "$1: $("$scow" show out.h5)"
    "$scow" show out.h5 --failed | grep -q "workers were lost on it; the last one: $2" || fail "$1: $("$scow" show out.h5 --failed)"
    [[ $("$scow" show out.h5 | sed -n 's/^result *//p') == 59 ]] || fail "$1: the reduction is of others: $("$scow" show out.h5)"
}

# together OPTION...: all ranks under one proxy, which ends them with the first.
together() {
    timeout 400 "$mpiexec" -n 4 "$scow" run plan.json -o out.h5 -q "$@" >out.h5.said 2>&1 || true
}

# What comes out where that core task is rejected in place of being deadly: the others' checksum.
job_deadly rejects-at
together
expected=$(checksum_of out.h5)
[[ $expected =~ ^[0-9a-f]{16}$ ]] || fail "rejected: $(cat out.h5.said)"

# Workers that survive each other: two are lost, the third does all the rest.
rm -f out.h5
job_deadly compute-dies
start out.h5
end out.h5
check "apart" "segmentation fault"
grep -q "^scow run: worker [123] was working on core task 18 (segmentation fault)" out.h5.said || fail "$(cat out.h5.said)"
# Going on does not begin it again, unless that is wanted.
together --resume
check "apart, resumed" "segmentation fault"

# In the first run the package, in the second the core task, and the third gets through.
rm -f out.h5
for run in 1 2; do
    together --resume
    "$scow" show out.h5 --check -q && fail "run $run: is complete"
done
together --resume
check "together" "segmentation fault"

# Nobody can say whose fault it was: two more runs, in which each suspect is alone, for it may have been
# somebody from outside.
rm -f out.h5
job_deadly compute-is-killed
for run in 1 2 3 4 5; do
    together --resume
    code=0
    "$scow" show out.h5 --check -q || code=$?
    ((code == 75)) || break
done
((run > 3)) || fail "run $run: complete"
check "together, killed" "killed, or silent"
together --resume --retry-lost
code=0
"$scow" show out.h5 --check -q || code=$?
((code == 75)) || fail "tried again, and nobody was lost: $(cat out.h5.said)"

code=0
"$mpiexec" -n 2 "$scow" run plan.json -o none.h5 --retry-lost 2>said || code=$?
[[ $code == 2 && $(cat said) == "scow run: --retry-lost is for going on with an output: add --resume" ]] || fail "$code: $(cat said)"
echo "run lost tasks: done"
