#!/usr/bin/env bash
# Build everything and run all tests: as users run it, then under AddressSanitizer and
# UndefinedBehaviorSanitizer; then the tests with several threads under ThreadSanitizer.
#
#     bash tests/run.sh [OPTION OF CTEST]...        for example: bash tests/run.sh -R image
#
# Everything it makes is under build/. Benchmarks (label bench) are left out, the longer tier (label long,
# tests/README.md), and what has commands of its own: a virtual Slurm (label slurm, tests/slurm/run.sh),
# emulated networks (tests/emulated/run.sh).
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0" | grep -v '^shellcheck ' && exit ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jobs=$(nproc)
bash jobs/setup.sh --tests
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}

# What is tested later is made from the beginning on, of what the builds and tests before it leave of the processors.
mkdir -p build
declare -A making
for preset in asan tsan; do
    {
        nice -n 19 cmake --preset "$preset" -DBUILD_TESTING=ON >/dev/null &&
            nice -n 19 cmake --build --preset "$preset" -j "$jobs"
    } >"build/$preset.log" 2>&1 &
    making[$preset]=$!
done
trap 'trap "" TERM; kill -TERM 0; exit 130' INT # what runs behind ignores it

# One of the three builds with its tests. What fails is told in the end, and the others have their turn.
failed=()
preset_make() { # PRESET
    if [[ -z ${making[$1]:-} ]]; then
        cmake --preset "$1" -DBUILD_TESTING=ON >/dev/null && cmake --build --preset "$1" -j "$jobs"
    elif ! wait "${making[$1]}"; then
        cat "build/$1.log"
        return 1
    fi
}
preset_try() { # PRESET OPTION OF CTEST...
    local preset=$1
    shift
    printf '== %s ==\n' "$preset"
    if ! preset_make "$preset"; then
        failed+=("$preset (build)")
    # Halves of cores (tests/CMakeLists.txt) of twice as many as there are: most tests wait for much of their time.
    elif ! ctest --preset "$preset" -j "$((4 * jobs))" -LE 'bench|slurm|emulated|long' --no-label-summary "$@"; then
        failed+=("$preset (tests)")
    fi
}

for preset in release asan tsan; do preset_try "$preset" "$@"; done
if ((${#failed[@]} > 0)); then
    printf -v names ', %s' "${failed[@]}"
    echo "tests/run.sh: not all is well: ${names:2}" >&2
    exit 1
fi
