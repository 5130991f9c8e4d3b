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
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jobs=$(nproc)
bash jobs/setup.sh --tests
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}

# CMake looks for what is installed on one core: for all builds at once.
declare -A configuring
for preset in release asan tsan; do
    cmake --preset "$preset" -DBUILD_TESTING=ON >/dev/null &
    configuring[$preset]=$!
done

# One of the three builds with its tests. What fails is told in the end, and the others have their turn.
failed=()
preset_try() { # PRESET OPTION OF CTEST...
    local preset=$1
    shift
    printf '== %s ==\n' "$preset"
    if ! wait "${configuring[$preset]}"; then
        failed+=("$preset (configuring)")
    elif ! cmake --build --preset "$preset" -j "$jobs"; then
        failed+=("$preset (build)")
    # Halves of cores (tests/CMakeLists.txt) of twice as many as there are: most tests wait for much of their time.
    elif ! ctest --preset "$preset" -j "$((4 * jobs))" -LE 'bench|slurm|emulated|long' --no-label-summary "$@"; then
        failed+=("$preset (tests)")
    fi
}

trap 'exit 130' INT
for preset in release asan tsan; do preset_try "$preset" "$@"; done
if ((${#failed[@]} > 0)); then
    printf -v names ', %s' "${failed[@]}"
    echo "tests/run.sh: not all is well: ${names:2}" >&2
    exit 1
fi
