#!/usr/bin/env bash
# scow go tells a slow worker from heavy lines: commands that sleep twice as long on the first worker, on a
# list whose end is heavy. The profile that it leaves has both workers, and regions.
# usage: go_unlike.sh SCOW PYTHON
set -euo pipefail
scow=$1 python=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1

seq 1 300 >lines
cat >script <<'EOS'
if [ "$1" -gt 270 ]; then pace=0.50; else pace=0.05; fi
[ "$SCOW_WORKER" != 1 ] || pace=$(echo "$pace" | awk '{ print 2 * $1 }')
exec sleep "$pace"
EOS
"$scow" go -j 2 -k command --command 'sh script {}' -i lines -o out.h5 </dev/null >said 2>&1 || { cat said; exit 1; }
cat said
"$python" - out.profile.json <<'EOS'
import json
import sys

setting = json.load(open(sys.argv[1]))["settings"][0]
regions = setting["map"]["regions"]
costs = [worker["compute"]["latency_s"] + worker["compute"]["s_per_task"]
         for worker in setting["windows"][0]["workers"]]
print(f"{len(regions)} regions, a core task takes {costs} s")
if len(regions) < 2:
    sys.exit("no region of heavy lines was found")
if len(costs) != 2 or not 1.4 < costs[0] / costs[1] < 2.6:
    sys.exit("the first worker is not seen to be twice as slow as the second")
EOS
