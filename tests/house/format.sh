#!/usr/bin/env bash
# Every source has the form that .clang-format fixes. Other versions than 14 differ in details.
set -euo pipefail

formatter=$(command -v clang-format-14 || command -v clang-format || true)
if ! "${formatter:-false}" --version 2>/dev/null | grep -q 'version 14\.'; then
    echo "clang-format 14 is not installed"
    exit 77
fi
find planner kernel spmd calibrate jobs/plugins/python tests -name '*.[ch]' -print0 |
    xargs -0 "$formatter" --dry-run -Werror
