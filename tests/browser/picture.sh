#!/usr/bin/env bash
# The picture of a report that README and guide show, from a real run on this machine: jobs/data/report.png.
#
#     bash tests/browser/picture.sh [BUILD]        after tests/browser/run.sh, which installs the browser
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0" | grep -v '^shellcheck ' && exit ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

build=$(realpath "${1:-build/release}")
folder=$build/browser
[ -d "$folder/node_modules" ] || { echo "picture: first bash tests/browser/run.sh" >&2; exit 1; }
mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
export PATH=$build/bin:$PATH OMP_NUM_THREADS=1 HWLOC_PLUGINS_PATH=/nonexistent
cp tests/browser/picture.js "$folder"
root=$PWD
cd "$folder"
rm -rf stack picture.h5
mkdir stack
for i in {01..24}; do ln -s "$root/jobs/data/retina.png" "stack/$i.png"; done
"$mpiexec" -n 3 scow calibrate -i stack --polarity dark --budget 20s -q -o picture.json --probes picture.tsv
scow plan -p picture.json -i stack -q -o picture-plan.json
"$mpiexec" -n 3 scow run picture-plan.json -i stack -o picture.h5 -q
scow report picture.h5 -q --html picture.html --probes picture.tsv
CHROMIUM=${CHROMIUM:-$(command -v chromium)} node picture.js "$PWD/picture.html" "$root/jobs/data/report.png"
