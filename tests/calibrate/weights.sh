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

# Commands that wait, 30 to 270 ms by their weights: what starting them takes beside it is far less on any machine.
for k in {1..60}; do
    ms=$((30 * (k * 7 % 9 + 1)))
    printf 'sleep 0.%03d # %d\n' $ms $((ms / 30))
done >lines
calibrate() {
    "$mpiexec" -n 3 "$scow" calibrate -k command --command 'sh -c {}' -i lines --budget 15 --write-behind no \
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
    assert weighing["explained"] > 0.1, weighing
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
"$mpiexec" -n 3 "$scow" run plan.json -i lines -o part.h5 -q --until 2.5 >said 2>&1 || code=$?
[[ $code == 75 ]] || fail "--until 2.5 exits with $code: $(cat said)"
"$scow" plan --resume part.h5 -o left.json >said || fail "plan --resume: $(cat said)"
/usr/bin/python3 - <<'END' || fail "what remains is not planned by weight: $(cat left.json)"
import h5py, json

done = h5py.File("part.h5")["/ledger"][:]
weights = [int(line.split()[3]) for line in open("lines", encoding="utf-8")]
left = [weights[k] for k in range(60) if done[k] != 1]
plan = json.load(open("left.json", encoding="utf-8"))
assert plan["tasks"] == len(left), plan["tasks"]
mean = sum(left) / len(left)
assert abs(plan["weights"]["mean"] - mean / (sum(weights) / 60)) < 1e-9, plan["weights"]["mean"]
kept = [cost for tasks, cost in plan["weights"]["regions"] for _ in range(tasks)]
assert all(abs(a - b / mean) < 1e-9 for a, b in zip(kept, left, strict=True)), kept
END
"$mpiexec" -n 3 "$scow" run plan.json -i lines -o part.h5 -q --resume >said 2>&1 || fail "resume: $(cat said)"
"$scow" report part.h5 >said || fail "report of a resumed run: $(cat said)"
[[ $("$scow" show part.h5 | grep -o 'checksum.*') == $("$scow" show out.h5 | grep -o 'checksum.*') ]] ||
    fail "a resumed run has other results"

# Weights that are given to a run are the plan's, or what packages on request go by: by weight, no
# first package of guided self-scheduling has more than half of what all lines are worth.
run() { "$mpiexec" -n 3 "$scow" run "$@" -i lines -q; }
cut -d ' ' -f 4 lines >numbers
/usr/bin/python3 - <<'END'
import h5py

numbers = [float(line) for line in open("numbers", encoding="utf-8")]
with h5py.File("numbers.h5", "w") as file:
    file["deep/list"] = numbers
    file["table"] = [numbers]
with h5py.File("two.h5", "w") as file:
    file["a"], file["b"] = numbers, [-1.0] + numbers[1:]
END
seq 60 >others
"$scow" plan -p profile.json -i lines --weights-column 4 --weights-of bytes=others -o both.json >said || fail "plan by bytes: $(cat said)"
grep -q '^transfers   others: ' said || fail "plan does not tell of transfers: $(cat said)"
run both.json -o again.h5 --weights numbers.h5 --weights-of bytes=others >said 2>&1 || fail "run with weights: $(cat said)"
run both.json -o again.h5 --resume --weights two.h5:/a >said 2>&1 || fail "resume with weights: $(cat said)"
"$scow" report again.h5 >said || fail "report of a run by bytes: $(cat said)"
/usr/bin/python3 - <<'END'
import json

plan = json.load(open("plan.json", encoding="utf-8"))
for key in ("weights", "profile", "profile_sha256", "predicted", "tail"):
    plan.pop(key, None)
json.dump(plan, open("plain.plan", "w", encoding="utf-8"))
END
run plain.plan -o heavy.h5 -s gss --weights numbers --weights-of bytes=others >said 2>&1 || fail "a rule with weights: $(cat said)"
/usr/bin/python3 - <<'END' || fail "the rule does not go by weight"
import h5py, json

file = h5py.File("heavy.h5")
plan = json.loads(file["/run/plan"][()])
assert plan["weights"]["source"] == "numbers", plan
assert plan["weights"]["bytes"]["source"] == "others", plan
trace = file["/run/trace"][:]
first = min(row["tasks"] for row in trace if row["first_task"] == 0 and row["tasks"] > 0)
weights = [float(line) for line in open("numbers", encoding="utf-8")]
assert abs(sum(weights[:first]) - sum(weights) / 2) <= max(weights), first
END
refused 'others: are other weights than those that plan.json was made with (column 4 of lines)' run plan.json -o no.h5 --weights others
refused 'numbers: are other weights than those that both.json was made with (others)' run both.json -o no.h5 --weights-of bytes=numbers
refused 'plan.json: was made without weights of transfers: leave --weights-of out' run plan.json -o no.h5 --weights-of bytes=others
refused 'plain.plan: was made without weights: plan with --weights' run plain.plan -o no.h5 --weights others
refused "two.h5: it is not said which data set is meant: name a list of numbers in it as two.h5:/DATASET; it has '/a', '/b'" \
    run plan.json -o no.h5 --weights two.h5
refused 'two.h5:/b: weight 1, -1, cannot be used' run plan.json -o no.h5 --weights two.h5:/b
refused 'numbers.h5:/table: is no list of numbers' run plan.json -o no.h5 --weights numbers.h5:/table
refused "numbers.h5: has no such data set: name a list of numbers in it as numbers.h5:/DATASET; it has '/deep/list'" \
    run plan.json -o no.h5 --weights numbers.h5:/none
head -59 numbers >few
refused 'few: 59 weights, but the job has 60 core tasks' run plain.plan -o no.h5 -s gss --weights few
[[ ! -e no.h5 ]] || fail "an output was begun"

# Measured while working: its first packages tell what weights explain, what remains is planned by them.
for k in {1..120}; do
    ms=$((25 * (k * 7 % 9 + 1)))
    printf 'sleep 0.%03d # %d\n' $ms $ms
done >many
go() { "$mpiexec" -n 3 "$scow" go -k command --command 'sh -c {}' -i many -o go.h5 --no-page "$@"; }
go --weights-column 4 >said 2>&1 || fail "go by weights: $(cat said)"
grep -qE '^scow go: weights \(column 4 of many\) explain [0-9]+ % of what packages of a size differ by' said ||
    fail "go does not say what weights explain: $(cat said)"
grep -q '"weights": {"source": "column 4 of many", "sha256": "' go.profile.json || fail "go's profile names no weights"
/usr/bin/python3 - <<'END' || fail "go does not plan by weight: $(cat go.plan.json)"
import h5py, json

plan = json.load(open("go.plan.json", encoding="utf-8"))
assert plan["weights"]["source"] == "column 4 of many", plan
assert plan["tasks"] == sum(tasks for tasks, _ in plan["weights"]["regions"]), plan["tasks"]
file = h5py.File("go.h5")
assert json.loads(file["/run/plan"][()])["weights"]["sha256"] == plan["weights"]["sha256"]
END
cp go.h5 whole.h5
seq 120 >others
refused 'go.h5: was begun with other weights (column 4 of many) than others: go on with the same or with none' go --weights others
seq 119 >few
refused 'few: 119 weights, but the job has 120 core tasks' go --weights few
cmp -s go.h5 whole.h5 || fail "a refused go wrote into its output"
seq 60 >others
refused 'out.h5: its run had another input (lines) than many, by their SHA-256' \
    "$scow" plan -p profile.json -i many --weights-from out.h5 -o no.json

# Costs of these weights are not those of others, nor of none.
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
grep -qE 'weights (explain|do not tell)' said || fail "it is not said what the core task's weights explain: $(cat said)"
# How much its weights explain of what it computes depends on who else uses the machine: that is said here.
/usr/bin/python3 - <<'END' || fail "the profile has no weighing: $(cat rows.json)"
import json

profile = json.load(open("rows.json", encoding="utf-8"))
for setting in profile["settings"]:
    setting["map"].pop("regions", None)
    assert setting["weighing"]["packages"] > 0, setting
    setting["weighing"].update({"constant": 0.25, "explained": 0.8})
json.dump(profile, open("rows.json", "w", encoding="utf-8"))
END
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
grep -qF "core task 'command' cannot say what its core tasks cost: leave --weights task out" said || fail "it says $(cat said)"
refused "core task 'variant': weighs core task 2 as -1, and a weight is a number, 0 or greater" \
    "$mpiexec" -n 3 "$scow" calibrate -k "$plugins/weighs-below.so" --weights task --quick --scratch "$dir" -o no.json
[[ ! -e no.json ]] || fail "a profile was written"
