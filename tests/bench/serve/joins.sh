#!/usr/bin/env bash
# How precisely a run is predicted whose workers come and go, and how long joining takes: 400 commands
# of 0.05 s, planned for three workers, two of which are there; the third joins after 3 s, one of the
# first two is killed after 6 s. Prints what simulate --joins says, and runs. Needs a quiet machine.
# usage: joins.sh SCOW MPIEXEC [RUNS]
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0" | grep -v '^shellcheck ' && exit ;; esac
scow=$1 mpiexec=$2 runs=${3:-2}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1
seq 1 400 >lines.txt
"$mpiexec" -n 4 "$scow" calibrate -k command --command 'sleep 0.05; echo {}' -i lines.txt -o profile.json --quiet
"$scow" plan -p profile.json -i lines.txt -o plan.json -q
printf 'worker from_s until_s\n1 0 6\n2 0 -\n3 3 -\n' >joins.txt
echo "three workers all the time: $("$scow" simulate -p profile.json plan.json | grep makespan)"
echo "as they come and go:        $("$scow" simulate -p profile.json plan.json --replan 10% --joins joins.txt | grep makespan)"

joined() { # NUMBER: wait until so many have joined
    while [ "$(grep -c joins said || true)" -lt "$1" ]; do sleep 0.01; done
}

for ((run = 1; run <= runs; run++)); do
    rm -f out.h5*
    "$scow" serve plan.json -i lines.txt -o out.h5 >said 2>&1 &
    master=$!
    while [ ! -s out.h5.access ]; do sleep 0.01; done
    "$scow" work out.h5.access 2>/dev/null &
    first=$!
    "$scow" work out.h5.access 2>/dev/null &
    joined 2
    sleep 3
    before=$(date +%s.%N)
    "$scow" work out.h5.access 2>/dev/null &
    joined 3
    echo "joining took $(awk -v a="$before" -v b="$(date +%s.%N)" 'BEGIN {printf "%.3f", b - a}') s"
    sleep 2.9
    pkill -9 -P "$first"
    kill -9 "$first"
    wait "$master"
    grep "core tasks in" said
done
