#!/usr/bin/env bash
# Build everything and run all tests: as users run it, then under AddressSanitizer and
# UndefinedBehaviorSanitizer; then the tests with several threads under ThreadSanitizer.
#
#     bash tests/run.sh [OPTION OF CTEST]...        for example: bash tests/run.sh -R image
#
# Everything it makes is under build/. Benchmarks (label bench) are left out, and what has commands of
# its own: a virtual Slurm (label slurm, tests/slurm/run.sh), emulated networks (tests/emulated/run.sh).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jobs=$(nproc)
bash jobs/setup.sh --tests
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
for preset in release asan tsan; do
    printf '== %s ==\n' "$preset"
    cmake --preset "$preset" -DBUILD_TESTING=ON >/dev/null
    cmake --build --preset "$preset" -j "$jobs"
    # One more at a time than there are cores: tests of faults wait for most of their time.
    ctest --preset "$preset" -j "$((jobs + 1))" -LE 'bench|slurm|emulated' --no-label-summary "$@"
done
