#!/usr/bin/env bash
# A master that computes core tasks itself: three ranks compute, whatever the core task leaves, and the
# file holds what it holds when workers alone compute; stopped or killed in a core task of the master's,
# the run is gone on with.
# usage: run_master.sh SCOW MPIEXEC IMAGE
set -euo pipefail
scow=$1 mpiexec=$2 image=$3
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/spmd/faults.sh
source "$here/faults.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1

fail() {
    echo "master: $*"
    exit 1
}

# go_run PLAN FILE OPTION...: on three ranks; what is said is in `said`.
go_run() {
    code=0
    "$mpiexec" -n 3 "$scow" run "$1" -o "$2" "${@:3}" >said 2>errors || code=$?
}
checksum() { sed -n 's/.*checksum \([0-9a-f]*\).*/\1/p' said; }

# computed FILE...: core tasks by rank, "0:48 1:36 ...", a line for each.
computed() {
    /usr/bin/python3 - "$@" <<'END'
import collections
import sys

import h5py

for name in sys.argv[1:]:
    with h5py.File(name, "r") as file:
        trace = file["/run/trace"][:]
    compute = h5py.check_enum_dtype(trace.dtype["operation"])["compute"]
    ranks = collections.Counter()
    for row in trace[trace["operation"] == compute]:
        ranks[int(row["rank"])] += int(row["tasks"])
    print(*(f"{rank}:{ranks[rank]}" for rank in sorted(ranks)))
END
}

# same NAME RANKS OPTION...: plan.json, and shared.json, in which the master computes some. Who computed what is looked
# at later, in `files`: nobody takes over from a worker that others keep waiting.
files=() wanted=()
same() {
    local name=$1 ranks=$2
    shift 2
    go_run plan.json "$name-workers.h5" "$@" -q
    ((code == 0)) || fail "$name: workers alone: exit $code: $(cat errors)"
    local expected
    expected=$(checksum)
    [[ $expected =~ ^[0-9a-f]{16}$ ]] || fail "$name: no checksum: $(cat said)"
    shown "$name-workers.h5" >workers.txt
    [[ -s workers.txt ]] || fail "$name: shows nothing"
    for how in '' --collect; do
        go_run shared.json "$name$how.h5" "$@" -q --no-copies $how
        ((code == 0)) || fail "$name $how: exit $code: $(cat errors)"
        [[ $(checksum) == "$expected" ]] || fail "$name $how: checksum $(checksum), not $expected"
        shown "$name$how.h5" >shared.txt
        cmp -s workers.txt shared.txt || fail "$name $how: not the same: $(diff workers.txt shared.txt | head -5)"
        files+=("$name$how.h5") wanted+=("$name$how.h5 $ranks")
        "$scow" show "$name$how.h5" --check >/dev/null 2>errors || fail "$name $how: $(cat errors)"
        "$scow" report "$name$how.h5" >report.txt || fail "$name $how: no report"
        grep -q "done, ${ranks%% *}" <(sed 's/^core tasks.*done, \([0-9]*\) of them by the master/done, 0:\1/' report.txt) ||
            fail "$name $how: the report does not say what the master did: $(grep '^core tasks' report.txt)"
    done
}

# ---- a grid and its picture -------------------------------------------------------------------
cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "matched-filter",
 "parameters": {"bank": "chaudhuri", "combine": "max", "algorithm": "reference"},
 "scheduler": "by hand", "tasks": 192, "block": 16, "workers": [0, 1], "rounds": [{"repeat": 48, "loads": [1, 3]}]}
END
sed 's/"repeat": 48/"repeat": 36/; s/"block"/"master": {"tasks": 48}, &/' plan.json >shared.json
shown() {
    "$scow" show "$1" --png "$1.png" >/dev/null && cksum <"$1.png"
}
same grid '0:48 1:36 2:108' -i "$image"
# The same where workers read the image by themselves.
sed -i 's/"parameters": {/&"staged": "yes", /' plan.json shared.json
same staged '0:48 1:36 2:108' -i "$image"

# ---- outputs of commands, and failures --------------------------------------------------------
seq 1 60 >lines.txt
cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "command", "parameters": {"command": "seq {} {}00; echo {} >&2", "retries": 0},
 "scheduler": "by hand", "tasks": 60, "workers": [0, 1], "rounds": [{"repeat": 10, "loads": [3, 3]}]}
END
sed 's/"repeat": 10, "loads": \[3, 3\]/"repeat": 20, "loads": [1, 1]/; s/"scheduler"/"master": {"tasks": 20}, &/' plan.json >shared.json
shown() {
    "$scow" show "$1" --output
    "$scow" show "$1" --task 57 | sed '/^seconds\|^start\|^worker\|^peak_kib/d'
}
same commands '0:20 1:20 2:20' -i lines.txt
sed 's/seq {} {}00/case {} in 57) exit 3;; esac/' shared.json >failing.json
go_run failing.json failing.h5 -i lines.txt -q
((code == 1)) || fail "a command of the master's fails: exit $code"
"$scow" show failing.h5 --failed | grep -q '^57' || fail "it is not shown: $("$scow" show failing.h5 --failed)"
grep -q 'among them 57 (exit 3)' errors || fail "nobody says which: $(cat errors)"

