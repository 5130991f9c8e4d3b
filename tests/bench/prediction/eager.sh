#!/usr/bin/env bash
# Where MPI passes from eager to rendezvous, messages cost otherwise. UCX_RNDV_THRESH moves that
# place; is it found there?
#
#     tests/bench/prediction/eager.sh [BUDGET] [BUILD]      15s and build/release unless given
#
# Core tasks of the motif search that ship their letters are messages of 48 bytes each. Printed are
# the threshold in core tasks, and the windows between which the cost of sending breaks.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0" | grep -v '^shellcheck ' && exit ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
budget=${1:-15s}
bin=$PWD/${2:-build/release}/bin
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export OMP_NUM_THREADS=1

awk 'BEGIN {
    srand(1)
    for (k = 0; k < 6; k++) {
        printf ">s%d\n", k
        for (i = 0; i < 30; i++)
            printf "%s", substr("acgt", 1 + int(4 * rand()), 1)
        print ""
    }
}' >sequences.fa

for bytes in 32768 65536 262144; do
    UCX_RNDV_THRESH=$bytes "${MPIEXEC:-mpiexec.mpich}" -n 2 "$bin/scow" calibrate -k motif -i sequences.fa \
        --length 8 --positions 16 --ship matrices --budget "$budget" -q -o profile.json
    "$bin/scow" show profile.json | awk -v bytes="$bytes" '
        /packages of [0-9]+ to [0-9]+ tasks/ { end = $(NF - 1) }
        /^ *send / {
            if (line != "" && $0 != line && !found) {
                printf "threshold %d bytes, %.0f core tasks: sending breaks after packages of %d\n",
                    bytes, bytes / 48, before
                found = 1
            }
            line = $0
            before = end
        }
        END { if (!found) printf "threshold %d bytes, %.0f core tasks: no break\n", bytes, bytes / 48 }'
done
