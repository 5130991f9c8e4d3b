#!/usr/bin/env bash
# Every scheduler and rule on every simulated cluster, up to 257 hosts: a table in Markdown.
#
#     bash tests/simgrid/bench.sh [CLUSTER]... >table.md
#
# The release build with tests and SimGrid must be there (cmake --preset release -DBUILD_TESTING=ON).
# Exit code 1 where a prediction is off by more than it may be; see table.py.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0" | grep -v '^shellcheck ' && exit ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

cmake --build --preset release --target simgrid-cluster >&2
exec python3 tests/simgrid/table.py build/release/tests/simgrid/libsimgrid-cluster.so \
    build/release/tests/simgrid/clusters "$@"