# ---- a reduction ------------------------------------------------------------------------------
cat >sequences.fa <<'END'
>1
CGTAATGCATTAGCCATTACG
>2
TTAGCGACGGATTACCGATTA
>3
GGCAGGGCATTAGGCATCCGA
END
cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "motif",
 "parameters": {"length": 8, "positions": 14, "search": "brute-force", "grain": 196, "ship": "matrices"},
 "scheduler": "by hand", "tasks": 14, "workers": [0, 1], "rounds": [{"repeat": 2, "loads": [3, 4]}]}
END
sed 's/"repeat": 2, "loads": \[3, 4\]/"repeat": 2, "loads": [2, 2]/; s/"scheduler"/"master": {"tasks": 6}, &/' plan.json >shared.json
shown() {
    "$scow" report "$1" | grep '^result .*{'
}
same reduction '0:6 1:4 2:4' -i sequences.fa
diff <(printf '%s\n' "${wanted[@]}") <(paste -d ' ' <(printf '%s\n' "${files[@]}") <(computed "${files[@]}")) ||
    fail "others computed than should"

# ---- stopped and killed in a core task of the master's ----------------------------------------
# Line 41, the first of its share, waits until there is `go`.
cat >shared.json <<'END'
{"schema": "scow-plan-1", "kernel": "command",
 "parameters": {"command": "case {} in 41) touch there; while [ ! -e go ]; do sleep 0.02; done;; esac; seq {}", "retries": 0},
 "scheduler": "by hand", "tasks": 60, "master": {"tasks": 20}, "workers": [0, 1], "rounds": [{"repeat": 20, "loads": [1, 1]}]}
END
touch go
go_run shared.json whole.h5 -i lines.txt -q
((code == 0)) || fail "undisturbed: exit $code: $(cat errors)"
"$scow" show whole.h5 --output >whole.txt
for how in TERM KILL; do
    rm -f go there part.h5*
    "$mpiexec" -n 3 "$scow" run shared.json -i lines.txt -o "$dir/part.h5" -q >said 2>errors &
    launcher=$!
    while [[ ! -e there ]]; do
        kill -0 $launcher 2>/dev/null || fail "ended before line 41: $(cat errors)"
        sleep 0.02
    done
    if [[ $how == TERM ]]; then
        ranks_stop part.h5 3
    else
        pkill -KILL -f -- "scow-run.*-o $dir/part.h5" || fail "nobody to kill"
    fi
    touch go
    code=0
    wait $launcher || code=$?
    [[ $how == KILL ]] || ((code == 75)) || fail "asked to stop: exit $code: $(cat errors)"
    "$scow" show part.h5 --check >/dev/null 2>&1 && fail "$how: all is done though the master was in its first core task"
    go_run shared.json part.h5 -i lines.txt -q --resume
    ((code == 0)) || fail "gone on with after $how: exit $code: $(cat errors)"
    grep -q ' of them done before' said || fail "$how: nothing was done before: $(cat said)"
    "$scow" show part.h5 --output | cmp -s - whole.txt || fail "gone on with after $how: not the same"
    "$scow" show part.h5 --check >/dev/null 2>errors || fail "gone on with after $how: $(cat errors)"
done

# ---- measured, planned and run -----------------------------------------------------------------
"$mpiexec" -n 3 "$scow" calibrate -k command --command 'sleep 0.01; echo {}' -i lines.txt --quick --master-computes -q -o profile.json 2>errors ||
    fail "calibrating: $(cat errors)"
"$scow" plan -p profile.json -i lines.txt --master-computes -q -o planned.json || fail "planning what was measured"
master=$(/usr/bin/python3 - profile.json planned.json <<'END'
import json
import sys

profile, plan = (json.load(open(name)) for name in sys.argv[1:])
compute = profile["settings"][0]["master"]["compute"]
if compute["s_per_task"] < 0.01 or compute["n"] < 1:
    sys.exit(f"the master took {compute} for a core task that sleeps 0.01 s")
print(plan.get("master", {"tasks": 0})["tasks"])
END
) || fail "$master"
((master > 0)) || fail "the plan leaves the master nothing"
go_run planned.json planned.h5 -i lines.txt -q --no-copies
((code == 0)) || fail "as planned: exit $code: $(cat errors)"
[[ $(computed planned.h5) == "0:$master "* ]] || fail "planned for $master of the master, and computed $(computed planned.h5)"

# ---- what does not go together ------------------------------------------------------------------
for option in '--replan 0.1' '--tail gss'; do
    # shellcheck disable=SC2086
    go_run shared.json none.h5 -i lines.txt -q $option
    [[ $code == 2 && $(<errors) == "scow run: the plan has the master compute, as it was planned: leave ${option%% *} out, or plan without --master-computes" ]] ||
        fail "$option: exit $code: $(cat errors)"
done
go_run shared.json rule.h5 -i lines.txt -q -s ss
((code == 0)) || fail "on request: exit $code: $(cat errors)"
[[ $(computed rule.h5) != 0:* ]] || fail "on request, the master computes all the same: $(computed rule.h5)"
echo "a master that computes leaves what workers leave"
