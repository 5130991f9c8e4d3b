#!/usr/bin/env bash
# Real kills of real processes; tests/faults simulates all others. A worker that is killed in the middle of its work:
# others do what it had, the result is that of an undisturbed run, the report names the loss. Without any worker,
# or without the master, everybody leaves, and the run can be gone on with. Nothing is left running.
# usage: run_lost.sh SCOW MPIEXEC IMAGE GATE
set -euo pipefail
scow=$1 mpiexec=$2 image=$3 gate=$4
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'pkill -KILL -f -- "-o $dir/" || true; rm -rf "$dir"' EXIT
cd "$dir"
# shellcheck source=tests/spmd/faults.sh
source "$here/faults.sh"
# What is preloaded stands before a sanitiser's library.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0

# hit SIGNAL RANK...: a run whose ranks get the signal when some core tasks are done.
hit() {
    local signal=$1 rank victims=()
    shift
    rm -f part.h5
    gate_start part.h5
    gate_await part.h5
    reach part.h5 1 # the master may get to it late
    for rank in "$@"; do victims+=("${processes[$rank]}"); done
    kill -"$signal" "${victims[@]}"
    gate_open
    end part.h5
}

# Where several of its proxies are gone at a time, MPICH's launcher may end before it has passed on
# what was said; but then nothing else was.
says() { # SENTENCE
    grep -q "$1" part.h5.said || [[ ! -s part.h5.said ]] || grep -q HYD part.h5.said ||
        fail "'$1' is not said: $(cat part.h5.said)"
}

resume() { # NAME
    is_complete part.h5 && fail "$1: the run is complete"
    (($(done_of part.h5) > 0)) || fail "$1: nothing is kept"
    start part.h5 --resume
    end part.h5
    [[ $(checksum_of part.h5) == "$expected" ]] || fail "$1, resumed: not the checksum $expected: $(cat part.h5.said)"
    echo "$1: done"
}

job_make sleep
start whole.h5
end whole.h5
expected=$(checksum_of whole.h5)
[[ $expected =~ ^[0-9a-f]{16}$ ]] || fail "whole: $(cat whole.h5.said)"
grep -q lost whole.h5.said && fail "a run that nobody disturbed names a loss: $(cat whole.h5.said)"

hit KILL 2
[[ $(checksum_of part.h5) == "$expected" ]] || fail "a worker: not the checksum $expected: $(cat part.h5.said)"
grep -q "^scow run: worker 2 is lost: " part.h5.said || fail "a worker: says of no loss: $(cat part.h5.said)"
"$scow" report part.h5 --json >report.json || fail "a worker: no report"
"$scow" report part.h5 >report.txt
grep -q "^lost  *worker 2 after " report.txt || fail "a worker: the report says of no loss: $(head report.txt)"
/usr/bin/python3 - <<'END' || fail "a worker: the report is not what it should be"
import json
report = json.load(open("report.json"))
assert report["complete"], report
assert [loss["worker"] for loss in report["lost_workers"]] == [1], report["lost_workers"]
assert all(loss["why"] for loss in report["lost_workers"])
END
echo "a worker: done"

# One that is stopped: the others do what it has, too, and nobody waits out the minute of --patience.
hit STOP 2
[[ $(checksum_of part.h5) == "$expected" ]] || fail "stopped: not the checksum $expected: $(cat part.h5.said)"
grep -q "^scow run: worker 2 is lost: others have done what it had, and it does not answer; " part.h5.said ||
    fail "stopped: says of no loss: $(cat part.h5.said)"
"$scow" report part.h5 >report.txt
grep -q "^copies  *[1-9][0-9]* handed out for [1-9][0-9]* overdue packages*; [1-9][0-9]* done first by copies, [0-9]* by" \
    report.txt || fail "stopped: the report says of no copies: $(head report.txt)"
/usr/bin/python3 - <<'END' || fail "stopped: the output does not say what was copied"
import h5py, json
with h5py.File("part.h5") as file:
    copied = json.loads(file["run"].attrs["copied"] if "copied" in file["run"].attrs else file["run/copied"][()])
    worked = {int(row["package"]) for row in file["run/trace"][:] if row["rank"] > 0 and row["operation"] == 4}
# On a busy machine another one may have been late, too.
own = [row for row in copied if row["worker"] == 1]
assert own and all(row["counts"] == "copies" and row["package"] not in worked for row in own), copied
END
echo "a stopped worker: done"

hit KILL 1 2 3
says 'no worker is left; what is done is kept: run the same again with --resume'
resume "all workers"

hit KILL 0
says 'the master is gone; what is done is kept: run the same again with --resume'
resume "the master"

code=0
"$mpiexec" -n 2 "$scow" run plan.json "${options[@]}" -o none.h5 --patience 0 2>said || code=$?
[[ $code == 2 && $(cat said) == "scow run: --patience is in seconds, above 0" ]] || fail "$code: $(cat said)"
echo "run lost: done"
