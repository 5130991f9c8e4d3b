#!/usr/bin/env bash
# Figures of the sources: lines by room, sizes of functions and files, prototypes with one user, MPI
# names outside the transport, files that know of a part. FOLDER: another checkout.
#
#     bash tests/house/figures.sh [FOLDER]
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0" | grep -v '^shellcheck ' && exit ;; esac
here=$(dirname "${BASH_SOURCE[0]}")
exec python3 "$here/figures.py" "${1:-$here/../..}"
