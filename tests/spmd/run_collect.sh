#!/usr/bin/env bash
# Results that return to the master: workers to whom the output's folder is not there (another file
# system hides it), with every kind of result; the file holds what a run that writes from the workers
# holds, checksum and digests with it, and either kind of run goes on with what the other one left.
# usage: run_collect.sh SCOW MPIEXEC IMAGE
set -euo pipefail
scow=$1 mpiexec=$2 image=$3
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/spmd/faults.sh
source "$here/faults.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1
mkdir out

fail() {
    echo "collect: $*"
    exit 1
}

# A worker, in a mount namespace of its own where ./out is empty and cannot be written. Who may not do
# that as a user does it as the root of a namespace of users.
cat >blind.sh <<END
#!/bin/sh
if ! touch "$dir/out/\$\$" 2>/dev/null; then exec "\$@"; fi
echo "a worker can write to the output's folder" >&2
exit 9
END
cat >hide.sh <<END
#!/bin/sh
mount -t tmpfs -o size=4k,mode=0 none "$dir/out" && mount -o remount,ro "$dir/out" && exec sh "$dir/blind.sh" "\$@"
END
unshare=(unshare --mount)
"${unshare[@]}" sh hide.sh true 2>/dev/null || unshare=(unshare --user --map-root-user --mount)
"${unshare[@]}" sh hide.sh true || fail "no way to hide a folder from workers: run this as root"

# apart WORKERS FILE OPTION...: the master sees the output, workers do not. What is said is in `said`.
apart() {
    local count=$1 file=$2
    shift 2
    code=0
    "$mpiexec" -n 1 "$scow" run plan.json -o "out/$file" "$@" : \
        -n "$count" "${unshare[@]}" sh hide.sh "$scow" run plan.json -o "out/$file" "$@" >said 2>errors ||
        code=$?
}
together() {
    local count=$1 file=$2
    shift 2
    code=0
    "$mpiexec" -n $((count + 1)) "$scow" run plan.json -o "out/$file" "$@" >said 2>errors || code=$?
}
checksum() { sed -n 's/.*checksum \([0-9a-f]*\).*/\1/p' said; }

# same NAME OPTION...: collected, it is what workers write. `shown` prints what is in a file.
same() {
    local name=$1
    shift
    together 2 "$name-written.h5" "$@" -q
    ((code == 0)) || fail "$name: written by workers: exit $code: $(cat errors)"
    local expected
    expected=$(checksum)
    [[ $expected =~ ^[0-9a-f]{16}$ ]] || fail "$name: no checksum: $(cat said)"
    apart 2 "$name.h5" "$@" --collect -q
    ((code == 0)) || fail "$name: collected: exit $code: $(cat errors)"
    [[ $(checksum) == "$expected" ]] || fail "$name: checksum $(checksum), not $expected"
    shown "out/$name-written.h5" >written.txt
    shown "out/$name.h5" >collected.txt
    cmp -s written.txt collected.txt || fail "$name: not the same: $(diff written.txt collected.txt | head -5)"
    [[ -s written.txt ]] || fail "$name: shows nothing"
    "$scow" show "out/$name.h5" --check >/dev/null 2>errors || fail "$name: $(cat errors)"
}

# ---- a grid and its picture -------------------------------------------------------------------
cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "matched-filter",
 "parameters": {"bank": "chaudhuri", "combine": "max", "algorithm": "reference"},
 "scheduler": "by hand", "tasks": 192, "block": 16, "workers": [0, 1], "rounds": [{"repeat": 48, "loads": [1, 3]}]}
END
shown() {
    "$scow" show "$1" --png "$1.png" >/dev/null && cksum <"$1.png"
}
same grid -i "$image"
without_prediction='made for workers that write'
apart 2 loud.h5 -i "$image" --collect
grep -q "$without_prediction" errors || fail "nothing is said of a plan for workers that write: $(cat errors)"

