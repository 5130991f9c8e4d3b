#!/usr/bin/env bash
# A disk that fills in the middle of a run. That of one worker: others do its work, and the loss is
# named. That of all, or the master's: one sentence, exit code 1 on every rank, nobody hangs, and
# what the ledger says is there.
# usage: run_full_disk.sh SCOW MPIEXEC IMAGE CHECK SHIM [behind]
# behind: results are written behind computing.
set -euo pipefail
scow=$1 mpiexec=$2 image=$3 check=$4 shim=$5
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat >plan.json <<'EOF'
{"schema": "scow-plan-1", "kernel": "matched-filter", "parameters": {"algorithm": "reference"},
 "scheduler": "by hand", "tasks": 48, "block": 32, "workers": [0, 1], "rounds": [{"repeat": 12, "loads": [2, 2]}]}
EOF
"$mpiexec" -n 3 "$scow" run plan.json -i "$image" -o whole.h5 -q >whole
[[ ${6:-} != behind ]] || sed -i 's/"algorithm"/"write-behind": "yes", &/' plan.json

# What HDF5 does not free when it cannot close a file is no leak of ours.
echo 'leak:libhdf5' >leaks

# run RANK BYTES: that rank's disk is full after so many bytes.
run() {
    code=0
    # A sanitised scow wants to be told that something comes before its runtime.
    ASAN_OPTIONS=verify_asan_link_order=0 LSAN_OPTIONS=suppressions=$dir/leaks:print_suppressions=0 \
        timeout 400 "$mpiexec" -n 3 env LD_PRELOAD="$shim" FULL_DISK_RANK="$1" FULL_DISK_AFTER="$2" \
        "$scow" run plan.json -i "$image" -o part.h5 -q --no-copies >said 2>errors || code=$?
}

wrong() {
    echo "$1: exit code $code, and:"
    cat said errors
    exit 1
}

# full RANK BYTES SENTENCE: the run fails. The sentence is the last on stderr, but for those that name
# what was lost meanwhile: MPI_Abort would add its own, and make mpiexec lose the sentence now and then.
full() {
    run "$1" "$2"
    if [[ $code != 1 || $(grep -cvE '^scow run: (worker [12] is lost|part\.h5\.trace: cannot be written)' errors) != 1 ]] ||
        ! tail -n 1 errors | grep -qE "^scow run: part\.h5: $3"; then
        wrong "rank $1 after $2 bytes"
    fi
}

for bytes in 1000 40000 100000; do
    run 1 $bytes
    [[ $code == 0 && $(grep checksum whole | sed 's/.*checksum//') == $(grep checksum said | sed 's/.*checksum//') ]] ||
        wrong "worker 1 after $bytes bytes"
    grep -qE '^scow run: worker 1 is lost: part\.h5: core task [0-9]+ could not be written' errors ||
        wrong "worker 1 after $bytes bytes"
    [[ $("$check" whole.h5 part.h5 8 6) == "48 of 48 core tasks done, all right" ]] || wrong "worker 1 after $bytes bytes"
    "$scow" report part.h5 | grep -q '^lost  *worker 1 after .* could not be written' || wrong "no loss in the report"
    rm part.h5
    full workers "$bytes" 'core task [0-9]+ could not be written'
    # The others are told to stop at once: where nobody had done a package, no file is left.
    if [[ -e part.h5 ]]; then
        "$check" whole.h5 part.h5 8 6 | tee said
        rm part.h5
    else
        [[ $bytes == 1000 ]] || { echo "after $bytes bytes nothing is left"; exit 1; }
    fi
done
[[ $(cut -d' ' -f1 said) -gt 0 ]] || { echo "nothing was kept"; exit 1; }
for bytes in 0 1000 6000; do
    full 0 "$bytes" 'cannot be written in full'
    [[ ! -e part.h5 ]] || { echo "a file that cannot be completed was left behind"; exit 1; }
done
# What cannot be traced is computed all the same, and has a report that says so.
echo "a diary" >part.h5.trace
run nobody 0
[[ $code == 0 && $(grep checksum whole | sed 's/.*checksum//') == $(grep checksum said | sed 's/.*checksum//') ]] ||
    wrong "without a trace"
[[ $(cat errors) == "scow run: part.h5.trace: cannot be written (File exists): the run goes on, without a report of what follows" ]] ||
    wrong "without a trace"
[[ $(cat part.h5.trace) == "a diary" ]] || wrong "somebody else's file is another one"
code=0
"$scow" report part.h5 >said 2>errors || code=$?
[[ $code == 0 ]] || wrong "a report without a trace"
grep -q "trace could not be written: when its core tasks were done is not known" said || wrong "no reason for an empty report"
rm part.h5 part.h5.trace
# Full when only the trace and the checksum are left to write.
full 0 64000 'the results are there, but its trace and checksum could not be written'
grep -q '^scow run: part\.h5\.trace: cannot be written (No space left on device)' errors || wrong "the trace was not said to be lost"
[[ $("$check" whole.h5 part.h5 8 6) == "48 of 48 core tasks done, all right" ]] || { echo "the results are not there"; exit 1; }
