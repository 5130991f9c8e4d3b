#!/usr/bin/env bash
# Records as tables for other programs, each read back by a reader that is not ours; lines with all
# that separates values, several numbers in a field, texts that are cut; endings that nobody knows.
# usage: show_records.sh SCOW MPIEXEC PLUGIN
set -euo pipefail
scow=$1 mpiexec=$2 plugin=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1

fail() {
    echo "show_records: $*"
    exit 1
}

printf '%s\n' 'a,b' 'say "no"' $'tab\there' 'back\slash' '' 'ünï' ' plain ' fails >lines.txt
cat >plan.json <<'END'
{ "schema": "scow-plan-1", "kernel": "command",
  "parameters": {"command": "sh -c 'echo \"$1\"; [ \"$1\" != fails ] || exit 7' work {}", "per": "task", "retries": 0,
                 "keep": 12, "jobs": 1, "grace": 1, "most-output": 1000000},
  "scheduler": "static", "tasks": 8, "workers": [1, 0], "rounds": [{"repeat": 1, "loads": [3, 5]}] }
END
code=0
timeout 400 "$mpiexec" -n 3 "$scow" run plan.json -i lines.txt -o out.h5 -q >/dev/null 2>errors.txt || code=$?
[[ $code == 1 ]] || fail "the run ended with $code: $(cat errors.txt)"

"$scow" show out.h5 --csv >csv.txt
"$scow" show out.h5 -o out.csv
cmp csv.txt out.csv || fail "a file has something else than standard output"
for ending in tsv jsonl npy; do
    "$scow" show out.h5 -o "out.$ending"
done
cat >read.py <<'END'
import ast, csv, json, struct, sys

lines = open("lines.txt", encoding="utf-8").read().split("\n")[:-1]

def check(rows, integer=int):
    assert len(rows) == 8, rows
    for k, row in enumerate(rows):
        failed = k == 7
        assert integer(row["task"]) == k + 1 and row["line"] == lines[k], (k, row)
        assert row["state"] == ("failed" if failed else "done"), (k, row)
        assert (row.get("reason") or "") == ("exit 7" if failed else ""), (k, row)
        assert integer(row["exit"]) == (7 if failed else 0) and integer(row["attempts"]) == 1, (k, row)
        assert integer(row["stdout_size"]) == len(lines[k].encode()) + 1, (k, row)
        assert row["stdout"] == lines[k].encode()[:12].decode(), (k, row)
        assert 0 <= float(row["seconds"]) < 60 and float(row["start"]) > 1e9, (k, row)

with open("out.csv", newline="", encoding="utf-8") as file:
    check(list(csv.DictReader(file, strict=True)))

def plain(word):
    for escaped, meant in ((r"\t", "\t"), (r"\n", "\n"), (r"\r", "\r")):
        word = word.replace(escaped, meant) if "\\\\" not in word else word
    return word.replace("\\\\", "\\")

rows = [[plain(word) for word in line.split("\t")] for line in open("out.tsv", encoding="utf-8").read().split("\n")[:-1]]
check([dict(zip(rows[0], row)) for row in rows[1:]])
check([json.loads(line) for line in open("out.jsonl", encoding="utf-8")])

# The file itself, as its definition has it; and by numpy, where it is here.
data = open("out.npy", "rb").read()
assert data[:8] == b"\x93NUMPY\x01\x00"
size = struct.unpack("<H", data[8:10])[0]
assert (10 + size) % 64 == 0 and data[10 + size - 1:10 + size] == b"\n"
header = ast.literal_eval(data[10:10 + size].decode())
assert header["shape"] == (8,) and header["fortran_order"] is False, header
codes = {"<i8": "q", "<i4": "i", "<f8": "d", "|u1": "B"}
layout = "<" + "".join(codes.get(kind) or kind[2:] + "s" for _, kind in header["descr"])
names = [name for name, _ in header["descr"]]
assert len(data) == 10 + size + 8 * struct.calcsize(layout), (len(data), layout)
rows = [dict(zip(names, row)) for row in struct.iter_unpack(layout, data[10 + size:])]
for row in rows:
    row["state"] = {1: "done", 2: "failed"}[row["state"]]
    for name, value in row.items():
        if isinstance(value, bytes):
            row[name] = value.rstrip(b"\0").decode()
check(rows)
try:
    import numpy
except ImportError:
    sys.exit(0)
table = numpy.load("out.npy")
assert table.shape == (8,) and list(table["exit"]) == [0] * 7 + [7] and table["line"][5] == "ünï".encode(), table
END
python3 read.py || fail "a table is not what its readers expect"

# Without its lines, a table goes without them, and says so.
mv lines.txt gone.txt
[[ $("$scow" show out.h5 --csv 2>errors.txt | head -n 1) == "task,state,reason,exit,seconds,"* ]] || fail "has lines that are gone"
[[ $(cat errors.txt) == *"its input 'lines.txt' is not there any more"* ]] || fail "does not say why: $(cat errors.txt)"

# Of a plug-in whose core tasks are lines, too.
printf '%s\n' ab '' abcd >lines.txt
timeout 400 "$mpiexec" -n 3 "$scow" go -k "$plugin" -i lines.txt -o own.h5 -q --no-page >/dev/null
[[ $("$scow" show own.h5 --tsv | cut -f 1,2,5) == $'task\tline\tbytes\n1\tab\t2\n2\t\t0\n3\tabcd\t4' ]] ||
    fail "a plug-in's lines are missing: $("$scow" show own.h5 --tsv)"

# refused CODE SENTENCE OPTION...
refused() {
    local wanted=$1 sentence=$2 code=0
    shift 2
    "$scow" show "$@" 2>errors.txt >found.txt || code=$?
    [[ $code == "$wanted" && $(cat errors.txt) == *"$sentence"* ]] || fail "$* ends with $code: $(cat errors.txt)"
}
refused 2 ".csv, .tsv, .jsonl and .npy are records" out.h5 -o out.xyz
refused 2 ".csv, .tsv, .jsonl and .npy are records" out.h5 -o out
refused 2 "exclude each other" out.h5 --csv --tsv
refused 2 "exclude each other" out.h5 --csv --failed
refused 1 "cannot write no/out.csv" out.h5 -o no/out.csv
[[ ! -e out.xyz && ! -e out ]] || fail "writes what it refuses"
