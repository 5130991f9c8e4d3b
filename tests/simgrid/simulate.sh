#!/usr/bin/env bash
# One simulated cluster: calibrate there, plan, run; one line on standard output for every scheduler
# and rule (see cluster.c).
#
#     bash tests/simgrid/simulate.sh PROGRAM NAME DIRECTORY [OPTION OF PROGRAM]...
#
# NAME is a cluster of platform_list.py, whose files go to DIRECTORY. Transfers cost latency + bytes /
# bandwidth, and nothing else takes simulated time but what the core task says. Messages of up to
# 2048 bytes, such as reports, leave at once, as MPI libraries send them; longer ones are sent when
# their receiver is there.
set -euo pipefail

program=$1 name=$2 directory=$3
shift 3
mkdir -p "$directory"
python3 "$(dirname "${BASH_SOURCE[0]}")/platform_list.py" "$name" "$directory"
read -r -a job <"$directory/$name.job"
settings=(
    smpi/simulate-computation:no smpi/privatization:no contexts/stack-size:1024
    network/model:CM02 network/TCP-gamma:0 network/weight-S:0 network/crosstraffic:0
    network/latency-factor:1 network/bandwidth-factor:1
    smpi/os:0:0:0 smpi/or:0:0:0 smpi/ois:0:0:0
    smpi/init:0 smpi/test:0 smpi/wtime:0 smpi/grow-injected-times:no
    smpi/async-small-thresh:2048 smpi/send-is-detached-thresh:2048
)
exec smpirun -np "$(wc -l <"$directory/$name.hosts")" \
    -platform "$directory/$name.xml" -hostfile "$directory/$name.hosts" \
    "${settings[@]/#/--cfg=}" --log=root.thres:error "$program" "${job[@]}" "$@"
