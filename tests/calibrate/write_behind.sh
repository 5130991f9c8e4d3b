#!/usr/bin/env bash
# Where output waits for the store, a calibration finds out by itself what writing behind computing
# brings, and a plan uses it; where it does not, or where somebody has said what to do, it does not.
# Every profile says what sealing takes.
# usage: write_behind.sh SCOW MPIEXEC IMAGE SLOW_STORE
set -euo pipefail
scow=$1 mpiexec=$2 image=$3 shim=$4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1

# settings EXPECTED LATENCY OPTION...: what settings say of a store of which each write takes so long more.
settings() {
    local expected=$1 latency=$2 said
    shift 2
    # A sanitised scow wants to be told that something comes before its runtime.
    ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 \
        "$mpiexec" -n 3 env LD_PRELOAD="$shim" SLOW_STORE_LATENCY="$latency" \
        "$scow" calibrate "$@" --budget 1 -q -o profile.json
    said=$(sed -n 's/.*"write-behind": "\([a-z]*\)".*/\1/p' profile.json | tr -d '\n')
    [[ $said == "$expected" ]] || {
        echo "$latency s, $*: settings say '$said', not '$expected'"
        exit 1
    }
}

settings noyes 0.002 -i "$image" --block 64
"$scow" plan -p profile.json -i "$image" -o plan.json >/dev/null
grep -q '"write-behind": "yes"' plan.json || { echo "the plan waits for the store"; exit 1; }
"$scow" show profile.json >said
grep -q 'write-behind' said || { echo "nobody sees what was measured"; exit 1; }
settings nonoyes 0.002 -i "$image" --blocks 32,64
settings '' 0.002 -i "$image" --block 64 --write-behind no
settings yes 0.002 -i "$image" --block 64 --write-behind yes
settings yesno 0.002 -i "$image" --block 64 --write-behind both
# Next to no output for what it takes, also where processors are busy and a write takes a millisecond.
seq 100 >lines
settings '' 0 -k command --command 'sleep 0.1' -i lines
# What sealing the output takes is in every profile, and a plan knows of it.
grep -qE '"seal_s": [0-9.e-]*[1-9]' profile.json || { echo "nothing is known of sealing"; grep overhead profile.json; exit 1; }
