#!/usr/bin/env bash
# A calibration that fails in its middle: one sentence that names the file and the way out, its exit
# code on every rank, nobody hangs, an older profile stays as it was and nothing else is left.
# usage: cut_short.sh SCOW MPIEXEC IMAGE FULL_DISK BROKEN_DISK
set -euo pipefail
scow=$1 mpiexec=$2 image=$3 full_disk=$4 broken_disk=$5
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
mkdir inputs out
cat >inputs/plan.json <<'EOP'
{"schema": "scow-plan-1", "kernel": "matched-filter", "parameters": {"algorithm": "reference"},
 "scheduler": "by hand", "tasks": 48, "block": 32, "workers": [0], "rounds": [{"repeat": 1, "loads": [48]}]}
EOP
"$mpiexec" -n 2 "$scow" run inputs/plan.json -i "$image" -o inputs/image.h5 -q >/dev/null

# What HDF5 does not free when it cannot close a file is no leak of ours.
echo 'leak:libhdf5' >inputs/leaks

# A header that is right, and a last pixel that is not.
printf 'P5 200 200 200\n' >inputs/bright.pgm
head -c 39999 /dev/zero >>inputs/bright.pgm
printf '\377' >>inputs/bright.pgm

# cut_short WHAT CODE SENTENCE IMAGE VARIABLE...: with these variables the calibration ends so.
cut_short() {
    local what=$1 expected=$2 sentence=$3 input=$4 code=0
    shift 4
    echo "the older profile" >out/profile.json
    # A sanitised scow wants to be told that something comes before its runtime.
    ASAN_OPTIONS=verify_asan_link_order=0 LSAN_OPTIONS=suppressions=$dir/inputs/leaks:print_suppressions=0 \
        timeout 400 "$mpiexec" -n 3 env "$@" "$scow" calibrate -i "$input" \
        --blocks 32 --quick -q -o out/profile.json >said 2>errors || code=$?
    if [[ $code != "$expected" ]] || [[ $(wc -l <errors) != 1 ]] ||
        ! grep -qE "^scow calibrate: $sentence" errors || [[ -s said ]]; then
        echo "$what: exit code $code, and:"
        cat errors said
        exit 1
    fi
    if [[ $(ls -A out) != profile.json ]] || [[ $(cat out/profile.json) != "the older profile" ]]; then
        echo "$what: left behind: $(ls -A out), and a profile of: $(cat out/profile.json)"
        exit 1
    fi
}

for rank in 1 2; do
    cut_short "the disk of rank $rank is full" 1 \
        'out/scow-probe-[0-9]+\.h5: core task [0-9]+ could not be written .*: .*make room' \
        "$image" LD_PRELOAD="$full_disk" FULL_DISK_RANK=$rank FULL_DISK_AFTER=20000
done
cut_short "the disk of rank 0 is full" 1 'out/scow-probe-[0-9]+\.h5: cannot be written in full: free some' \
    "$image" LD_PRELOAD="$full_disk" FULL_DISK_RANK=0 FULL_DISK_AFTER=40000
cut_short "a pixel that cannot be" 4 ".*'inputs/bright\.pgm' has a pixel of 255, .*: make the image again" \
    inputs/bright.pgm
cut_short "the disk of the image breaks" 4 \
    "cannot read pixels of 'inputs/image\.h5' \(file read failed: Input/output error\): it is damaged, or " \
    inputs/image.h5:/response LD_PRELOAD="$broken_disk" BROKEN_DISK_AFTER=30000