# ---- a port that is slow to take results --------------------------------------------------------
# Workers wait where too many are not taken yet, which the trace says, and no more than four are under
# way, two of each worker wait and one is held.
cp plan.json grid.json
cat >slow.json <<'END'
{"schema": "scow-profile-1", "kernel": "sleep", "parameters": {"results": "package"}, "settings": [{"windows": [{"tasks": [1, 100],
   "envelope": {"latency_s": 1e-4, "s_per_task": 0}, "send": {"latency_s": 0, "s_per_task": 0},
   "workers": [{"count": 2, "receive": {"latency_s": 0, "s_per_task": 0}, "link": {"latency_s": 0, "s_per_task": 0},
                "compute": {"latency_s": 1e-3, "s_per_task": 1e-3}, "result": {"latency_s": 2e-2, "s_per_task": 0}}]}]}]}
END
cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "sleep", "parameters": {"results": "package"}, "scheduler": "by hand", "tasks": 60,
 "workers": [0, 1], "rounds": [{"repeat": 30, "loads": [1, 1]}]}
END
together 2 slow.h5 -p slow.json -q
((code == 0)) || fail "a slow port: exit $code: $(cat errors)"
/usr/bin/python3 - out/slow.h5 <<'END' || fail "a slow port does not hold up workers"
import collections
import sys

import h5py

with h5py.File(sys.argv[1], "r") as file:
    trace = file["/run/trace"][:]
names = h5py.check_enum_dtype(trace.dtype["operation"])
rows = {name: [row for row in trace if row["operation"] == names[name]] for name in ("idle", "compute", "result")}
waited = sum(count > 1 for count in collections.Counter(row["package"] for row in rows["idle"]).values())
computed = {row["package"]: row["end"] for row in rows["compute"]}
taken = {row["package"]: row["end"] for row in rows["result"]}
most = max(sum(computed[a] <= computed[b] < taken[a] for a in computed) for b in computed)
sys.exit(f"{waited} packages waited, {most} were not taken" if waited < 10 or most > 4 + 2 * 3 else 0)
END
mv grid.json plan.json

# ---- kept until everything is handed out ------------------------------------------------------
# The same file, from the same blind workers; no result leaves a worker before its last package is computed.
cp plan.json grid.json
sed 's/"parameters": {/&"results": "end", /' grid.json >plan.json
apart 2 kept.h5 -i "$image" -q
((code == 0)) || fail "kept: exit $code: $(cat errors)"
"$scow" show out/kept.h5 --png kept.png >/dev/null || fail "kept: no picture"
cksum <kept.png | cmp -s - written.txt || fail "kept: not the same"
"$scow" show out/kept.h5 --check >/dev/null 2>errors || fail "kept: $(cat errors)"
/usr/bin/python3 - out/kept.h5 <<'END' || fail "what is kept returns early"
import sys

import h5py

with h5py.File(sys.argv[1], "r") as file:
    trace = file["/run/trace"][:]
names = h5py.check_enum_dtype(trace.dtype["operation"])
rows = {name: [row for row in trace if row["operation"] == names[name]] for name in ("compute", "result", "collect")}
last = {rank: max(row["end"] for row in rows["compute"] if row["rank"] == rank) for rank in (1, 2)}
sent = {row["rank"]: row["start"] for row in rows["result"]}
sys.exit(sorted(sent) != [1, 2] or len(rows["result"]) != 2 or len(rows["collect"]) != 96 or any(sent[r] < last[r] for r in sent))
END
mv grid.json plan.json

# ---- records, outputs of commands, failures ---------------------------------------------------
# By a plan whose workers write while they compute.
seq 1 60 >lines.txt
cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "command",
 "parameters": {"command": "seq {} {}00; echo {} >&2", "retries": 0, "write-behind": "yes"},
 "scheduler": "by hand", "tasks": 60, "workers": [0, 1], "rounds": [{"repeat": 10, "loads": [3, 3]}]}
