#!/usr/bin/env bash
# Look at the pages of reports and plans in Chromium, without a network: every chart is painted,
# nothing complains, keys reach everything, the tip says what the data say.
#
#     bash tests/browser/run.sh [BUILD]        default: build/release, which must be built
#
# Installs what is missing: Debian's chromium and npm, and playwright-core from npm. Pages,
# screenshots (light and dark) and prints are left in BUILD/browser/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

build=$(realpath "${1:-build/release}")
folder=$build/browser
bash jobs/setup.sh --browser
rm -rf "$folder"
mkdir -p "$folder"
cp tests/browser/{package.json,check.js} "$folder"
mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
export PATH=$build/bin:$PATH OMP_NUM_THREADS=1 HWLOC_PLUGINS_PATH=/nonexistent

slices=$folder/slices
mkdir "$slices"
for i in 1 2 3 4; do ln -s "$PWD/jobs/data/retina.png" "$slices/$i.png"; done
cd "$folder"
npm install --no-audit --no-fund --silent

# As fast as it may be here, with all that a profile can say of its fits.
cat >matched.json <<'PROFILE'
{ "schema": "scow-profile-1", "kernel": "matched-filter",
  "settings": [ { "block": 64, "score": {"held_out": 0.03, "noise": 0.02}, "windows": [ { "tasks": [1, 100],
    "envelope": {"latency_s": 1e-5, "s_per_task": 1e-6},
    "send": {"latency_s": 4e-6, "s_per_task": 0},
    "workers": [ { "count": 2, "receive": {"latency_s": 2e-5, "s_per_task": 1e-6},
      "compute": {"latency_s": 1e-4, "s_per_task": 1e-4, "stderr_latency_s": 1e-5, "stderr": 2e-6, "correlation": -0.5,
        "deviation": 0.1, "drift": 0.05, "r2": 0.99, "n": 40},
      "output": {"latency_s": 3e-4, "s_per_task": 1e-4} } ] } ] } ] }
PROFILE
scow plan -p matched.json -i slices -s scow-mp -q -o plan.json --html plan.html
"$mpiexec" -n 3 scow run plan.json -i slices -o run.h5 -q
scow report run.h5 -q --html run.html

# Two settings, with their probes; the folded one is printed, too.
"$mpiexec" -n 3 scow calibrate -k mandelbrot --width 400,800 --height 400 --budget 4s -q -o measured.json \
    --html calibration.html

# A package for every core task: 10^5 events and more.
cat >quick.json <<'PROFILE'
{ "schema": "scow-profile-1", "kernel": "sleep",
  "settings": [ { "windows": [ { "tasks": [1, 40],
    "envelope": {"latency_s": 1e-5, "s_per_task": 1e-6}, "send": {"latency_s": 1e-5, "s_per_task": 0},
    "workers": [ { "count": 4, "receive": {"latency_s": 1e-5, "s_per_task": 0},
      "compute": {"latency_s": 1e-4, "s_per_task": 1e-4}, "output": {"latency_s": 1e-5, "s_per_task": 0} } ] } ] } ] }
PROFILE
scow plan -p quick.json -X 20000 -s scow-mp -q -o many.json
"$mpiexec" -n 5 scow run many.json -s ss -o many.h5 -q
scow report many.h5 -q --html many.html
scow report --compare run.h5 many.h5 -q --html runs.html

CHROMIUM=${CHROMIUM:-$(command -v chromium)} node check.js .
