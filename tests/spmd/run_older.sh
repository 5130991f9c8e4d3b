#!/usr/bin/env bash
# A worker on an older processor, emulated: what it lacks is refused, and what it has it uses, while
# the others use more.
# usage: run_older.sh SCOW_RUN SCOW MPIEXEC IMAGE
set -euo pipefail
scow_run=$1 scow=$2 mpiexec=$3 image=$4
command -v qemu-x86_64-static >/dev/null || {
    echo "qemu-x86_64-static is missing: 'bash jobs/setup.sh --tests' installs it"
    exit 1
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
# Of MPICH's ways between ranks, sockets do not end under emulation.
export OMP_NUM_THREADS=1 UCX_TLS=posix,self

fail() {
    echo "older worker: $*"
    exit 1
}

cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "matched-filter", "parameters": {"tuned": "avx2"},
 "scheduler": "by hand", "tasks": 12, "block": 64, "workers": [0, 1],
 "rounds": [{"repeat": 3, "loads": [3, 1]}]}
END
older=(qemu-x86_64-static -cpu qemu64 "$scow_run")
command=(plan.json -i "$image" -o out.h5 -q)

code=0
"$mpiexec" -n 2 "$scow_run" "${command[@]}" --isa sse2 : \
    -n 1 "${older[@]}" "${command[@]}" --isa avx2 >stdout.txt 2>stderr.txt || code=$?
sentence="scow run: --isa avx2: the processor of rank 2 does not have it: name one of auto, sse2"
[[ $code == 2 && ! -s stdout.txt && $(grep -v ^qemu stderr.txt) == "$sentence" ]] ||
    fail "exits $code with '$(cat stdout.txt stderr.txt)', not 2 with '$sentence'"
[[ ! -e out.h5 ]] || fail "left an output"

"$mpiexec" -n 2 "$scow_run" "${command[@]}" : -n 1 "${older[@]}" "${command[@]}" >/dev/null
best=sse2
! grep -qw avx2 /proc/cpuinfo || ! grep -qw fma /proc/cpuinfo || best=avx2
[[ $best == sse2 ]] || ! grep -qw avx512f /proc/cpuinfo || best=avx512
sets="sse2 (rank 2), $best (rank 1)"
[[ $best != sse2 ]] || sets=sse2
"$scow" report out.h5 >report.txt
grep -qFx "core task   matched-filter ($sets)" report.txt ||
    fail "the report says '$(grep "^core task " report.txt)', not '$sets'"

# The emulated worker's arithmetic is that of the set it says.
"$mpiexec" -n 3 "$scow_run" "${command[@]/out.h5/pinned.h5}" --isa sse2 >/dev/null
rm out.h5
"$mpiexec" -n 2 "$scow_run" "${command[@]}" --isa sse2 : -n 1 "${older[@]}" "${command[@]}" >/dev/null
[[ $("$scow" report out.h5 | grep ^checksum) == $("$scow" report pinned.h5 | grep ^checksum) ]] ||
    fail "--isa sse2 does not make one checksum with a worker that has no more"
echo "older worker: $sets"
