#!/usr/bin/env bash
# The planner builds and plans alone: no MPI, HDF5 or LAPACKE in it. What is compiled there as in the whole build is
# taken from that one.
# usage: planner_only.sh SOURCE BUILD BINARY FIXTURES OPTION_OF_CMAKE...
set -euo pipefail
source=$1 build=$2 binary=$3 fixtures=$4
shift 4
cmake -S "$source" -B "$binary" "$@" --log-level=ERROR -DSCOW_PLANNER_ONLY=ON -DBUILD_TESTING=OFF >/dev/null
python3 - "$build" "$binary" <<'END'
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

whole, alone = map(pathlib.Path, sys.argv[1:])
programs = ["bin/scow", "bin/scow-planner"]


def commands(folder):
    return subprocess.run(["ninja", "-t", "commands", *programs], cwd=folder, text=True, capture_output=True, check=True).stdout.splitlines()


def run(command):
    done = subprocess.run(command, shell=True, cwd=alone, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command}\n{done.stdout}{done.stderr}")


if not shutil.which("ninja") or not (whole / "build.ninja").exists():
    run("cmake --build . -j 2")
    sys.exit()
made, waiting = set(commands(whole)), []
taken = compiled = 0
# In ninja's order each command stands behind what makes its inputs; compilations that follow one another need not wait for
# each other.
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for command in commands(alone):
        object_ = re.search(r" -o (\S+\.o) -c ", command)
        if not object_:
            list(pool.map(run, waiting))
            waiting.clear()
            run(command)
            continue
        (alone / object_[1]).parent.mkdir(parents=True, exist_ok=True)
        if command in made:
            shutil.copyfile(whole / object_[1], alone / object_[1])
            taken += 1
        else:
            waiting.append(command)
            compiled += 1
print(f"{taken} objects of the whole build, {compiled} compiled")
END
if ldd "$binary/bin/scow-planner" | grep -E 'libmp|hdf5|lapacke'; then
    echo "the planner needs more than it may"
    exit 1
fi
"$binary/bin/scow" plan -p "$fixtures/small.json" -X 10 | grep '^makespan'
code=0
"$binary/bin/scow" plan -p "$fixtures/small.json" -i x.png 2>"$binary/errors" || code=$?
[[ $code == 2 && $(cat "$binary/errors") == *"built without readers of inputs"* ]] ||
    { echo "exit code $code, and: $(cat "$binary/errors")"; exit 1; }
