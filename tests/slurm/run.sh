#!/usr/bin/env bash
# Build, and run the batch jobs on a virtual cluster of four nodes, Slurm's own daemons on this
# machine:
#
#     bash tests/slurm/run.sh [OPTION OF CTEST]...
#
# Everything it makes is under build/.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0" | grep -v '^shellcheck ' && exit ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

bash jobs/setup.sh --tests
bash jobs/setup.sh --slurm
cmake --preset release -DBUILD_TESTING=ON >/dev/null
cmake --build --preset release -j "$(nproc)"
ctest --preset release -L slurm -j "$(nproc)" --no-label-summary "$@"
