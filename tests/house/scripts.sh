#!/usr/bin/env bash
# No script has a fault that shellcheck knows.
set -euo pipefail

if ! command -v shellcheck >/dev/null; then
    echo "shellcheck is not installed"
    exit 77
fi
find jobs tests \( -name '*.sh' -o -name '*.sbatch' -o -name '*.pbs' \) -print0 | xargs -0 shellcheck -x .ci/run
