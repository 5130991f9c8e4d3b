#!/usr/bin/env bash
# Workers that are killed or stopped while a run goes on: others do what they had, the result is that
# of an undisturbed run, the report names the loss, and nothing is left running. Without the master
# everybody leaves, and the run can be gone on with.
# usage: run_lost.sh SCOW MPIEXEC IMAGE
set -euo pipefail
scow=$1 mpiexec=$2 image=$3
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'pkill -KILL -f -- "-o $dir/" || true; rm -rf "$dir"' EXIT
cd "$dir"
# shellcheck source=tests/spmd/faults.sh
source "$here/faults.sh"

whole() { # the checksum of an undisturbed run
    start whole.h5
    end whole.h5
    expected=$(checksum_of whole.h5)
    [[ $expected =~ ^[0-9a-f]{16}$ ]] || fail "whole: $(cat whole.h5.said)"
    grep -q lost whole.h5.said && fail "a run that nobody disturbed names a loss: $(cat whole.h5.said)"
    rm -f whole.h5
}

# hit SIGNAL RANK... OPTION...: a run whose ranks get the signal once some core tasks are done. On a
# machine that was busy elsewhere one that sleeps may be over before: then twice as slowly.
hit() {
    local signal=$1 ranks=() rank victims attempt
    shift
    while [[ ${1:-} == [0-9] ]]; do ranks+=("$1") && shift; done
    cp profile.json kept.json
    for ((attempt = 0; attempt < 10; attempt++)); do
        cp kept.json profile.json
        job_slow $((1 << attempt))
        rm -f part.h5
        start part.h5 --patience 5 "$@"
        gather part.h5 || true
        reach part.h5 5
        victims=()
        for rank in "${ranks[@]}"; do victims+=("${processes[rank]:-0}"); done
        # Held, the master cannot end the run under our hands.
        if [[ " ${victims[*]} " != *" 0 "* ]] && kill -STOP "${processes[0]}" 2>/dev/null &&
            kill -0 "${victims[@]}" 2>/dev/null && kill -"$signal" "${victims[@]}" 2>/dev/null; then
            kill -CONT "${processes[0]}" 2>/dev/null || true
            end part.h5
            mv kept.json profile.json
            return
        fi
        kill -CONT "${processes[0]:-$launcher}" 2>/dev/null || true
        end part.h5
    done
    fail "10 runs were over before anybody could be lost"
}

# Where several of its proxies are gone at a time, MPICH's launcher may end before it has passed on
# what was said; but then nothing else was.
says() { # SENTENCE
    grep -q "$1" part.h5.said || [[ ! -s part.h5.said ]] || grep -q HYD part.h5.said ||
        fail "'$1' is not said: $(cat part.h5.said)"
}

# lose SIGNAL RANK NAME OPTION...: that rank gets the signal; the run goes on.
lose() {
    local signal=$1 rank=$2 name=$3
    shift 3
    hit "$signal" "$rank" "$@"
    [[ $(checksum_of part.h5) == "$expected" ]] || fail "$name: not the checksum $expected: $(cat part.h5.said)"
    grep -q "^scow run: rank $rank is lost: " part.h5.said || fail "$name: says of no loss: $(cat part.h5.said)"
    "$scow" report part.h5 --json >report.json || fail "$name: no report"
    "$scow" report part.h5 >report.txt
    grep -q "^lost  *rank $rank after " report.txt || fail "$name: the report says of no loss: $(head report.txt)"
    /usr/bin/python3 - "$rank" <<'END' || fail "$name: the report is not what it should be"
import json, sys
report = json.load(open("report.json"))
assert report["complete"], report
assert sys.argv[1] in [str(loss["worker"] + 1) for loss in report["lost_workers"]], report["lost_workers"]
assert all(loss["why"] for loss in report["lost_workers"])
END
    echo "$name: $(grep -c 'is lost' part.h5.said) lost"
}

job_make sleep
whole
lose KILL 2 "killed"
lose STOP 1 "stopped"
lose KILL 3 "killed, by a rule" -s fac
lose KILL 1 "killed, by a rule that learns" -s awf-b
lose KILL 2 "killed, by a rule in phases" -s monitor
lose KILL 2 "killed, watched and dealt at its end" --replan 30% --tail fac:20%

# Two workers are all that the plan needs: the third takes over.
sed -i 's/"workers": \[0, 1, 2\].*/"workers": [0, 1], "rounds": [{"repeat": 30, "loads": [5, 5]}]}/' plan.json
whole
lose KILL 1 "killed, with a spare one"

job_make grid
whole
lose KILL 2 "killed, a grid"
lose STOP 3 "stopped, a grid"
job_make reduction
whole
lose KILL 1 "killed, a reduction"

# All workers: the master keeps what there is.
job_make sleep
whole
hit KILL 1 2 3
says 'no worker is left; what is done is kept: run the same again with --resume'
is_complete part.h5 && fail "a run without workers is complete"
start part.h5 --resume
end part.h5
[[ $(checksum_of part.h5) == "$expected" ]] || fail "resumed without its workers: $(cat part.h5.said)"

# The master: workers leave, and the same again goes on.
hit KILL 0
says 'the master is gone; what is done is kept: run the same again with --resume'
start part.h5 --resume
end part.h5
[[ $(checksum_of part.h5) == "$expected" ]] || fail "resumed without its master: $(cat part.h5.said)"

code=0
"$mpiexec" -n 2 "$scow" run plan.json "${options[@]}" -o none.h5 --patience 0 2>said || code=$?
[[ $code == 2 && $(cat said) == "scow run: --patience is in seconds, above 0" ]] || fail "$code: $(cat said)"
echo "run lost: done"
