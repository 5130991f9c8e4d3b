#!/usr/bin/env bash
# A search in levels is stopped within one, goes on, loses a worker within the same, goes on with the others, and its
# last levels are thrown away; in the end every level had the core tasks that it should, and the outcome is that of the
# other searches.
# usage: run_levels.sh SCOW MPIEXEC GATE
set -euo pipefail
scow=$1 mpiexec=$2 gate=$3
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'pkill -KILL -f -- "-o $dir/" || true; rm -rf "$dir"' EXIT
cd "$dir"
# shellcheck source=tests/spmd/faults.sh
source "$here/faults.sh"
# What is preloaded stands before a sanitiser's library.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0

printf '>%s\n%s\n' a GGCGTAGACAATTA b CATAACAACGTAGT c CAGCACGTTACTTG d TTGGACGGATGTGA e ACGGATTAAGGGTT >five.fa
cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "motif-levels", "parameters": {"length": 5},
 "scheduler": "by hand", "tasks": 10, "workers": [0, 1, 2], "rounds": [{"repeat": 3, "loads": [1, 1, 1]},
 {"repeat": 1, "loads": [1, 0, 0]}]}
END
input=(-i five.fa) options=()

# level FILE: which one it is of, and how many of its core tasks are done.
level() {
    /usr/bin/python3 -c 'import h5py, sys
f = h5py.File(sys.argv[1])
print(f.attrs["level"], f["ledger"].shape[0], int((f["ledger"][:] == 1).sum()))' "$1"
}

# stands LEVEL TASKS: part.h5 is of that level, which has so many, and part of them is done; or all.
stands() {
    local level tasks ready
    read -r level tasks ready < <(level part.h5)
    [[ $level == "$1" && $tasks == "$2" && $ready -gt 0 ]] || fail "at $level with $ready of $tasks, not at $1: $(cat part.h5.said)"
    [[ $3 == all ]] || ((ready < tasks)) || fail "level $1 is done"
}
# search WORDS CODE: what --check says of all levels.
search() {
    local code=0 said
    said=$("$scow" show part.h5 --levels --check 2>&1) || code=$?
    [[ $said == *"$1"* && $code == "$2" ]] || fail "--check of all levels says '$said' and ends with $code"
}
says() {
    grep -q "$1" part.h5.said || fail "'$1' is not said: $(cat part.h5.said)"
}

gate_start part.h5
gate_await part.h5
kill -TERM "${processes[@]}"
gate_open
end part.h5
says 'stopped as asked, with .* of 100 core tasks done: .* --resume to go on'
stands 2 100 part
search 'of 100 core tasks of level 2 are done: go on with it by scow run --resume' 75

gate_start part.h5 --resume
gate_await part.h5
kill -KILL "${processes[2]}"
gate_open
end part.h5
says 'goes on without 1 of 3 workers: after level 2 they are numbered from 1 again'
grep '^{' part.h5.said >whole.said || fail "not the outcome: $(cat part.h5.said)"
grep -q '^{"score": 21, "positions": \[1, 7, 4, 4, 0\],' whole.said || fail "another outcome: $(cat whole.said)"
stands 4 7 all
[[ $(for file in part.level?.h5; do level "$file"; done | paste -sd ' ') == "1 10 10 2 100 100 3 84 84" ]] ||
    fail "the levels are not what they should be: $(for file in part.level?.h5; do level "$file"; done)"

"$scow" report part.h5 --json >report.json
/usr/bin/python3 -c 'import json
levels = json.load(open("report.json"))["levels"]
assert [(level["level"], level["tasks"]) for level in levels] == [(1, 10), (2, 100), (3, 84), (4, 7)], levels
assert all(level["measured_s"] > 0 for level in levels), levels' || fail "the report does not have all levels"

search 'done: no level follows' 0
"$scow" show part.h5 --levels --json >search.json
/usr/bin/python3 -c 'import json
search = json.load(open("search.json"))
assert search["over"] and search["result"]["score"] == 21, search
assert [(level["level"], level["done"], level["output"]) for level in search["levels"]] == \
    [(1, 10, "part.level1.h5"), (2, 100, "part.level2.h5"), (3, 84, "part.level3.h5"), (4, 7, "part.h5")], search' ||
    fail "the view of the search is not what it should be"
cp part.level2.h5 kept.h5
/usr/bin/python3 -c 'import h5py
with h5py.File("part.level2.h5", "r+") as f:
    f["digests"][3] = ~f["digests"][3]'
search 'part.level2.h5: does not hold what was written there: if it is needed, remove part.h5 and the levels after' 75
mv kept.h5 part.level2.h5
"$scow" show part.level2.h5 --levels >said 2>&1 && fail "a level passes for the search"
grep -q "name the search's output, such as part.h5" said || fail "what to name is not said: $(cat said)"

# Between two levels there is no output.
rm part.h5 part.level4.results.?
search 'level 3 is done and the next one has not begun: go on with it by scow run --resume' 75
start part.h5 --resume
end part.h5
grep '^{' part.h5.said | cmp - whole.said || fail "behind the third level: $(cat part.h5.said)"

# What the master alone finds wrong between two levels ends all.
rm part.h5 part.level4.results.?
for file in part.level3.results.?; do tr '\0-\377' '\377' <"$file" >spoilt && mv spoilt "$file"; done
start part.h5 --resume --trust
end part.h5
says "none of this level's prefixes goes on"
