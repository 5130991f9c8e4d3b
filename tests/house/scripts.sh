#!/usr/bin/env bash
# No script has a fault that shellcheck knows: those whose turn it is (turns.py), with --all every one.
# usage: scripts.sh [--all]
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0" | grep -v '^shellcheck ' && exit ;; esac

if ! command -v shellcheck >/dev/null; then
    echo "shellcheck is not installed"
    exit 77
fi
find jobs tests \( -name '*.sh' -o -name '*.sbatch' -o -name '*.pbs' \) -print0 |
    python3 tests/house/turns.py -z "$@" | xargs -0 shellcheck -x .ci/run
