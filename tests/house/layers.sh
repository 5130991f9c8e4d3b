#!/usr/bin/env bash
# Includes go one way only: planner and kernel stand on the ground and know nothing of each other,
# spmd stands on both, calibrate on all three; nothing stands on tests. Libraries appear only in
# the rooms that are made for them.
set -euo pipefail

wrong=0

# refuse WHY PATTERN PLACE...: no source at these places may include what matches.
refuse() {
    local why=$1 pattern=$2 found
    shift 2
    found=$(grep -srnE --include='*.[ch]' "^ *# *include *[<\"]($pattern)" "$@" || true)
    [ -n "$found" ] || return 0
    printf '%s:\n%s\n' "$why" "$found"
    wrong=1
}

rooms=(planner kernel spmd calibrate)
for room in "${rooms[@]}"; do
    [ -n "$(find "$room" -name '*.[ch]')" ] || { echo "no sources in $room/" && wrong=1; }
done
refuse 'planner knows no other room' '(kernel|spmd|calibrate)/' planner
refuse 'planner knows no MPI, HDF5, LAPACKE, OpenMP or libpng' '(mpi|hdf5|lapacke|omp|png)\.h' planner
refuse 'kernel knows no other room' '(planner|spmd|calibrate)/' kernel
refuse 'kernel knows no MPI, HDF5, LAPACKE or libpng' '(mpi|hdf5|lapacke|png)\.h' kernel
refuse 'spmd does not know calibrate' 'calibrate/' spmd
mapfile -t portable < <(find kernel -name '*.[ch]' ! -name vector_x86.h)
refuse 'intrinsics are for vector_x86.h alone' '[a-z0-9]*intrin\.h|arm_[a-z]*\.h' "${portable[@]}"
refuse 'LAPACKE is for calibrate alone' 'lapacke\.h' spmd
refuse 'HDF5 and libpng are for spmd alone' '(hdf5|png)\.h' calibrate
refuse 'the transport knows MPI only' '(hdf5|png)\.h' spmd/comm.* spmd/wire.*
refuse 'the product does not stand on its tests' 'tests/' "${rooms[@]}"
refuse 'includes are written from the root' '\.\.?/' "${rooms[@]}" tests
exit $wrong
