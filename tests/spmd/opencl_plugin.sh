#!/usr/bin/env bash
# The plug-in of jobs/plugins/opencl, built outside of the tree against the installed package, on
# whatever device OpenCL has here (Debian's pocl makes one of the processor): its results are those of
# plain C, whatever the number of workers.
# usage: opencl_plugin.sh BUILD SOURCE MPIEXEC
set -euo pipefail
build=$1 source=$2 mpiexec=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
fail() { echo "OpenCL plug-in: $*"; exit 1; }
skip() { echo "$*"; exit 77; }

echo '#include <CL/cl.h>' | cc -E -x c - >/dev/null 2>&1 || skip "ocl-icd-opencl-dev is not installed"
compgen -G '/etc/OpenCL/vendors/*.icd' >/dev/null || skip "OpenCL has no driver here: pocl-opencl-icd is not installed"
/usr/bin/python3 -c 'import h5py' 2>/dev/null || skip "python3-h5py is not installed"

cmake --install "$build" --prefix "$dir/scow" >install.log || { cat install.log; fail "not installed"; }
if ! { cmake -S "$source/jobs/plugins/opencl" -B built -DCMAKE_PREFIX_PATH="$dir/scow" \
    -DCMAKE_C_FLAGS="-Wall -Wextra -Wpedantic -Werror" && cmake --build built; } >cmake.log 2>&1; then
    cat cmake.log
    fail "not built"
fi
cc -O2 "$source/tests/spmd/plugins/mandelbrot_plain.c" -o plain
scow=$dir/scow/bin/scow
export OMP_NUM_THREADS=1 POCL_CACHE_DIR=$dir/cache POCL_MAX_PTHREAD_COUNT=1
unset CUDA_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES

"$mpiexec" -n 3 "$scow" calibrate -k built/opencl.so --size 50 --iterations 200 --quick -q -o profile.json
for workers in 2 1; do
    "$scow" plan -p profile.json -n $workers -q -o plan.json
    "$mpiexec" -n $((workers + 1)) "$scow" run plan.json --no-copies -q -o $workers.h5 >$workers.txt
done
cmp <(grep checksum 1.txt) <(grep checksum 2.txt) || fail "results depend on the number of workers"
/usr/bin/python3 -c '
import h5py
for row in h5py.File("2.h5")["response"][0]:
    print(*row, sep=",")
' >numbers
cmp numbers <(./plain 50 200) || fail "the numbers are not those of plain C"