END
shown() {
    "$scow" show "$1" --output
    "$scow" show "$1" --task 7 | sed '/^seconds\|^start\|^worker\|^peak_kib/d'
}
same commands -i lines.txt
sed 's/seq {} {}00/case {} in 5) exit 3;; esac/' plan.json >failing.json
mv failing.json plan.json
apart 2 failing.h5 -i lines.txt --collect -q
((code == 1)) || fail "a command fails: exit $code"
"$scow" show out/failing.h5 --failed | grep -q '^5' || fail "the failed one is not shown: $("$scow" show out/failing.h5 --failed)"

# ---- a job that nobody has measured -----------------------------------------------------------
# It learns what results take while they return, which its profile and plan say; what it leaves is gone on with
# by workers that write, and the other way round.
go=(-k command --command 'seq {} {}00' --retries 0 -i lines.txt -q)
"$mpiexec" -n 1 "$scow" go "${go[@]}" --collect -o out/go.h5 : -n 2 "${unshare[@]}" sh hide.sh "$scow" go "${go[@]}" --collect -o out/go.h5 \
    >said 2>errors || fail "go: exit $?: $(cat errors)"
collected=$(checksum)
"$scow" show out/go.h5 --check >/dev/null 2>errors || fail "go: $(cat errors)"
for key in '"results": "package"' '"result": {' '"collect": {'; do
    grep -q "$key" out/go.profile.json || fail "go: no $key in the profile"
done
grep -q '"results": "package"' out/go.plan.json || fail "go: the plan does not say that results return"
"$mpiexec" -n 3 "$scow" go "${go[@]}" -o out/go.h5 >said 2>errors || fail "go on without --collect: $(cat errors)"
[[ $(checksum) == "$collected" ]] || fail "go on without --collect: another checksum"
"$mpiexec" -n 3 "$scow" go "${go[@]}" -o out/went.h5 >said 2>errors || fail "go without --collect: $(cat errors)"
[[ $(checksum) == "$collected" ]] || fail "go without --collect: checksum $(checksum), not $collected"

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
shown() {
    "$scow" report "$1" | grep '^result .*{'
}
same reduction -i sequences.fa

# ---- going on, and losses ---------------------------------------------------------------------
# Line 31 waits until there is `go`; whoever is killed meanwhile leaves what the ledger says, and the
# run is gone on with by workers that write, or by a master that does.
cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "command",
 "parameters": {"command": "case {} in 31) touch there; while [ ! -e go ]; do sleep 0.02; done;; esac; seq {}", "retries": 0},
 "scheduler": "by hand", "tasks": 60, "workers": [0, 1], "rounds": [{"repeat": 15, "loads": [2, 2]}]}
END
shown() {
    "$scow" show "$1" --output
}
touch go
same whole -i lines.txt

# held FILE OPTION...: a run whose line 31 waits, in the background.
held() {
    rm -f go there
    "$mpiexec" -n 3 "$scow" run plan.json -i lines.txt -o "$dir/out/$1" -q "${@:2}" >said 2>errors &
    launcher=$!
    while [[ ! -e there ]]; do
        kill -0 $launcher 2>/dev/null || fail "ended before line 31: $(cat errors)"
        sleep 0.02
    done
}
for next in together apart; do
    rm -f out/part.h5*
    held part.h5 --collect
    pkill -KILL -f -- "scow-run.*-o $dir/out/part.h5" || fail "nobody to kill"
    wait $launcher || true
    touch go
    "$scow" show out/part.h5 --check >/dev/null 2>errors && fail "all is done though everybody was killed"
    $next 2 part.h5 -i lines.txt -q --resume "$([[ $next == apart ]] && echo --collect || echo --trust)"
    ((code == 0)) || fail "gone on with $next: exit $code: $(cat errors)"
    grep -q ' of them done before' said || fail "nothing was done before: $(cat said)"
    shown out/part.h5 | cmp -s - written.txt || fail "gone on with $next: not the same"
    "$scow" show out/part.h5 --check >/dev/null 2>errors || fail "gone on with $next: $(cat errors)"
done

