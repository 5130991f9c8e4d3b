#!/usr/bin/env bash
# Requests where a job sleeps: none takes less than its profile says, and the simulation of the rule
# spends the same.
# usage: run_requests.sh SCOW MPIEXEC
set -euo pipefail
scow=$1 mpiexec=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() {
    echo "run requests: $*"
    exit 1
}

profile() { # request answer
    cat <<END
{"schema": "scow-profile-1", "kernel": "sleep", "settings": [{"windows": [{"tasks": [1, 40],
  "envelope": {"latency_s": 1e-3, "s_per_task": 0}, "send": {"latency_s": 1e-3, "s_per_task": 0},
  "answer": {"latency_s": $2, "s_per_task": 0},
  "workers": [{"count": 4, "link": {"latency_s": 1e-3, "s_per_task": 0},
    "receive": {"latency_s": 0, "s_per_task": 0}, "compute": {"latency_s": 1e-3, "s_per_task": 1e-4},
    "request": {"latency_s": $1, "s_per_task": 1e-4}}]}]}]}
END
}

profile 6e-3 2e-3 >waits.json  # the master of one worker waits for every report
profile 2e-2 2e-2 >busy.json   # that of four has always one to answer
"$scow" plan -p waits.json -X 40 -n 1 --masters 1 -o waits-plan.json -q
"$scow" plan -p busy.json -X 40 --masters 1 -o busy-plan.json -q
"$mpiexec" -n 2 "$scow" run waits-plan.json -p waits.json -o waits.h5 -q -s ss --ahead 1 >/dev/null
"$mpiexec" -n 5 "$scow" run busy-plan.json -p busy.json -o busy.h5 -q -s ss --ahead 1 >/dev/null
for name in waits busy; do
    "$scow" report $name.h5 --json >$name-report.json
done
/usr/bin/python3 - <<'END' || fail "they cost other than they should"
import json
for name, count, least in (("waits", 39, 39 * 6.1e-3), ("busy", 36, 36 * 2e-2)):
    requests = json.load(open(name + "-report.json"))["requests"]
    assert requests["count"] == count, requests
    assert requests["predicted_s"] >= least * 0.999, (name, requests, least)
    assert requests["measured_s"] >= least * 0.9, (name, requests, least)
    if name == "waits":
        assert abs(requests["predicted_s"] / least - 1) < 1e-9, (requests, least)
END
echo "run requests: done"
