#!/usr/bin/env bash
# An input that changes while a run reads it: exit code 4, the output is not complete and its ledger
# claims nothing; with the input as it was the run can be gone on with. One that is only touched
# changes nothing.
# usage: run_changed.sh SCOW MPIEXEC GATE
set -euo pipefail
scow=$1 mpiexec=$2 gate=$3 image=''
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
# shellcheck source=tests/spmd/faults.sh
source "$here/faults.sh"

run() { # OUTPUT OPTION...
    local out=$1
    shift
    code=0
    "$mpiexec" -n 3 "$scow" run plan.json "${input[@]}" -o "$out" -q "$@" >said 2>&1 || code=$?
}

refused() { # NAME OUTPUT
    if [[ $code != 4 ]] || ! grep -q "has changed while it was read: no result counts, and the output says so" said; then
        fail "$1: exit code $code, and: $(cat said)"
    fi
    [[ $(done_of "$2") == 0 ]] || fail "$1: the ledger claims $(done_of "$2") core tasks"
    ! is_complete "$2" || fail "$1: the output says that it is complete"
}

# Commands that change their own lines: each at a moment that is known.
lines() { # WHAT THE TENTH COMMAND DOES
    seq 100 139 >lines.txt
    /usr/bin/python3 - "$1" >plan.json <<'END'
import json, sys
command = "case {#} in 10) " + sys.argv[1] + ";; esac; echo {}"
print(json.dumps({"schema": "scow-plan-1", "kernel": "command", "scheduler": "by hand", "tasks": 40,
    "parameters": {"command": command, "per": "task", "retries": 0, "keep": 32, "jobs": 1, "grace": 1, "most-output": 1000},
    "workers": [0, 1], "rounds": [{"repeat": 10, "loads": [2, 2]}]}))
END
    input=(-i lines.txt)
}

lines "printf 9 | dd of=lines.txt conv=notrunc bs=1 2>/dev/null"
run overwritten.h5
refused "overwritten" overwritten.h5
seq 100 139 >lines.txt
lines "printf 1 | dd of=lines.txt conv=notrunc bs=1 2>/dev/null"
run same.h5
[[ $code == 0 ]] || fail "written anew with the same: exit code $code, and: $(cat said)"
expected=$(sed -n 's/.*checksum //p' said)
lines "touch lines.txt"
run touched.h5
[[ $code == 0 ]] || fail "touched: exit code $code, and: $(cat said)"
lines "mv lines.txt gone.txt; seq 200 239 >lines.txt"
run replaced.h5
refused "replaced" replaced.h5
[[ $expected =~ ^[0-9a-f]{16}$ ]] || fail "no checksum"

# A stack that somebody overwrites or cuts when some of it has been read, by the master or by the
# workers themselves.
/usr/bin/python3 - <<'END'
import h5py, numpy
with h5py.File("original.h5", "w") as file:
    file["slices"] = (numpy.arange(4 * 96 * 128) % 251).astype("u1").reshape(4, 96, 128)
END
cat >plain.json <<'END'
{"schema": "scow-plan-1", "kernel": "matched-filter", "parameters": {"bank": "chaudhuri", "combine": "max", "algorithm": "reference"},
 "scheduler": "by hand", "tasks": 48, "block": 32, "workers": [0, 1], "rounds": [{"repeat": 12, "loads": [2, 2]}]}
END
sed 's/"algorithm": "reference"/&, "staged": "yes"/' plain.json >staged.json
input=(-i stack.h5:/slices)
for who in plain staged; do
    cp $who.json plan.json
    cp original.h5 stack.h5
    run whole-$who.h5
    expected=$(sed -n 's/.*checksum //p' said)
    [[ $expected =~ ^[0-9a-f]{16}$ ]] || fail "no checksum: $(cat said)"
    for how in overwritten cut; do
        rm -f part.h5 gate.*
        cp original.h5 stack.h5
        # Of each worker's 24 core tasks two are done, with 33 writes each.
        "$mpiexec" -n 3 env LD_PRELOAD="$gate" GATE="$PWD/gate" GATE_WRITES=80 "$scow" run plan.json "${input[@]}" \
            -o part.h5 -q --patience 600 >said 2>&1 &
        launcher=$!
        reach part.h5 4
        if [[ $how == cut ]]; then
            truncate -s 20000 stack.h5
        else
            dd if=/dev/zero of=stack.h5 bs=1000 seek=10 count=35 conv=notrunc 2>/dev/null
        fi
        gate_open
        code=0
        wait $launcher || code=$?
        refused "$who, $how" part.h5
        cp original.h5 stack.h5
        run part.h5 --resume
        [[ $code == 0 && $(sed -n 's/.*checksum //p' said) == "$expected" ]] ||
            fail "$who, $how, and resumed with what it was: exit code $code, and: $(cat said)"
    done
done
echo "run changed: done"
