#!/usr/bin/env bash
# Two workers on one core are warned of by run and go, once, before anything is measured; quiet ones,
# and those with a core each, hear nothing.
# usage: run_crowded.sh SCOW MPIEXEC
set -euo pipefail
scow=$1 mpiexec=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1
first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')

cat >plan.json <<'EOP'
{"schema": "scow-plan-1", "kernel": "mandelbrot", "parameters": {"width": 8, "height": 8, "iterations": 9},
 "scheduler": "by hand", "tasks": 8, "workers": [0, 1], "rounds": [{"repeat": 2, "loads": [2, 2]}]}
EOP
seq 4 >lines

# warns TIMES RANKS COMMAND...: so often, with ranks that all have one core.
warns() {
    local times=$1 ranks=$2
    shift 2
    taskset -c "$first" "$mpiexec" -n "$ranks" "$scow" "$@" >said 2>&1 </dev/null || { cat said; exit 1; }
    [[ $(grep -c "^scow $1: on .* share 1 core: .*start fewer workers there" said) == "$times" ]] || {
        cat said
        echo "warned otherwise than $times times: $*"
        exit 1
    }
    rm -f out.h5*
}

warns 1 3 run plan.json -o out.h5
warns 0 3 run plan.json -o out.h5 -q
sed -i 's/"workers": .0, 1.*/"workers": [0], "rounds": [{"repeat": 1, "loads": [8]}]}/' plan.json
warns 0 2 run plan.json -o out.h5
warns 1 3 go -k command --command 'echo {}' -i lines --no-page -o out.h5
warns 0 3 go -k command --command 'echo {}' -i lines --no-page -o out.h5 -q
