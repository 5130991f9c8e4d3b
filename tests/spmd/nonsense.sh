#!/usr/bin/env bash
# A plug-in all the way, and whatever it does wrong: an exit code, one sentence, nothing else, and
# never a crash or an end without end.
# usage: nonsense.sh SCOW MPIEXEC PLUGINS
set -euo pipefail
scow=$1 mpiexec=$2 plugins=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cp "$plugins/nonsense.so" mine.so
export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive

fail() {
    echo "nonsense: $*"
    exit 1
}

# refused CODE SENTENCE COMMAND...: started on three ranks, it ends with that code and that alone on
# stderr.
refused() {
    local code=0 wanted=$1 sentence=$2 said
    shift 2
    timeout 400 "$mpiexec" -n 3 "$scow" "$@" >out.txt 2>errors.txt || code=$?
    said=$(<errors.txt)
    [[ $code == "$wanted" && $said == "scow $1: "*"$sentence"* && $(wc -l <errors.txt) == 1 ]] ||
        fail "scow $* ended with $code and: $said"
}

# ---- all the way ----

"$mpiexec" -n 3 "$scow" calibrate -k ./mine.so --quick -q -o profile.json
"$scow" plan -p profile.json -o plan.json >/dev/null
grep -q "\"plugin\": \"$dir/mine.so\"" plan.json || fail "the plan does not name its plug-in"
"$mpiexec" -n 3 "$scow" run plan.json -q -o out.h5 >run.txt
[[ $(tail -n 1 run.txt) == 40 ]] || fail "the outcome of 40 core tasks is not 40"
"$scow" report out.h5 --json | python3 -c '
import json, sys
report = json.load(sys.stdin)
assert report["result"] == 40
'
"$scow" show out.h5 --task 8 >task.txt
grep -q '^number      7$' task.txt || fail "core task 8 has another record"

# ---- another plug-in than the plan's ----

refused 4 "has changed since" run plan.json -q -k "$plugins/good.so" -o x.h5
mv mine.so away.so
refused 4 "there is no plug-in" run plan.json -q -o x.h5
"$mpiexec" -n 3 "$scow" run plan.json -q -k ./away.so -o moved.h5 >/dev/null
mv away.so mine.so
refused 2 "has no symbol 'scow_plugin'" calibrate -k "$plugins/no-symbol.so"

# ---- what goes wrong while it works ----

# run CODE FAULT SENTENCE
run() {
    sed "s/\"fault\": \"none\"/\"fault\": \"$2\"/" plan.json >wrong.json
    refused "$1" "$3" run wrong.json -q -o "$2.h5"
}

run 4 tile-larger "its grid's tiles are empty, or larger than the grid"
run 1 start-on-one "rank 2 has no licence"
run 1 compute-unknown "computing failed without saying why (status 12345)"
run 1 records-overrun "wrote more than it said into its records"
run 4 print-long "its outcome is no JSON text of less than 64 KiB"
for fault in tile-larger start-on-one; do
    [[ ! -e $fault.h5 ]] || fail "a run that did nothing left $fault.h5"
done

# Core tasks that could not be done, counted from 1: everything else is there.
run 1 rejects "rejects.h5: 3 of 40 core tasks failed, all others are there; among them 8 (not today)"
"$scow" show rejects.h5 --task 8 | grep -q '^state       failed$' || fail "core task 8 did not fail"
"$scow" show rejects.h5 --task 7 | grep -q '^state       done$' || fail "core task 7 failed"

# calibrate CODE FAULT SENTENCE
calibrate() {
    refused "$1" "$3" calibrate -k ./mine.so --fault "$2" --quick -q -o "$2.json"
    [[ ! -e $2.json ]] || fail "a calibration that failed left $2.json"
}

calibrate 4 package-huge "is larger than any memory"
calibrate 1 start-on-one "rank 2 has no licence"
calibrate 1 grid-overrun "wrote more than it said into its grid"
left=$(find . -name 'scow-probe*')
[[ -z $left ]] || fail "calibrations left $left"
echo "every nonsense ended with a sentence"
