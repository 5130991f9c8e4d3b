#!/usr/bin/env bash
# Many short runs with a random fault each (tests/spmd/run_faults.sh), after a build.
#
#     bash tests/soak.sh [RUNS] [BUILD]        200 runs of build/release; SEED=N repeats a sequence
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0" | grep -v '^shellcheck ' && exit ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${2:-build/release}
for needed in "$build/bin/scow" mpiexec.mpich; do
    command -v "$needed" >/dev/null || {
        echo "tests/soak.sh: $needed is missing: build first (bash tests/run.sh)" >&2
        exit 1
    }
done
shim=$(find "$PWD/$build" -name 'libfull-disk.so' -print -quit)
LIMIT=3000 bash tests/spmd/run_faults.sh "$PWD/$build/bin/scow" mpiexec.mpich \
    "$PWD/tests/kernel/golden/vessel.pgm" "$shim" "${1:-200}"
