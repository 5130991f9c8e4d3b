#!/usr/bin/env bash
# The core task library, all the way: one checksum for one worker and two, plain and compressed libraries;
# every relative is found; an output is not gone on with after the library has changed.
# usage: library.sh SCOW MPIEXEC
set -euo pipefail
scow=$1 mpiexec=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1

fail() {
    echo "library: $*"
    exit 1
}

# expect CODE COMMAND...
expect() {
    local expected=$1 code=0
    shift
    timeout 300 "$@" >said 2>&1 || code=$?
    [[ $code == "$expected" ]] || fail "$* ended with $code, not $expected: $(cat said)"
}

# Sequence k of the input is sequence 60 - k of the library without some letters at both ends.
/usr/bin/python3 - <<'END'
import random
random.seed(5)
known = ["".join(random.choice("ARNDCQEGHILKMFPSTWYV") for _ in range(random.randint(60, 300))) for _ in range(60)]
with open("known.fa", "w") as file:
    file.writelines(f">K{k} some words\n{letters[:70]}\n{letters[70:]}\n" for k, letters in enumerate(known))
with open("new.fa", "w") as file:
    file.writelines(f">N{k}\n{known[59 - k][5:-5]}\n" for k in range(60))
END
gzip -k known.fa
cat >plan.json <<'END'
{ "schema": "scow-plan-1", "kernel": "library", "parameters": {"targets": "known.fa"}, "scheduler": "static",
  "tasks": 60, "workers": [1, 0], "rounds": [{"repeat": 3, "loads": [9, 11]}] }
END
sed -e 's/\[1, 0\]/[0]/' -e 's/\[9, 11\]/[20]/' plan.json >one.json
sed -e 's/known.fa/known.fa.gz/' plan.json >packed.json

expect 0 "$mpiexec" -n 3 "$scow" run plan.json -i new.fa -o two.h5 -q
expect 0 "$mpiexec" -n 2 "$scow" run one.json -i new.fa -o one.h5 -q
expect 0 "$mpiexec" -n 3 "$scow" run packed.json -i new.fa -o packed.h5 -q
for output in one packed; do
    [[ $("$scow" show $output.h5 | grep ^checksum) == "$("$scow" show two.h5 | grep ^checksum)" ]] ||
        fail "$output.h5 has another checksum"
done
"$scow" show two.h5 --csv >records.csv
/usr/bin/python3 - <<'END' || fail "not every sequence is found: $(cat records.csv)"
import csv
rows = list(csv.DictReader(open("records.csv")))
assert len(rows) == 60
for k, row in enumerate(rows):
    assert row["line"] == f"N{k}" and row["name"] == f"K{59 - k}" and row["target"] == str(59 - k), row
    assert int(row["target_end"]) == int(row["source_end"]) + 5, row
END
"$scow" show two.h5 | grep -q '^result *{"score": [0-9]*, "source": [0-9]*, "target": ' || fail "no best of all"

sed -i '2s/^./W/' known.fa
expect 4 "$mpiexec" -n 3 "$scow" run plan.json -i new.fa -o two.h5 -q --resume
grep -q 'the method' said || fail "what has changed is not named: $(cat said)"
