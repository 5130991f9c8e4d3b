#!/usr/bin/env bash
# A worker that becomes four times as slow in the middle of a run that sleeps: watched, the rest is
# planned anew and the report says when and why; each core task is done once, watched, assigned at its
# end, or both; what cannot be done is refused.
# usage: run_replan.sh SCOW MPIEXEC
set -euo pipefail
scow=$1 mpiexec=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() {
    echo "run replan: $*"
    exit 1
}

# Three workers of 2 ms a core task; 900 core tasks are 0.6 s of work for each.
cost='{"latency_s": 1e-4, "s_per_task": 0}'
cat >profile.json <<END
{"schema": "scow-profile-1", "kernel": "sleep", "settings": [{"windows": [{"tasks": [1, 1000],
   "envelope": $cost, "send": {"latency_s": 0, "s_per_task": 0},
   "workers": [{"count": 3, "receive": {"latency_s": 0, "s_per_task": 0},
                "compute": {"latency_s": 0, "s_per_task": 2e-3}}]}]}]}
END
cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "sleep", "scheduler": "by hand", "tasks": 900,
 "workers": [0, 1, 2], "rounds": [{"repeat": 30, "loads": [10, 10, 10]}]}
END

run() { # output option...
    local out=$1
    shift
    "$mpiexec" -n 4 "$scow" run "${plan:-plan.json}" -p profile.json -o "$out" -q --no-copies "$@" >"$out.txt"
    sed -n 's/.*checksum //p' "$out.txt"
}

first=$(run plain.h5)
[[ $first =~ ^[0-9a-f]{16}$ ]] || fail "no checksum: '$first'"
export SCOW_SLEEP_SLOW=1,100,4
# Nobody else is taken for so slow, on a busy machine either.
[[ $(run slow.h5 --replan 150%) == "$first" ]] || fail "watched, the checksum is another one"
[[ $(run both.h5 --replan 30% --tail fac:20%) == "$first" ]] || fail "watched and assigned: another checksum"
# Rank 1 has most, and takes so long from its second package on that its report comes long after the others are done: what
# it was to get goes to them before. On a busy machine nobody else is taken for so slow.
export SCOW_SLEEP_SLOW=1,200,8
cat >uneven.json <<'END'
{"schema": "scow-plan-1", "kernel": "sleep", "scheduler": "by hand", "tasks": 900,
 "workers": [0, 1, 2], "rounds": [{"repeat": 3, "loads": [200, 50, 50]}]}
END
[[ $(plan=uneven.json run silent.h5 --replan 300%) == "$first" ]] || fail "silent, the checksum is another one"
unset SCOW_SLEEP_SLOW
[[ $(run tail.h5 --tail fac:20%) == "$first" ]] || fail "assigned at its end: another checksum"
# The same as the plan itself has it, which somebody can also leave out.
sed -i.plain 's/"tasks": 900/"tasks": 900, "tail": "fac:20%"/' plan.json
[[ $(run planned.h5) == "$first" ]] || fail "assigned at its end as planned: another checksum"
[[ $(run without.h5 --tail none) == "$first" ]] || fail "the plan's tail left out: another checksum"
mv plan.json.plain plan.json
grep -q '^planned anew at .*: worker 1 took ' slow.h5.txt || fail "nothing was planned anew: $(cat slow.h5.txt)"
for name in slow both tail planned without silent; do
    "$scow" report $name.h5 --json >$name.json
    "$scow" report $name.h5 >$name.txt
done
grep -q '^planned anew at .*: worker 1 took ' slow.txt || fail "the report does not say why: $(cat slow.txt)"
"$scow" simulate -p profile.json plan.json --tail fac:20% --ahead 2 --json >simulated.json
grep -q '^  as planned anew ' slow.txt || fail "the report does not say what was promised: $(cat slow.txt)"
grep -q '^scheduler   by hand, its end on request by fac:20%, watched$' both.txt || fail "$(head -5 both.txt)"
/usr/bin/python3 - <<'END' || fail "the outputs are not what they should be"
import json
import h5py

simulated_s = json.load(open("simulated.json"))["makespan_s"]
for name in ("slow", "both", "tail", "planned", "without", "silent"):
    report = json.load(open(name + ".json"))
    assert report["tasks_done"] == 900 and report["complete"], report
    assert report.get("tail") == (None if name in ("slow", "without", "silent") else "fac:20%"), name
    # What it is compared with is what was planned, its end and all.
    assert name not in ("tail", "planned") or report["predicted_s"] == simulated_s, report
    changes = [c for c in report.get("replanned", []) if c["adopted"]]
    if name == "slow":
        # On a busy machine another one may have been slow for a moment before.
        slowed = [c for c in changes if c["worker"] == 0]
        assert slowed and 1.3 < slowed[0]["measured"], changes
        assert changes[0]["replanned_end_s"] < changes[0]["planned_end_s"], changes
        anew = report["planned_anew"]
        assert anew["count"] == len(changes) and anew["round"] == changes[0]["round"], anew
        assert anew["predicted_s"] == changes[-1]["replanned_end_s"], anew
        assert all(r["predicted_end_s"] is None for r in report["rounds"][anew["round"]:]), report
        assert report["rounds"][0]["predicted_end_s"] > 0, report
    elif name == "silent":
        with h5py.File(name + ".h5") as file:
            trace = file["run/trace"][:]
        worked = [e for e in trace if e["rank"] == 1 and e["operation"] == 4]
        assert any(e["start"] < c["time_s"] < e["end"] - 0.1 and c["worker"] == 0
                   for e in worked for c in changes), (changes, worked)
    else:
        assert name == "both" or "planned_anew" not in report, report
    with h5py.File(name + ".h5") as file:
        assert file["ledger"][:].min() == 1 and file.attrs["complete"] == 1
        trace = file["run/trace"][:]
        sent = sorted((e["first_task"], e["tasks"]) for e in trace if e["operation"] == 4)
        assert sum(tasks for _, tasks in sent) == 900, (name, sent)
        assert all(a + n == b for (a, n), (b, _) in zip(sent, sent[1:])), (name, sent)
        done = {rank: sum(e["tasks"] for e in trace if e["operation"] == 4 and e["rank"] == rank)
                for rank in (1, 2, 3)}
        # Where the machine was too busy for the others, too, core tasks may have gone back to rank 1.
        others_slow = any(c["worker"] != 0 for c in changes)
        assert name in ("tail", "planned", "without", "silent") or others_slow or done[1] < 280, (name, done)
END

refused() { # code sentence option...
    local code=0
    "$mpiexec" -n 4 "$scow" run plan.json -p profile.json -o none.h5 "${@:3}" 2>errors.txt || code=$?
    [[ $code == "$1" && $(cat errors.txt) == "$2"* && ! -e none.h5 ]] || fail "${*:3}: $code, $(cat errors.txt)"
}
refused 2 "scow run: unknown rule 'fat': did you mean 'fac'?" --tail fat
refused 2 "scow run: --replan 'ten': give a tolerance above 0" --replan ten
refused 2 "scow run: --replan and --tail are for plans" --replan 10% -s fac
echo "run replan: done"
