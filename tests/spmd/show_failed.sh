#!/usr/bin/env bash
# Core tasks that failed: all of them are listed with their reasons, whichever rank they failed on
# and in whichever part of the run, with their lines while the input is what it was.
# usage: show_failed.sh SCOW MPIEXEC
set -euo pipefail
scow=$1 mpiexec=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1

fail() {
    echo "show_failed: $*"
    exit 1
}

cat >plan.json <<END
{ "schema": "scow-plan-1", "kernel": "command",
  "parameters": {"command": "sh $dir/work.sh {}", "per": "task", "retries": 1, "keep": 8, "jobs": 2, "timeout": "2",
                 "grace": 0.1, "most-output": 1000000},
  "scheduler": "static", "tasks": 8, "workers": [1, 0],
  "rounds": [{"repeat": 2, "loads": [2, 2]}] }
END
cat >work.sh <<'END'
case $1 in
2) seq 7 >&2; exit 3 ;;
3) echo "no end of line" ; printf 'bad \033[1m"thing"' >&2; [ -e good ] || exit 1 ;;
5) kill -9 $$ ;;
6) sleep 60 ;;
8) echo once >&2; exit 8 ;;
esac
END
seq 8 >lines.txt

run() {
    local wanted=$1 code=0
    shift
    timeout 400 "$mpiexec" -n 3 "$scow" run plan.json -i lines.txt -o out.h5 -q "$@" >/dev/null 2>errors.txt || code=$?
    [[ $code == "$wanted" ]] || fail "a run ended with $code: $(cat errors.txt)"
}

# lists WANTED: what --failed prints.
lists() {
    "$scow" show out.h5 --failed >found.txt
    diff -u - found.txt <<<"$1" || fail "the list is another"
}

run 1
[[ $(cat errors.txt) == *"5 of 8 core tasks failed"*"scow show out.h5 --failed"* ]] || fail "the run says $(cat errors.txt)"
lists '5 of 8 core tasks failed
2: exit 3, 2 attempts: 2
    1
    2
    3
    4
    5
    ...
3: exit 1, 2 attempts: 3
    bad \x1b[1m"thing"
5: killed by signal 9, 2 attempts: 5
6: timed out after 2 s, 2 attempts: 6
8: exit 8, 2 attempts: 8
    once'
"$scow" show out.h5 --failed --json >found.json
python3 - <<'END' || fail "its JSON is another"
import json
found = json.load(open("found.json"))
assert (found["tasks"], found["failed"], found["missing"], found["note"]) == (8, 5, 0, None), found
rows = {row["task"]: row for row in found["failures"]}
assert [rows[n]["exit"] for n in (2, 3, 5, 8)] == [3, 1, None, 8] and rows[5]["signal"] == 9, rows
assert rows[3] == {"task": 3, "line": "3", "attempts": 2, "exit": 1, "signal": None, "reason": "exit 1",
                   "stderr": 'bad \x1b[1m"thing"', "stderr_cut": False}, rows[3]
assert rows[2]["stderr"] == "1\n2\n3\n4\n5" and rows[2]["stderr_cut"] and rows[6]["reason"].startswith("timed out"), rows
END

# They enter no mean.
"$scow" report out.h5 --html page.html >report.txt
grep -qF '{"field": "exit", "least": 0, "mean": 0, "greatest": 0}' page.html || fail "failed lines enter means"

# Those that fail again are there after a resumed run, the others are not.
: >good
run 1 --resume
"$scow" show out.h5 --failed | grep -v '^ ' | cut -d , -f 1 | paste -sd ' ' >found.txt
[[ $(cat found.txt) == "4 of 8 core tasks failed 2: exit 3 5: killed by signal 9 6: timed out after 2 s 8: exit 8" ]] ||
    fail "after a resumed run there are $(cat found.txt)"

# The input elsewhere, changed, gone.
mkdir elsewhere
mv out.h5 out.h5.results.* elsewhere
mv lines.txt elsewhere
[[ $("$scow" show elsewhere/out.h5 --failed | grep -c ': [2568]$') == 4 ]] || fail "lines beside the output are not found"
sed -i s/2/3/ elsewhere/lines.txt
"$scow" show elsewhere/out.h5 --failed >found.txt
grep -q "^(its input 'elsewhere/lines.txt' has changed since, so lines are not shown)" found.txt || fail "shows changed lines"
rm elsewhere/lines.txt
"$scow" show elsewhere/out.h5 --failed >found.txt
grep -q "^(its input 'lines.txt' is not there any more" found.txt || fail "does not say that lines are gone"
grep -q "^2: exit 3, 2 attempts$" found.txt || fail "needs the lines"

# Where none is left there are no others to be there.
seq 8 | sed 's/.*/2/' >lines.txt
rm -rf out.h5 out.h5.*
run 1
[[ $(cat errors.txt) == *"8 of 8 core tasks failed; among them "* ]] || fail "of nothing but failures: $(cat errors.txt)"
