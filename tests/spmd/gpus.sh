#!/usr/bin/env bash
# Workers' own GPUs, as commands see them; none is needed: what is set are numbers.
# usage: gpus.sh SCOW MPIEXEC
set -euo pipefail
scow=$1 mpiexec=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1
unset ROCR_VISIBLE_DEVICES SCOW_GPUS HWLOC_COMPONENTS
fail() { echo "gpus: $*"; exit 1; }

seq 12 >lines
# shellcheck disable=SC2016 # variables of the command
command='sleep 0.02; echo $SCOW_WORKER $CUDA_VISIBLE_DEVICES $ROCR_VISIBLE_DEVICES $SCOW_GPUS'

# go OUT.h5: two workers of two GPUs each, of which every line tells.
go() {
    "$mpiexec" -n 3 "$scow" go -k command --command "$command" -i lines --gpus-per-worker 2 --no-page -q \
        -o "$1" >"$1.txt" 2>&1 || return
    "$scow" show "$1" --output | sort -u
}

# A batch system's list is shared out; whatever hides a machine's own GPUs does so here, too.
export CUDA_VISIBLE_DEVICES=4,5,6,7 ROCR_VISIBLE_DEVICES=a,b,c,d HWLOC_SYNTHETIC=pu:2
go listed.h5 >listed || fail "$(cat listed.h5.txt)"
diff listed <(printf '1 4,5 a,b 0,1\n2 6,7 c,d 2,3\n') || fail "a list is not shared out"

# Without one, devices are counted from 0.
unset CUDA_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES
go counted.h5 >counted || fail "$(cat counted.h5.txt)"
diff counted <(printf '1 0,1 0,1 0,1\n2 2,3 2,3 2,3\n') || fail "devices are not counted"

export CUDA_VISIBLE_DEVICES=1,2,3
go few.h5 >few && fail "too few GPUs were taken"
grep -q 'worker 2 of its node lacks GPUs: --gpus-per-worker 2 needs 4 there, and there are 3' few.h5.txt ||
    fail "too few GPUs: $(cat few.h5.txt)"

# A master that computes is the first one of its node, and one that only sends has none.
unset CUDA_VISIBLE_DEVICES
cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "command", "parameters": {"command": "sleep 0.02; echo $SCOW_WORKER $SCOW_GPUS"}, "scheduler": "by hand",
 "tasks": 12, "master": {"tasks": 4}, "workers": [0, 1], "rounds": [{"repeat": 4, "loads": [1, 1]}]}
END
"$mpiexec" -n 3 "$scow" run plan.json -i lines --gpus-per-worker 1 -q -o computing.h5 >computing.txt 2>&1 || fail "$(cat computing.txt)"
"$scow" show computing.h5 --output | sort -u >computing
diff computing <(printf '0 0\n1 1\n2 2\n') || fail "a master that computes takes a worker's GPU: $(cat computing)"
