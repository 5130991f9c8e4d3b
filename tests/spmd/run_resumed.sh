#!/usr/bin/env bash
# A run whose ranks are all asked to stop in the middle of it, as at the end of a job's time, gone on with; then all
# killed; then gone on with by another number of workers: it ends as one that nobody disturbed, and on the way the
# file can be read and says truly what it holds. The disturbed runs write results behind computing where JOB ends so.
# usage: run_resumed.sh SCOW MPIEXEC IMAGE CHECK GATE (grid|records|reduction)[-behind]
set -euo pipefail
scow=$1 mpiexec=$2 image=$3 check=$4 gate=$5 job=${6%-behind} behind=${6#"${6%-behind}"}
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'pkill -KILL -f -- "-o $dir/" || true; rm -rf "$dir"' EXIT
cd "$dir"
# shellcheck source=tests/spmd/faults.sh
source "$here/faults.sh"
# What is preloaded stands before a sanitiser's library.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0

# All that must come out the same; records without what is measured.
results() {
    sed -n 's/.*\(checksum .*\)/\1/p; /^{/p' "$1.said"
    [[ $job == records ]] || return 0
    "$scow" show "$1" --joblog | cut -f 1,7-9
    for task in 1 7 60 120; do "$scow" show "$1" --task $task | sed '/^seconds\|^start\|^worker\|^peak_kib/d'; done
}

# checked NAME: a part ended in the middle; what the ledger calls done is there.
checked() {
    local count code=0
    count=$(done_of part.h5)
    "$scow" show part.h5 --check -q 2>said || code=$?
    ((code == 75)) || fail "$1: an unfinished run: exit code $code, and: $(cat said)"
    ((count > before)) || fail "$1: $count core tasks are done, as before"
    before=$count
    [[ $job == grid ]] || return 0
    [[ $("$check" whole.h5 part.h5 16 12) == "$count of 192 core tasks done, all right" ]] ||
        fail "$1: not the results of an undisturbed run"
    code=0
    "$scow" show part.h5 --png part.png 2>said || code=$?
    { ((code == 4)) && grep -q 'did not reach its end' said; } || fail "$1: a picture: exit code $code, and: $(cat said)"
}

sequences=6
job_make "$job"
start whole.h5
end whole.h5
results whole.h5 >expected
grep -q '^checksum [0-9a-f]\{16\}$' expected || fail "undisturbed: $(cat whole.h5.said)"
[[ -z $behind ]] || job_behind
before=0

gate_start part.h5 --resume
gate_await part.h5
kill -TERM "${processes[@]}"
gate_open
end part.h5
grep -q 'stopped as asked, with .* --resume to go on' part.h5.said || fail "asked to stop: $(cat part.h5.said)"
checked "asked to stop"

gate_start part.h5 --resume
gate_await part.h5
reach part.h5 $((before + 1)) # the master may get to it late
kill -KILL "${processes[@]}"
end part.h5
checked "killed"

code=0
"$mpiexec" -n 3 "$scow" run plan.json "${input[@]}" "${options[@]}" -o part.h5 -q --resume >part.h5.said 2>&1 || code=$?
[[ $code == 0 || ($code == 1 && $job == records) ]] || fail "gone on with: exit code $code, and: $(cat part.h5.said)"
results part.h5 | diff expected - || fail "not what comes out undisturbed: $("$scow" show part.h5 --failed)"
[[ $job != grid || $("$check" whole.h5 part.h5 16 12) == "192 of 192 core tasks done, all right" ]] ||
    fail "not the results of an undisturbed run"
"$scow" report part.h5 >report.txt || fail "no report"
grep -q '^in all  *3 parts, ' report.txt || fail "not three parts: $(cat report.txt)"
echo "run resumed: $job$behind: done"
