#!/usr/bin/env bash
# Whoever may write to the folder of an output can put symbolic links there under names that scow will use: nothing is
# written through them, and the run says so.
# usage: run_links.sh SCOW MPIEXEC
set -euo pipefail
scow=$1 mpiexec=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1

fail() {
    echo "links: $*"
    exit 1
}

seq 1 8 >lines.txt
cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "command",
 "parameters": {"command": "echo {}", "per": "task", "retries": 0, "keep": 8, "jobs": 1, "grace": 1, "most-output": 1000},
 "scheduler": "by hand", "tasks": 8, "workers": [0], "rounds": [{"repeat": 8, "loads": [1]}]}
END
run() { # RANKS OPTION...
    code=0
    "$mpiexec" -n "$1" "$scow" run plan.json -i lines.txt -o "$dir/out.h5" -q "${@:2}" >said 2>&1 || code=$?
}
unfinished() { # as if the run had been killed when half of it was done
    /usr/bin/python3 -c 'import h5py, numpy
with h5py.File("out.h5", "r+") as file:
    file.attrs["complete"] = numpy.int32(0)
    file["ledger"][4:] = 0'
}
refused() { # SENTENCE
    ((code == 4)) || fail "exit code $code: $(cat said)"
    grep -q "$1" said || fail "'$1' is expected, but it says $(cat said)"
}
echo "somebody's" >theirs
untouched() {
    [[ $(cat theirs) == "somebody's" ]] || fail "written through a link: $(cat theirs)"
}

run 2
((code == 0)) || fail "exit code $code: $(cat said)"

# Results of a rank that is new.
unfinished
mv out.h5.results.1 kept
ln -s theirs out.h5.results.1
run 2 --resume
untouched
refused 'out.h5.results.1: is a symbolic link'
rm out.h5.results.1
mv kept out.h5.results.1

# The status beside it, and what it is written as first.
ln -sf theirs out.h5.status.new
ln -sf theirs out.h5.status
run 2 --resume
untouched
((code == 0)) || fail "status: exit code $code: $(cat said)"

# The output itself.
unfinished
mv out.h5 moved.h5
ln -s moved.h5 out.h5
run 2 --resume
refused 'out.h5: is a symbolic link, .* name the file that it leads to'
rm out.h5
mv moved.h5 out.h5

# A folder in which anybody may do that.
chmod 0777 .
run 2 --resume
((code == 0)) || fail "folder: exit code $code: $(cat said)"
(($(grep -c 'no sticky bit' said) == 1)) || fail "folder: it says $(cat said)"
rm out.h5*
chmod 1777 .
run 2
((code == 0)) || fail "sticky folder: exit code $code: $(cat said)"
(($(grep -c 'sticky' said) == 0)) || fail "sticky folder: it says $(cat said)"
echo "links: done"
