#!/usr/bin/env bash
# The published tables of de la Torre's thesis beside what scow finds, as Markdown (README.md). Exit code 1: a
# number that was met is met no longer.
# usage: [SCOW=path/of/scow] bash jobs/reproduce/thesis.sh [FOLDER for figures]
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0" | grep -v '^shellcheck ' && exit ;; esac
command -v python3 >/dev/null || { echo "python3 is not installed" >&2; exit 77; }
exec python3 -B "$(dirname "$0")/thesis.py" "$@"
