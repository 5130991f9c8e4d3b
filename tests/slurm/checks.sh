# What the tests on a virtual cluster share: four nodes of two processors, up until the test ends. To be
# sourced, with SCOW's directory and MPICH's launcher.
#
#     . checks.sh BIN MPIEXEC
# shellcheck shell=bash

# shellcheck disable=SC2034 # the tests use it
bin=$(realpath "$1") mpiexec=$2
house=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/slurm/cluster.sh
. "$house/tests/slurm/cluster.sh"
if ! cluster_possible; then
    echo "Slurm and munge are not installed"
    exit 77
fi
dir=$(mktemp -d)
export PATH=$bin:$PATH UCX_LOG_LEVEL=error
unset OMP_NUM_THREADS
trap 'cluster_down; rm -rf "$dir"' EXIT
cluster_up "$dir/cluster" 4 2
mkdir "$dir/work"
cd "$dir/work" || exit

fail() {
    echo "$*"
    scontrol -o show job | sed -n 's/^JobId=\([0-9]*\) JobName=\([^ ]*\) .* JobState=\([^ ]*\) Reason=\([^ ]*\) .*ExitCode=\([^ ]*\) .*/job \1 \2: \3, \4, exit code \5/p'
    tail -n 20 ./*.log || true
    cluster_tell
    exit 1
}

# job_say NUMBER NAME: what Slurm says of a job under that name.
job_say() {
    scontrol -o show job "$1" | grep -oP "(^| )$2=\K[^ ]*"
}

# state_of NAME: how the latest job of that name ended, "COMPLETED 0".
state_of() {
    scontrol -o show job | sed -n "s/^JobId=[0-9]* JobName=$1 .* JobState=\([^ ]*\) .*ExitCode=\([0-9]*\):.*/\1 \2/p" | tail -n 1
}

# queue_drain SECONDS: wait until no job is left.
queue_drain() {
    local try
    for ((try = 0; try < 5 * $1; try++)); do
        [[ $(squeue -h) ]] || return 0
        sleep 0.2
    done
    squeue
    fail "jobs are left after $1 s"
}

checksum_of() {
    "$bin/scow" show "$1" | sed -n 's/^checksum *//p'
}

# The processes of scow that were started here, and what starts them.
processes_here() {
    local process
    for process in $(pgrep '^(scow|srun|mpiexec|hydra)' || true); do
        [[ $(readlink "/proc/$process/cwd" || true) == "$dir"/* ]] || continue
        echo "$process $(basename "$(readlink "/proc/$process/exe" || true)")"
    done
}

# No rank is left on any node.
nothing_left() {
    local try
    for ((try = 0; try < 50; try++)); do
        [[ $(processes_here) ]] || return 0
        sleep 0.1
    done
    processes_here
    fail "processes are left"
}
