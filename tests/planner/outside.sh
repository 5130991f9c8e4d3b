#!/usr/bin/env bash
# libscow-plan from outside this tree: what is installed, and moved, is all that a program in C, by CMake
# and by pkg-config, and the Python module are built from; they say what the command says.
# usage: outside.sh BUILD SOURCE
set -euo pipefail
build=$1 source=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
fail() { echo "outside: $*"; exit 1; }

cmake --install "$build" --prefix "$dir/installed" >install.log || { cat install.log; fail "not installed"; }
mv installed scow
profile=$source/tests/cli/fixtures/sure.json
library=$(find "$dir/scow" -name 'libscow-plan.so')
readelf -d "$library" | grep -q 'SONAME.*\[libscow-plan.so.1\]' || fail "no version in the name"
outward=$(nm -D --defined-only "$library" | awk '$2 != "A" { sub("@.*", "", $3); print $3 }' |
    grep -vE '^scow_(plan|profile|scheduler|rule|objective|simulate)(_|$)' || true)
[ -z "$outward" ] || fail "these are not the library's to show: $outward"
! readelf -d "$library" | grep -E 'NEEDED.*lib(mpi|hdf5|lapack|gomp)' || fail "planning needs these"

cc -std=c11 -Wall -Wextra -Wpedantic -Werror -xc -fsyntax-only "$dir/scow/include/scow-plan.h"
if command -v c++ >/dev/null; then
    c++ -Wall -Wextra -Wpedantic -Werror -xc++ -fsyntax-only "$dir/scow/include/scow-plan.h"
fi

if ! { cmake -S "$source/tests/planner/outside" -B by-cmake -DCMAKE_PREFIX_PATH="$dir/scow" &&
    cmake --build by-cmake; } >cmake.log 2>&1; then
    cat cmake.log
    fail "not built by CMake"
fi
mkdir by-pkg-config
PKG_CONFIG_PATH=$(dirname "$library")/pkgconfig
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # words
cc -Wall -Wextra -Wpedantic -Werror "$source/tests/planner/outside/predict.c" \
    $(pkg-config --cflags --libs scow-plan) -o by-pkg-config/predict
LD_LIBRARY_PATH=$(dirname "$library")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

wanted=$("$dir/scow/bin/scow" plan -p "$profile" -X 1000 --json |
    sed -n 's/.*"makespan_s": \([^,]*\),.*/\1/p' | head -n 1)
for way in by-cmake by-pkg-config; do
    said=$("$way/predict" "$profile" 1000)
    [[ $said == "$(printf %.10g "$wanted") s, "* ]] || fail "$way: says '$said' where the command says $wanted s"
    code=0
    said=$("$way/predict" "$profile" 0 2>&1) || code=$?
    [[ $code == 2 && $said == "predict: tasks must be from 1 to "* ]] || fail "$way: exit code $code, $said"
done

command -v python3 >/dev/null || { echo "no python3 here: its module was not tried"; exit 0; }
unset LD_LIBRARY_PATH # the module finds the library from where it lies
PYTHONPATH=$(dirname "$(find "$dir/scow" -name scow_plan.py)") \
    python3 "$source/tests/planner/outside/trial.py" "$profile" "$wanted" "$dir/scow/bin/scow"
