#!/usr/bin/env bash
# Every request-driven rule on the executor: each core task once, the checksum of the fixed plan, and
# a report that says who assigned.
# usage: run_rules.sh SCOW MPIEXEC IMAGE [RANKS...]: every rule on so many, besides the 3 of a profile; usually one of
# each kind on 4, for the simulated runs have all of them without a profile
set -euo pipefail
scow=$1 mpiexec=$2 image=$3
shift 3
counts=("${@:-4}") all=$#
export OMP_NUM_THREADS=1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() {
    echo "run rules: $*"
    exit 1
}

# 256 x 200 pixels in blocks of 32: 8 x 6 tasks.
cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "matched-filter",
 "parameters": {"bank": "chaudhuri", "combine": "max", "tuned": "avx2"},
 "scheduler": "by hand", "tasks": 48, "block": 32, "workers": [0], "rounds": [{"repeat": 1, "loads": [48]}]}
END
# The second worker is three times as fast; no package may have more than 10 tasks.
cost='{"latency_s": 1e-5, "s_per_task": 1e-6}'
cat >profile.json <<END
{"schema": "scow-profile-1", "kernel": "matched-filter",
 "parameters": {"bank": "chaudhuri", "combine": "max", "tuned": "avx2"},
 "settings": [{"block": 32, "windows": [{"tasks": [1, 10], "envelope": $cost, "send": $cost,
   "workers": [{"receive": $cost, "compute": {"latency_s": 0, "s_per_task": 3e-4}},
               {"receive": $cost, "compute": {"latency_s": 0, "s_per_task": 1e-4}}]}]}]}
END

run() { # ranks output option...
    local ranks=$1 out=$2
    shift 2
    "$mpiexec" -n "$ranks" "$scow" run plan.json -i "$image" -o "$out" -q --no-copies "$@" |
        sed -n 's/.*checksum //p'
}

first=$(run 2 plan.h5)
[[ $first =~ ^[0-9a-f]{16}$ ]] || fail "no checksum: '$first'"
rules=(ss fsc gss tss fiss fac wf dtss dfss dfiss dtfss tree monitor awf-b awf-c awf-d awf-e af
    "gss,least=5,rounding=down" "monitor,eta=3,r=2,phi=4")
without=(ss gss tss wf tree monitor awf-c)
((all == 0)) || without=("${rules[@]}")
for rule in "${without[@]}"; do
    for ranks in "${counts[@]}"; do
        sum=$(run "$ranks" "$rule-$ranks.h5" -s "$rule")
        [[ $sum == "$first" ]] || fail "$rule on $ranks ranks gives $sum, and the plan $first"
    done
done
for rule in "${rules[@]}"; do
    sum=$(run 3 "$rule.h5" -s "$rule" -p profile.json --ahead 1)
    [[ $sum == "$first" ]] || fail "$rule with a profile gives $sum, and the plan $first"
    "$scow" report "$rule.h5" --json >"$rule.json"
done
for rule in ss awf-d; do "$scow" report "$rule.h5" >/dev/null; done
"$scow" report plan.h5 --json >plan.json.report
/usr/bin/python3 - "${counts[*]}" "${without[*]}" "${rules[@]}" <<'END' || fail "the outputs are not what they should be"
import json, sys
import h5py

def is_divided(report):  # every worker's time: what it did, and why it did not
    for worker in report["workers"]:
        parts = [worker["operations"][name]["measured_s"] for name in ("receive", "compute", "output")]
        parts += [cause["measured_s"] for cause in worker["causes"].values()]
        if worker["packages"] > 0:
            assert abs(sum(parts) - report["measured_s"]) < 1e-9, (worker, report["measured_s"])

is_divided(json.load(open("plan.json.report")))
for rule in sys.argv[3:]:
    report = json.load(open(rule + ".json"))
    assert report["scheduler"] == rule and report["tasks_done"] == 48, report
    is_divided(report)
    assert report["predicted_s"] > 0 and report["interval"] is None, (rule, report["predicted_s"])
    counts = sys.argv[1].split() if rule in sys.argv[2].split() else []
    for name, workers in [(rule, 2)] + [(f"{rule}-{ranks}", int(ranks) - 1) for ranks in counts]:
        with h5py.File(name + ".h5") as file:
            assert file["ledger"][:].min() == 1 and file.attrs["complete"] == 1
            trace = file["run/trace"][:]
            sent = sorted((e["first_task"], e["tasks"]) for e in trace if e["operation"] == 4)
            assert sum(tasks for _, tasks in sent) == 48, (name, sent)
            assert all(a + n == b for (a, n), (b, _) in zip(sent, sent[1:])), (name, sent)
            most = 10 if name == rule else -(-48 // workers)
            assert max(tasks for _, tasks in sent) <= most, (name, sent)
            if rule == "ss":
                assert len(sent) == 48
END

# Workers that take their packages by a counter, and read them by themselves.
sed 's/"parameters": {/&"staged": "yes", /' plan.json >staged.json
for rule in tss gss; do
    sum=$("$mpiexec" -n 4 "$scow" run staged.json -i "$image" -o "$rule-dca.h5" -q -s $rule --dca | sed -n 's/.*checksum //p')
    [[ $sum == "$first" ]] || fail "$rule with --dca gives $sum, and the plan $first"
    "$scow" report "$rule-dca.h5" | grep -q "^scheduler  *$rule, by a counter that all workers share" ||
        fail "$("$scow" report "$rule-dca.h5")"
done
/usr/bin/python3 - <<'END' || fail "packages by a counter are not what they should be"
import h5py

def sizes(name):
    with h5py.File(name) as file:
        return [n for _, n in sorted((e["first_task"], e["tasks"]) for e in file["run/trace"][:] if e["operation"] == 4)]

assert sizes("tss-dca.h5") == sizes("tss-4.h5"), (sizes("tss-dca.h5"), sizes("tss-4.h5"))
# ceil(48 / 3 (2 / 3)^i)
assert sizes("gss-dca.h5") == [16, 11, 8, 5, 4, 3, 1], sizes("gss-dca.h5")
END
code=0
"$mpiexec" -n 2 "$scow" run plan.json -i "$image" -o none.h5 -s gss --dca 2>errors.txt || code=$?
[[ $code == 4 && $(cat errors.txt) == "scow run: plan.json: has the master send what is in packages, and with --dca"* ]] ||
    fail "packages that the master sends: $code, $(cat errors.txt)"

code=0
"$mpiexec" -n 2 "$scow" run plan.json -i "$image" -o none.h5 -s gsss 2>errors.txt || code=$?
[[ $code == 2 && $(cat errors.txt) == "scow run: unknown rule 'gsss': did you mean 'gss'?" && ! -e none.h5 ]] ||
    fail "a rule that there is not: $code, $(cat errors.txt)"
echo "run rules: done"
