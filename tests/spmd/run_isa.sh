#!/usr/bin/env bash
# Instruction sets: names that are refused, one set on all ranks, and different ones on different
# ranks, as on a mixed cluster.
# usage: run_isa.sh SCOW MPIEXEC IMAGE
set -euo pipefail
scow=$1 mpiexec=$2 image=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1

fail() {
    echo "instruction sets: $*"
    exit 1
}

# 256 x 200 pixels in blocks of 32: 8 x 6 tasks on two workers. One set's speeds decide for all.
cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "matched-filter",
 "parameters": {"bank": "chaudhuri", "combine": "max", "tuned": "avx2"},
 "scheduler": "by hand", "tasks": 48, "block": 32, "workers": [0, 1],
 "rounds": [{"repeat": 4, "loads": [8, 4]}]}
END

# refused SENTENCE COMMAND...: by name, in one sentence, with exit code 2, and nothing is made.
refused() {
    local sentence=$1 code=0
    shift
    "$@" >stdout.txt 2>stderr.txt || code=$?
    [[ $code == 2 && ! -s stdout.txt && $(cat stderr.txt) == "$sentence" ]] ||
        fail "'$*' exits $code with '$(cat stdout.txt stderr.txt)', not 2 with '$sentence'"
    [[ ! -e none.h5 && ! -e none.json ]] || fail "'$*' made something"
}

run=("$scow" run plan.json -i "$image" -q --no-copies)
calibrate=("$scow" calibrate -i "$image" --blocks 128 --quick -q)

# has SET: does this processor have it, by what its system says?
has() {
    case $1 in
    avx2) grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo ;;
    avx512) has avx2 && grep -qw avx512f /proc/cpuinfo ;;
    esac
}

# told FILE SETS: does the report say who used what?
told() {
    "$scow" report "$1" >report.txt
    grep -qFx "core task   matched-filter ($2)" report.txt ||
        fail "the report says '$(grep "^core task " report.txt)', not '$2'"
    "$scow" report "$1" --json >report.json
    grep -qF "\"isa\": \"$2\"" report.json || fail "the JSON report says not '$2'"
}

checksum() {
    "$scow" report "$1" | sed -n 's/^checksum *//p'
}

# Unknown names.
case $(uname -m) in x86_64) sets=(sse2) ;; *) sets=(generic) ;; esac
unknown="there is no such instruction set: name one of auto, ${sets[0]}, avx2, avx512"
refused "scow run: --isa fast: $unknown" "$mpiexec" -n 3 "${run[@]}" -o none.h5 --isa fast
refused "scow run: --isa fast: $unknown" \
    "$mpiexec" -n 2 "${run[@]}" -o none.h5 : -n 1 "${run[@]}" -o none.h5 --isa fast
refused "scow calibrate: --isa fast: $unknown" \
    "$mpiexec" -n 3 "${calibrate[@]}" -o none.json --isa fast

# One set on all ranks: those of this processor, and no others.
"$mpiexec" -n 3 "${run[@]}" -o "${sets[0]}.h5" --isa "${sets[0]}" >/dev/null
"$mpiexec" -n 3 "${run[@]}" -o generic.h5 --isa generic >/dev/null
told "${sets[0]}.h5" "${sets[0]}"
told generic.h5 "${sets[0]}"
for set in avx2 avx512; do
    if has $set; then
        "$mpiexec" -n 3 "${run[@]}" -o $set.h5 --isa $set >/dev/null
        told $set.h5 $set
        sets+=("$set")
    else
        lacking="--isa $set: the processor of rank 0 does not have it: name one of auto"
        lacking+=$(printf ', %s' "${sets[@]}")
        refused "scow run: $lacking" "$mpiexec" -n 3 "${run[@]}" -o none.h5 --isa $set
        refused "scow calibrate: $lacking" \
            "$mpiexec" -n 3 "${calibrate[@]}" -o none.json --isa $set
    fi
done
"$mpiexec" -n 3 "${run[@]}" -o auto.h5 >/dev/null
told auto.h5 "${sets[-1]}"

# Every rank's results are those of its set; where all multiply-adds are fused, that is one checksum.
for ((i = 0; i < ${#sets[@]}; i++)); do
    for ((k = i + 1; k < ${#sets[@]}; k++)); do
        one=${sets[i]} two=${sets[k]}
        "$mpiexec" -n 2 "${run[@]}" -o "$one-$two.h5" --isa "$one" : \
            -n 1 "${run[@]}" -o "$one-$two.h5" --isa "$two" >/dev/null
        told "$one-$two.h5" "$one (rank 1), $two (rank 2)"
    done
done
/usr/bin/python3 - "${sets[@]}" <<'END' || fail "a rank's results are not those of its set"
import itertools, sys, h5py, numpy

def response(name):
    return h5py.File(name + ".h5")["response"][0].astype("f8")

def blocks(trace, rank):
    down, across = 8, 6
    tasks = {k for e in trace if e["rank"] == rank
             for k in range(e["first_task"], e["first_task"] + e["tasks"])}
    return [(slice(k // across * 256 // down, (k // across + 1) * 256 // down),
             slice(k % across * 200 // across, (k % across + 1) * 200 // across)) for k in tasks]

for one, two in itertools.combinations(sys.argv[1:], 2):
    mixed, alone = response(one + "-" + two), {1: response(one), 2: response(two)}
    trace = h5py.File(one + "-" + two + ".h5")["run/trace"][:]
    assert abs(alone[1] - alone[2]).max() <= 4e-6 * abs(alone[1]).max()
    assert (len(blocks(trace, 1)), len(blocks(trace, 2))) == (32, 16)
    for rank in alone:
        for block in blocks(trace, rank):
            assert numpy.array_equal(mixed[block], alone[rank][block]), (one, two, rank, block)
END
if has avx512; then
    [[ $(checksum avx2.h5) == $(checksum avx512.h5) &&
        $(checksum avx2.h5) == $(checksum avx2-avx512.h5) ]] ||
        fail "avx2 and avx512 do not have one checksum"
fi

# A profile says the same of its ranks, and a run like it has nothing to warn of.
one=${sets[0]} two=${sets[-1]} mixed="${sets[0]} (rank 1), ${sets[-1]} (rank 2)"
[[ $one != "$two" ]] || mixed=$one
"$mpiexec" -n 2 "${calibrate[@]}" -o profile.json --isa "$one" : \
    -n 1 "${calibrate[@]}" -o profile.json --isa "$two"
grep -qF "\"isa\": \"$mixed\"" profile.json || fail "the profile says not '$mixed'"
"$scow" plan -p profile.json -i "$image" -o measured.json -q
run=("$scow" run measured.json -i "$image")
"$mpiexec" -n 2 "${run[@]}" -o like.h5 --isa "$one" : -n 1 "${run[@]}" -o like.h5 --isa "$two" \
    >/dev/null 2>like.txt
! grep -F -- --isa like.txt || fail "warned of a run like the profile's"
if [[ $one != "$two" ]]; then
    "$mpiexec" -n 3 "${run[@]}" -o unlike.h5 --isa "$one" >/dev/null 2>unlike.txt
    grep -qF "the profile was measured with $mixed, the run computes with $one" unlike.txt ||
        fail "did not warn of a run unlike the profile's"
fi
echo "instruction sets: ${sets[*]}"
