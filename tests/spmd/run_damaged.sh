#!/usr/bin/env bash
# Results that are not what was written any more: show --check and run --resume name the core tasks, and these are done
# again; so are those whose results files are lost or cut. --trust leaves comparing out, but for the sizes of those
# files. A file without digests, of an older version, is read as it was, and --check says so.
# usage: run_damaged.sh SCOW MPIEXEC
set -euo pipefail
scow=$1 mpiexec=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1

fail() {
    echo "damaged: $*"
    exit 1
}
says() { # CODE SENTENCE
    ((code == $1)) || fail "exit code $code in place of $1: $(cat said)"
    grep -qE "$2" said || fail "'$2' is expected, but it says $(cat said)"
}
silent() { # SENTENCE
    ! grep -qE "$1" said || fail "it says $(cat said)"
}
run() { # NAME OPTION...
    code=0
    "$mpiexec" -n 3 "$scow" run "$1.json" -o "$dir/$1.h5" -q "${@:2}" >said 2>&1 || code=$?
}
check() { # NAME OPTION...
    code=0
    "$scow" show "$1.h5" --check "${@:2}" >said 2>&1 || code=$?
}
plan() { # KERNEL PARAMETERS
    cat >"$1.json" <<END
{"schema": "scow-plan-1", "kernel": "$1", "parameters": {$2},
 "scheduler": "by hand", "tasks": 30, "workers": [0, 1], "rounds": [{"repeat": 5, "loads": [3, 3]}]}
END
}
edit() { # NAME PYTHON: of `file`
    /usr/bin/python3 -c "import h5py
with h5py.File('$1.h5', 'r+') as file:
    $2"
}
plan mandelbrot '"width": 40, "height": 30, "iterations": 30'
plan command '"command": "echo {}", "per": "task", "retries": 0, "keep": 4, "jobs": 1, "grace": 1, "most-output": 1000'
seq 1001 1030 >lines

# Numbers of a grid.
run mandelbrot
says 0 checksum
sum=$(grep -o 'checksum .*' said)
check mandelbrot
says 0 '^digests +agree'
edit mandelbrot 'file["response"][0, 4:6, 7] += 1; file["response"][0, 20, 39] += 1'
check mandelbrot
says 75 'the results of 3 of 30 core tasks are not what was written \(5 to 6, 21\): scow run --resume'
check mandelbrot --trust
says 0 '^digests +not compared: as asked'
cp mandelbrot.h5 kept.h5
run mandelbrot --resume --trust
says 0 '30 core tasks, 30 of them done before'
run mandelbrot --resume
says 0 'mandelbrot.h5: the results of 3 core tasks are not what was written \(5 to 6, 21\): done again'
says 0 "30 core tasks, 27 of them done before"
says 0 "$sum"
check mandelbrot
says 0 '^digests +agree'

# Its picture.
edit mandelbrot 'file["normalized"][0, 3, 3] ^= 1'
check mandelbrot
says 75 'its picture is not that of its results'
run mandelbrot --resume
says 0 'its picture is not that of its results: it is made again'
check mandelbrot
says 0 '^digests +agree'

# Of a run that was killed.
edit mandelbrot 'file.attrs["complete"] = file.attrs["complete"] * 0; file["ledger"][12:] = 0; file["response"][0, 1, 7] += 1'
run mandelbrot --resume
says 0 'the results of 1 core task are not what was written \(2\): done again'
says 0 "$sum"

# As an older version wrote it.
edit mandelbrot 'del file["digests"], file["run/cuts"], file.attrs["result_digest"]'
check mandelbrot
says 0 '^digests +not compared: it has none, as older versions did not write them'
edit mandelbrot 'file["ledger"][12:] = 0'
run mandelbrot --resume
says 0 "$sum"
silent 'not what was written'

# Results files that are cut, changed or lost.
run command -i lines
says 0 checksum
sum=$(grep -o 'checksum .*' said)
truncate -s -1 command.h5.results.1
check command
says 75 'the results of 1 of 30 core tasks'
check command --trust
says 75 'the results of 1 of 30 core tasks'
printf x | dd of=command.h5.results.2 bs=1 seek=3 conv=notrunc 2>/dev/null
check command
says 75 'the results of 2 of 30 core tasks'
rm command.h5.results.1
run command -i lines --resume
says 0 'the results of 16 core tasks are not what was written'
says 0 "$sum"
check command
says 0 '^digests +agree'
diff <("$scow" show command.h5 --output) lines || fail "outputs are not those of the lines"

# What two workers have written of one core task, the one that seemed lost last: what was emitted counts, not where it lies.
move() { # PLACE: what core task 5 emitted to the end of the other file, and PLACE bytes further than that is said
    edit command "rows = file['emitted'][()]; rank, place, size = (int(rows[4][name]) for name in ('rank', 'place', 'size'))
    other = open(f'command.h5.results.{3 - rank}', 'ab'); there = other.tell()
    other.write(open(f'command.h5.results.{rank}', 'rb').read()[place:place + size])
    rows[4]['rank'], rows[4]['place'] = 3 - rank, there + $1; file['emitted'][()] = rows"
}
move 0
check command
says 0 '^digests +agree'
move -1
check command
says 75 'the results of 1 of 30 core tasks are not what was written \(5\)'
run command -i lines --resume
says 0 "$sum"
echo "damaged: done"
