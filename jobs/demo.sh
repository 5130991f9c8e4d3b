#!/usr/bin/env bash
# The whole way on a stack of images: build scow, then calibrate, plan, run, show and report.
#
#     bash jobs/demo.sh
#
# Everything it makes is under build/, its results under build/demo/. Run it as often as you like:
# results of an earlier demo are replaced. Two workers and a master share this machine; one thread
# each, unless OMP_NUM_THREADS says otherwise.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0" | grep -v '^shellcheck ' && exit ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Show a command as it could be typed, then run it.
step() {
    printf '\n$ %s\n' "$*"
    "$@"
}

# The same for what is of interest only when it fails.
quietly() {
    printf '$ %s\n' "$*"
    if ! "$@" >build/demo/build.log 2>&1; then
        cat build/demo/build.log >&2
        return 1
    fi
}

mkdir -p build/demo
printf '$ bash jobs/setup.sh\n'
bash jobs/setup.sh
quietly cmake --preset release
quietly cmake --build --preset release --target product

printf '\n$ %s\n' "cd build/demo"
printf '$ %s\n' "export PATH=../release/bin:\$PATH OMP_NUM_THREADS=${OMP_NUM_THREADS:=1}"
cd build/demo
rm -rf profile.json probes.tsv plan.json retina.h5 preview.png slices
export PATH=../release/bin:$PATH OMP_NUM_THREADS
# The launcher of the MPI that scow was built with, by its name where that is enough.
mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' ../release/CMakeCache.txt)
if [ "$(command -v "${mpiexec##*/}")" = "$mpiexec" ]; then
    mpiexec=${mpiexec##*/}
fi

# One photograph is a fraction of a second's work: a directory of 16 of them is a stack.
printf '$ %s\n' "mkdir slices && for i in {01..16}; do ln -s ../../../jobs/data/retina.png slices/\$i.png; done"
mkdir slices && for i in {01..16}; do ln -s ../../../jobs/data/retina.png "slices/$i.png"; done

step "$mpiexec" -n 3 scow calibrate -k matched-filter -i slices --bank source --combine max \
    --polarity dark --budget 14s -o profile.json --probes probes.tsv
step scow plan -p profile.json -i slices -o plan.json
step "$mpiexec" -n 3 scow run plan.json -i slices -o retina.h5
step scow show retina.h5 -i slices --png preview.png

cat <<'END'

To look at, under build/demo/:
  preview.png   the photograph, and beside it the vessels that the filters found
  retina.h5     the response (/response, /normalized), with the plan and the trace of the run
  profile.json  what every operation costs on this machine; probes.tsv has the single measurements
  plan.json     the packages for each worker, and the time they were predicted to take
END
step scow report retina.h5
