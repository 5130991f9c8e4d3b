#!/usr/bin/env bash
# The planner builds and plans alone: no MPI, HDF5 or LAPACKE in it.
# usage: planner_only.sh SOURCE BINARY FIXTURES OPTION_OF_CMAKE...
set -euo pipefail
source=$1 binary=$2 fixtures=$3
shift 3
cmake -S "$source" -B "$binary" "$@" --log-level=ERROR -DSCOW_PLANNER_ONLY=ON \
    -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O0 >/dev/null
cmake --build "$binary" -j 2 >"$binary/build.log" || { cat "$binary/build.log"; exit 1; }
if ldd "$binary/bin/scow-planner" | grep -E 'libmp|hdf5|lapacke'; then
    echo "the planner needs more than it may"
    exit 1
fi
"$binary/bin/scow" plan -p "$fixtures/small.json" -X 10 | grep '^makespan'
code=0
"$binary/bin/scow" plan -p "$fixtures/small.json" -i x.png 2>"$binary/errors" || code=$?
[[ $code == 2 && $(cat "$binary/errors") == *"built without readers of inputs"* ]] ||
    { echo "exit code $code, and: $(cat "$binary/errors")"; exit 1; }
