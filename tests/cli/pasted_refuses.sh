#!/usr/bin/env bash
# What pasted.py refuses before it executes anything: a page with every mistake that a block can have.
# usage: pasted_refuses.sh PYTHON BUILD MPIEXEC
set -euo pipefail
python=$1 build=$2 mpiexec=$3 here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT
mkdir "$clone/tests"
echo 'true' >"$clone/tests/other.sh"
cat >"$clone/README.md" <<'END'
```sh shown
true
```
```
true
```
```sh
if
```
```sh
scow plan --no-such-option
```
```sh
bash tests/none.sh
```
```sh cluster
sbatch fine
scow tasks
```
```sh tests/other.sh
true
false
```
`scow show --neither` is of `tests/nowhere.c` and `build/release/bin/bench-nothing`, `bash tests/other.sh --odd`

    scow tasks
END
"$python" "$here/pasted.py" "$clone" "$build" "$mpiexec" >"$clone/said" && { echo "all of it is taken"; exit 1; }
failed=0
while read -r line; do
    grep -qxF "    $line" "$clone/said" || { echo "not told: $line"; failed=1; }
done <<'END'
1: 'sh shown' does not say what becomes of it (pasted.py)
4: '' does not say what becomes of it (pasted.py)
7: not shell's grammar
10: no such option: scow plan --no-such-option
13: no such file: tests/none.sh
16: needs no cluster: scow tasks
20: tests/other.sh does not execute: false
0: no such option: scow show --neither
0: no such file: tests/nowhere.c
0: no such program: build/release/bin/bench-nothing
0: tests/other.sh has no option --odd
0: a block needs ``` and what becomes of it (pasted.py): scow tasks
END
[[ $failed == 0 && $(grep -c '^    ' "$clone/said") == 12 ]] || { cat "$clone/said"; exit 1; }
