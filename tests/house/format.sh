#!/usr/bin/env bash
# The sources have the form that .clang-format fixes: those whose turn it is (turns.py), with --all every one. Other versions
# than 14 differ in details.
# usage: format.sh [--all]
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0" | grep -v '^shellcheck ' && exit ;; esac

formatter=$(command -v clang-format-14 || command -v clang-format || true)
if ! "${formatter:-false}" --version 2>/dev/null | grep -q 'version 14\.'; then
    echo "clang-format 14 is not installed"
    exit 77
fi
find planner kernel spmd calibrate jobs/plugins/python tests -name '*.[ch]' -print0 |
    python3 tests/house/turns.py -z "$@" | xargs -0 -r "$formatter" --dry-run -Werror
