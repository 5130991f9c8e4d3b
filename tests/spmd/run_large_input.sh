#!/usr/bin/env bash
# An input so large that its digest is taken while the run goes on: it is in the output all the same, also when the
# workers read it by themselves; and where it is not, because the run was killed before, resuming goes by the inodes,
# sizes and times of the input's files, that of status change among them: one that was changed in place is another one,
# whatever its time of change was set to. Where the digest is known, it alone counts.
# usage: run_large_input.sh SCOW MPIEXEC
set -euo pipefail
scow=$1 mpiexec=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1

fail() {
    echo "large input: $*"
    exit 1
}

# 30 MB, most of them a hole in the file that only the digest reads; four slices, 6 x 4 tasks on each.
/usr/bin/python3 - <<'END'
import h5py
import numpy as np

with h5py.File("stack.h5", "w") as file:
    file["stack"] = np.random.default_rng(1).integers(0, 256, (4, 300, 200), "u1")
    file.create_dataset("rest", (30000000,), "u1")[-1] = 1
END
cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "matched-filter",
 "parameters": {"bank": "chaudhuri", "combine": "max", "tuned": "avx2"},
 "scheduler": "by hand", "tasks": 96, "block": 50, "workers": [0, 1], "rounds": [{"repeat": 16, "loads": [3, 3]}]}
END
digest=$(sha256sum <stack.h5 | cut -c1-64)

run() { # OUTPUT OPTION...
    code=0
    "$mpiexec" -n 3 "$scow" run plan.json -i stack.h5:/stack -o "$dir/$1" -q "${@:2}" >said 2>&1 || code=$?
}
refused() { # SENTENCE
    if ((code != 4)) || ! grep -q "$1" said; then
        fail "'$1' is expected, but: exit code $code: $(cat said)"
    fi
}
digest_of() {
    "$scow" report "$1" --json | sed -n 's/.*"input_sha256": "\([0-9a-f]*\)".*/\1/p'
}
# As a run leaves its output that is killed before it has read all of the input.
forget() {
    /usr/bin/python3 - "$1" <<'END'
import sys
import h5py
import numpy as np

with h5py.File(sys.argv[1], "r+") as file:
    digest = h5py.h5a.open(file.id, b"input_sha256")
    digest.write(np.array(b"", "S64"), digest.get_type())
    file.attrs["complete"] = np.int32(0)
    file["ledger"][50:] = 0
END
}

run whole.h5
((code == 0)) || fail "exit code $code: $(cat said)"
[[ $(digest_of whole.h5) == "$digest" ]] || fail "its digest is $(digest_of whole.h5), and not $digest"
expected=$(grep -o 'checksum .*' said)

cp whole.h5 part.h5
forget part.h5
run part.h5 --resume
((code == 0)) || fail "of the same input: exit code $code: $(cat said)"
[[ $(grep -o 'checksum .*' said) == "$expected" ]] || fail "resumed: $(cat said) in place of $expected"
[[ $(digest_of part.h5) == "$digest" ]] || fail "resumed, its digest is '$(digest_of part.h5)'"

# Changed in place, with its old time put back.
cp whole.h5 part.h5
forget part.h5
touch -r stack.h5 before
/usr/bin/python3 -c 'import h5py
with h5py.File("stack.h5", "r+") as file:
    file["stack"][3, 299, 199] = 255 - file["stack"][3, 299, 199]'
touch -r before stack.h5
run part.h5 --resume
refused 'ended before the SHA-256 of its input was known, and stack.h5:/stack has been changed, copied or moved'
/usr/bin/python3 -c 'import h5py
with h5py.File("stack.h5", "r+") as file:
    file["stack"][3, 299, 199] = 255 - file["stack"][3, 299, 199]'

# Where the digest is known, it counts, and times do not.
cp whole.h5 part.h5
/usr/bin/python3 -c 'import h5py, numpy
with h5py.File("part.h5", "r+") as file:
    file.attrs["complete"] = numpy.int32(0)
    file["ledger"][50:] = 0'
touch stack.h5
run part.h5 --resume
((code == 0)) || fail "of the same bytes: exit code $code: $(cat said)"
/usr/bin/python3 -c 'import h5py
with h5py.File("stack.h5", "r+") as file:
    file["stack"][0, 0, 0] = 9'
cp whole.h5 part.h5
run part.h5 --resume
refused 'its SHA-256 differs'

# Workers that read by themselves begin as early.
cp stack.h5 own.h5
sed 's/"tuned": "avx2"/&, "staged": "yes"/' plan.json >staged.json
code=0
"$mpiexec" -n 3 "$scow" run staged.json -i own.h5:/stack -o "$dir/staged.h5" -q >said 2>&1 || code=$?
((code == 0)) || fail "staged: exit code $code: $(cat said)"
[[ $(digest_of staged.h5) == $(sha256sum <own.h5 | cut -c1-64) ]] || fail "staged, its digest is '$(digest_of staged.h5)'"

# Half a GB more, which takes longer than the run begins in: until then the input's size and times are all that is known of it.
/usr/bin/python3 - <<'END' >place
import h5py

with h5py.File("stack.h5", "r+") as file:
    file.create_dataset("more", (500, 1000, 1000), "u1")[499, 999, 999] = 1
    print(file["stack"].id.get_offset())
END
touch -r before stack.h5
run large.h5
((code == 0)) || fail "half a GB: exit code $code: $(cat said)"
expected=$(grep -o 'checksum .*' said)
digest=$(digest_of large.h5)
[[ $digest =~ ^[0-9a-f]{64}$ ]] || fail "half a GB: its digest is '$digest'"
interrupted() { # part.h5: as if its run had been killed when half of it was done
    cp large.h5 part.h5
    /usr/bin/python3 -c 'import h5py, numpy
with h5py.File("part.h5", "r+") as file:
    file.attrs["complete"] = numpy.int32(0)
    file["ledger"][50:] = 0'
}
pixel() { # VALUE: of the first one, while size and times stay
    printf '%b' "$1" | dd of=stack.h5 bs=1 seek="$(cat place)" conv=notrunc 2>/dev/null
    touch -r before stack.h5
}
interrupted
run part.h5 --resume
((code == 0)) || fail "half a GB, resumed: exit code $code: $(cat said)"
[[ $(grep -o 'checksum .*' said) == "$expected" && $(digest_of part.h5) == "$digest" ]] || fail "half a GB, resumed: $(cat said)"
was=$(od -An -tx1 -j "$(cat place)" -N 1 stack.h5)
interrupted
pixel '\x55'
run part.h5 --resume
refused 'its SHA-256 differs): resume with the same, or run to another file'
"$scow" show part.h5 | grep -q '^done *50 of' || fail "another input: $("$scow" show part.h5)"
pixel "\\x${was# }"
run part.h5 --resume
((code == 0)) || fail "half a GB, with what it was: exit code $code: $(cat said)"
[[ $(grep -o 'checksum .*' said) == "$expected" ]] || fail "half a GB, with what it was: $(cat said) in place of $expected"
echo "large input: done"