# What workers have written, a master goes on with that collects; asked to stop, it keeps what has come.
rm -f out/part.h5*
held part.h5
ranks_stop out/part.h5 3
touch go
code=0
wait $launcher || code=$?
((code == 75)) || fail "asked to stop: exit $code: $(cat errors)"
apart 2 part.h5 -i lines.txt -q --resume --collect
((code == 0)) || fail "gone on with what workers wrote: exit $code: $(cat errors)"
shown out/part.h5 | cmp -s - written.txt || fail "gone on with what workers wrote: not the same"

# ---- losses -------------------------------------------------------------------------------------
# Of workers that hold no lock, and a launcher that tells everybody of the one that is killed.
(
    mkdir losses
    cd losses
    job_make sleep
    sed -i 's/2e-2/6e-2/' plan.json profile.json # so that there is time to look
    start whole.h5
    end whole.h5
    expected=$(checksum_of whole.h5)
    [[ $expected =~ ^[0-9a-f]{16}$ ]] || fail "undisturbed: $(cat whole.h5.said)"
    # working OUTPUT RANK TASK, begun before the run: until the rank works on a package from that core task on.
    working() {
        HDF5_USE_FILE_LOCKING=FALSE timeout 300 /usr/bin/python3 -c '
import sys, time, h5py
output, rank, task = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
def first():
    try:
        with h5py.File(output, "r") as file:
            return file["/run/in_flight"][rank]["first"]
    except (OSError, KeyError):
        return 0
while first() < task:
    time.sleep(0.02)' "$@"
    }
    start lost.h5 --collect --patience 5
    gather lost.h5 || fail "over before anybody could be lost: $(cat ./*.said)"
    reach lost.h5 5
    kill -KILL "${processes[2]}"
    end lost.h5
    [[ $(checksum_of lost.h5) == "$expected" ]] || fail "after the loss of a worker: $(cat lost.h5.said)"
    "$scow" report lost.h5 | grep -q 'lost *worker 2' || fail "nobody is told of the loss"
    # What a worker keeps is lost with it, and others do it again.
    for file in plan profile; do
        cp $file.json kept-$file.json
        sed 's/"kernel": "sleep"/&, "parameters": {"results": "end"}/' kept-$file.json >$file.json
    done
    working kept.h5 2 30 &
    watcher=$!
    start kept.h5 --patience 5
    gather kept.h5 || fail "over before anybody could be lost: $(cat ./*.said)"
    while kill -0 $watcher 2>/dev/null; do
        kill -0 "$launcher" 2>/dev/null || fail "over before anybody kept results: $(cat kept.h5.said)"
        sleep 0.02
    done
    wait $watcher || fail "nobody could see what worker 2 works on"
    (($(done_of kept.h5) == 0)) || fail "something is done before everything is handed out"
    kill -KILL "${processes[2]}"
    end kept.h5
    [[ $(checksum_of kept.h5) == "$expected" ]] || fail "after the loss of a worker that kept results: $(cat kept.h5.said)"
    "$scow" report kept.h5 | grep -q 'lost *worker 2' || fail "nobody is told of the loss of one that kept results"
    for file in plan profile; do mv kept-$file.json $file.json; done
    start gone.h5 --collect --patience 5
    gather gone.h5 || fail "over before the master could be killed"
    reach gone.h5 5
    kill -KILL "${processes[0]}"
    end gone.h5
    "$scow" show gone.h5 --check >/dev/null 2>&1 && fail "complete without a master"
    start gone.h5 --collect --patience 5 --resume
    end gone.h5
    [[ $(checksum_of gone.h5) == "$expected" ]] || fail "after the loss of the master: $(cat gone.h5.said)"
)

# ---- what cannot be -----------------------------------------------------------------------------
code=0
"$mpiexec" -n 3 "$scow" run plan.json -i lines.txt -o nowhere/none.h5 --collect -q >said 2>errors || code=$?
[[ $code == 1 && $(wc -l <errors) == 1 && $(<errors) == *nowhere/none.h5* ]] ||
    fail "an output that the master cannot write: exit $code: $(cat errors)"
echo "collected is written, whatever the results"
