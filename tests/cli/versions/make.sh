#!/usr/bin/env bash
# Makes files of this version, to be kept: tests/cli/old_versions.py reads those of every version from
# then on. Run once per version of the formats, in a new folder beside this script:
#
#     cd tests/cli/versions && mkdir 2026-11 && cd 2026-11 && bash ../make.sh SCOW MPIEXEC
set -euo pipefail
scow=$1 mpiexec=$2
run() { "$mpiexec" -n 3 "$scow" "$@" -q; }

seq 40 >lines.txt
run calibrate -k mandelbrot --width 32 --height 24 --budget 1s -o picture.profile.json
"$scow" plan -p picture.profile.json -q -o picture.plan.json
run run picture.plan.json -o picture.h5
run calibrate -k command --command 'echo {}' -i lines.txt --budget 1s -o lines.profile.json
"$scow" plan -p lines.profile.json -i lines.txt -q -o lines.plan.json
run run lines.plan.json -i lines.txt -o lines.h5
# One that stopped before its end.
cat >part.plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "command", "parameters": {"command": "sleep 0.2; echo {}"},
 "scheduler": "by hand", "tasks": 40, "workers": [0, 1],
 "rounds": [{"repeat": 20, "loads": [1, 1]}]}
END
timeout -s TERM 3 "$mpiexec" -n 3 "$scow" run part.plan.json -i lines.txt -o part.h5 -q --isa generic || test $? -ge 75
"$scow" report picture.h5 --json >picture.report.json
