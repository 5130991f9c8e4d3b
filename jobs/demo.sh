#!/usr/bin/env bash
# The whole way on one image: build scow, then calibrate, plan, run, report and show.
#
#     bash jobs/demo.sh
#
# Everything it makes is under build/, its results under build/demo/. Run it as often as you like:
# results of an earlier demo are replaced. Two workers and a master share this machine; one thread
# each, unless OMP_NUM_THREADS says otherwise.
set -euo pipefail
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
quietly cmake --build --preset release --target scow scow-run scow-calibrate

printf '\n$ %s\n' "cd build/demo"
printf '$ %s\n' "export PATH=../release/bin:\$PATH OMP_NUM_THREADS=${OMP_NUM_THREADS:=1}"
cd build/demo
rm -f profile.json probes.tsv plan.json retina.h5 preview.png
export PATH=../release/bin:$PATH OMP_NUM_THREADS
# The launcher of the MPI that scow was built with, by its name where that is enough.
mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' ../release/CMakeCache.txt)
if [ "$(command -v "${mpiexec##*/}")" = "$mpiexec" ]; then
    mpiexec=${mpiexec##*/}
fi

image=../../jobs/data/retina.png
step "$mpiexec" -n 3 scow calibrate -k matched-filter -i "$image" --polarity dark --quick \
    -o profile.json --probes probes.tsv
step scow plan -p profile.json -i "$image" -o plan.json
step "$mpiexec" -n 3 scow run plan.json -i "$image" -o retina.h5
step scow report retina.h5
step scow show retina.h5 -i "$image" --png preview.png

cat <<'END'

To look at, under build/demo/:
  preview.png   the photograph, and beside it the vessels that the filters found
  retina.h5     the response (/response, /normalized), with the plan and the trace of the run
  profile.json  what every operation costs on this machine; probes.tsv has the single measurements
  plan.json     the packages for each worker, and the time they were predicted to take
END
