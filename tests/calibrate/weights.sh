#!/usr/bin/env bash
# Weights, the whole way: calibrated with them, planned by the same ones, run; other ones, missing and
# wrong ones are refused before anything is measured or written.
# usage: weights.sh SCOW MPIEXEC PLUGINS
set -euo pipefail
scow=$1 mpiexec=$2 plugins=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1

fail() {
    echo "weights: $*"
    exit 1
}

# Commands of a few milliseconds beside what starting them takes: weights are not all of it.
for k in {1..60}; do
    echo "sleep 0.0$((k * 7 % 9 + 1)) # $((k * 7 % 9 + 1))"
done >lines
calibrate() {
    "$mpiexec" -n 3 "$scow" calibrate -k command --command 'sh -c {}' -i lines --budget 3 --write-behind no \
        --scratch "$dir" "$@"
}
refused() { # SENTENCE COMMAND...
    local wanted=$1 code=0
    shift
    "$@" >said 2>&1 || code=$?
    [[ $code == 4 ]] || fail "'$*' exits with $code, not 4: $(cat said)"
    grep -qF -- "$wanted" said || fail "'$*' does not say '$wanted': $(cat said)"
}

calibrate --weights-column 4 -o profile.json 2>said || fail "calibrate: $(cat said)"
grep -q 'weights explain [0-9]* % of what packages of a size differ by' said || fail "nothing is explained: $(cat said)"
grep -q '"weights": {"source": "column 4 of lines", "sha256": "' profile.json || fail "the profile names no weights"
/usr/bin/python3 - <<'END' || fail "the profile: $(cat profile.json)"
import json

for setting in json.load(open("profile.json", encoding="utf-8"))["settings"]:
    weighing = setting["weighing"]
    assert weighing["explained"] > 0.5, weighing
    assert 0 <= weighing["constant"] < 1, weighing
    assert "regions" not in setting["map"], setting["map"]
END
"$scow" show profile.json >said
grep -q '^weights     column 4 of lines$' said || fail "show does not name weights: $(cat said)"

"$scow" plan -p profile.json -i lines --weights-column 4 -o plan.json >said || fail "plan: $(cat said)"
grep -q 'by calibration they explain' said || fail "plan does not say what weights explain: $(cat said)"
"$mpiexec" -n 3 "$scow" run plan.json -i lines -o out.h5 -q >said 2>&1 || fail "run: $(cat said)"
"$scow" report out.h5 >said || fail "report: $(cat said)"

# On request, and stopped in the middle: what remains goes by its weights, too.
"$mpiexec" -n 3 "$scow" run plan.json -i lines -p profile.json -s gss -o rule.h5 -q >said 2>&1 || fail "run by a rule: $(cat said)"
code=0
"$mpiexec" -n 3 "$scow" run plan.json -i lines -o part.h5 -q --until 0.6 >said 2>&1 || code=$?
[[ $code == 75 ]] || fail "--until 0.6 exits with $code: $(cat said)"
"$mpiexec" -n 3 "$scow" run plan.json -i lines -o part.h5 -q --resume >said 2>&1 || fail "resume: $(cat said)"
"$scow" report part.h5 >said || fail "report of a resumed run: $(cat said)"
[[ $("$scow" show part.h5 | grep -o 'checksum.*') == $("$scow" show out.h5 | grep -o 'checksum.*') ]] ||
    fail "a resumed run has other results"

# Costs of these weights are not those of others, nor of none.
seq 60 >others
refused 'profile.json: was calibrated with the weights of 60 core tasks (column 4 of lines): plan with the same ones' \
    "$scow" plan -p profile.json -i lines -o no.json
refused 'others: are other weights than those that profile.json was calibrated with (column 4 of lines)' \
    "$scow" plan -p profile.json -i lines --weights others -o no.json
[[ ! -e no.json ]] || fail "a plan was written"

# What is no weight of this job measures nothing and leaves what there is.
cp profile.json before.json
seq 59 >few
refused 'few: 59 weights, but the job has 60 core tasks' calibrate --weights few -o profile.json
echo -1 >>few
refused "few:60: '-1' is no weight" calibrate --weights few -o profile.json
cmp -s before.json profile.json || fail "the profile was written anew"
[[ ! -e $(echo scow-probe-*) ]] || fail "trial writes are left"

calibrate --weights-column 4 --reuse -q -o profile.json || fail "not kept"
cmp -s before.json profile.json || fail "not kept as it was"
refused 'profile.json: was measured with weights (column 4 of lines)' calibrate --reuse -q -o profile.json

# A core task that weighs its own: known again wherever the job is the same.
mandelbrot() {
    "$mpiexec" -n 3 "$scow" calibrate -k mandelbrot --width 300 --height "$1" --weights task --quick --scratch "$dir" -o rows.json "${@:2}"
}
mandelbrot 240 2>said || fail "calibrate mandelbrot: $(cat said)"
grep -q '"weights": {"source": "kernel mandelbrot"' rows.json || fail "the profile does not name the core task's weights"
grep -q 'weights explain' said || fail "the core task's weights tell nothing: $(cat said)"
"$scow" plan -p rows.json -o rows.plan >said || fail "plan mandelbrot: $(cat said)"
grep -q '^weights     kernel mandelbrot: ' said || fail "the plan does not go by them: $(cat said)"
"$scow" plan -p rows.json --weights task -o again.plan >said || fail "plan mandelbrot: $(cat said)"
cmp -s rows.plan again.plan || fail "plans with the same weights differ"
refused 'rows.json: was calibrated with the weights of 240 core tasks (kernel mandelbrot)' "$scow" plan -p rows.json -X 300
mandelbrot 240 --reuse -q || fail "not kept"
refused 'calibrate to another file' mandelbrot 250 --reuse -q
code=0
calibrate --weights task -o no.json >said 2>&1 || code=$?
[[ $code == 2 ]] || fail "a core task that cannot weigh exits with $code: $(cat said)"
grep -qF 'kernel command cannot say what its core tasks cost: leave --weights task out' said || fail "it says $(cat said)"
refused 'kernel variant: weighs core task 2 as -1, and a weight is a number, 0 or greater' \
    "$mpiexec" -n 3 "$scow" calibrate -k "$plugins/weighs-below.so" --weights task --quick --scratch "$dir" -o no.json
[[ ! -e no.json ]] || fail "a profile was written"
