#!/usr/bin/env bash
# ParaView reads what `scow show --xdmf` writes: every grid with its names, shape and numbers, also from
# another folder than the output's, by each of its readers of XDMF.
#
#     bash tests/paraview/run.sh [BUILD]        default: build/release, which must be built
#
# Installs what is missing: Debian's paraview and python3-paraview, about half a gigabyte (PVPYTHON names
# another pvpython, and then nothing is installed).
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0" | grep -v '^shellcheck ' && exit ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

build=$(realpath "${1:-build/release}")
here=$PWD/tests/paraview
[ -n "${PVPYTHON:-}" ] || bash jobs/setup.sh --paraview
mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
export PATH=$build/bin:$PATH OMP_NUM_THREADS=1 HWLOC_PLUGINS_PATH=/nonexistent
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir elsewhere

# Slices that differ, none as wide as it is high.
/usr/bin/python3 -c "import h5py, numpy
with h5py.File('stack.h5', 'w') as file:
    file['slices'] = numpy.random.default_rng(7).integers(0, 256, (3, 70, 90), numpy.uint8)"
scow plan -p "$here/matched.json" -i stack.h5:/slices -s single -q -o matched-filter.json
"$mpiexec" -n 3 scow run matched-filter.json -i stack.h5:/slices -o matched-filter.h5 -q
cat >mandelbrot.json <<'PLAN'
{ "schema": "scow-plan-1", "kernel": "mandelbrot", "scheduler": "by hand", "tasks": 40,
  "parameters": {"width": 60, "height": 40}, "workers": [0, 1], "rounds": [ {"repeat": 20, "loads": [1, 1]} ] }
PLAN
"$mpiexec" -n 3 scow run mandelbrot.json -o mandelbrot.h5 -q
for name in matched-filter mandelbrot; do
    scow show $name.h5 --xdmf $name.xdmf
    scow show $name.h5 --xdmf elsewhere/$name.xdmf
    # What HDF5 itself reads, for ParaView has an HDF5 of its own.
    /usr/bin/python3 -c "import h5py, numpy
with h5py.File('$name.h5') as out:
    numpy.savez('$name.npz', **{key: out[key][:] for key in ('response', 'normalized')})"
    for xdmf in $name.xdmf elsewhere/$name.xdmf; do "${PVPYTHON:-pvpython}" "$here/read.py" "$xdmf" $name.npz; done
done
