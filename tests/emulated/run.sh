#!/usr/bin/env bash
# Plans, and rules on request, on emulated clusters: nodes are network namespaces behind links of 100 Mbit/s and
# less, and get 100, 50 or 25 % of a core. Calibrated there, planned, run and compared: a table in Markdown.
#
#     bash tests/emulated/run.sh [--runs 10] [--every 5] [--budget S] [--cluster NAME]... [--only NAME,...]
#         [--filter] [--smoke] >table.md
#
# Core tasks are chains of multiplications, or with --filter the matched filter, whose pace on a virtual machine is
# what its host's other guests make of it; 'sleep' sleeps.
#
# Root, iproute2, control groups of version 1, two cores, what 'bash jobs/setup.sh --tests' installs, and a build
# under build/release (or $BUILD). All three clusters and ten runs take about 35 minutes and want a quiet machine;
# what they leave is under build/emulated/ (results.json has every run), and nodes are removed however it
# ends. Exit code 1: a prediction is off by more than it may be; 77: no cluster can be emulated here.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0" | grep -v '^shellcheck ' && exit ;; esac
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
build=$(realpath "${BUILD:-build/release}")
# shellcheck source=tests/emulated/cluster.sh
source "$here/cluster.sh"

# Where cores compute, the master and what the kernel does for links have a core of their own, and the workers'
# shares leave a quarter of the other: else nodes would keep one another waiting.
declare -A clusters=(
    [even]="200mbit:100:0 100mbit:25:1 100mbit:25:1 100mbit:25:1"
    [uneven]="200mbit:100:0 100mbit:50:1 50mbit:25:1"
    [sleep]="100mbit:100:0 100mbit:100:1 100mbit:50:0 100mbit:50:1 50mbit:50:0 50mbit:25:1 50mbit:25:0 20mbit:25:1 20mbit:25:0"
)
order=(even uneven sleep)

wanted=()
passed=()
smoke=
filter=
while (($# > 0)); do
    case $1 in
    --cluster)
        [[ -n ${clusters[${2:-none}]:-} ]] || { echo "${0##*/}: --cluster is one of ${order[*]}" >&2 && exit 2; }
        wanted+=("$2")
        shift
        ;;
    --filter) filter=-filter ;;
    --smoke) smoke=--smoke ;;
    *) passed+=("$1") ;;
    esac
    shift
done
((${#wanted[@]} > 0)) || wanted=("${order[@]}")
[[ -z $smoke ]] || wanted=(uneven sleep)

missing=$(cluster_missing)
if [[ -n $missing ]]; then
    echo "no cluster can be emulated here: $missing" >&2
    exit 77
fi
cluster_sweep
scratch=$(mktemp -d)
trap 'cluster_down; rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
cc -O2 "$here/ticker.c" -o "$scratch/ticker"
cc -O2 -shared -fPIC -I "$PWD" "$here/chain.c" -o "$scratch/chain.so"
cluster_ticker=$scratch/ticker

worst=0
kept=()
for name in "${wanted[@]}"; do
    case $name$filter in
    sleep*) work=sleep kept+=("$name") ;;
    *-filter) work=filter kept+=("$name-filter") ;;
    *) work=chain kept+=("$name") ;;
    esac
    # shellcheck disable=SC2086 # words
    cluster_up ${clusters[$name]}
    code=0
    /usr/bin/python3 "$here/emulated.py" --scow "$build/bin/scow" --name "$name" --nodes ${#cluster_nodes[@]} $smoke \
        --work $work --chain "$scratch/chain.so" "${passed[@]}" -- "${cluster_mpiexec[@]}" || code=$?
    cluster_down
    ((code <= worst)) || worst=$code
done
[[ -n $smoke ]] || /usr/bin/python3 "$here/emulated.py" --table "${kept[@]}" || worst=1
exit $worst
