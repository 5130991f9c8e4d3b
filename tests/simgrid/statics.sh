#!/usr/bin/env bash
# Simulated ranks are threads of one process: what they run may have no variable that they share,
# but for what a signal leaves behind, which is for the process, the trace that rank 0 keeps here, and
# the words of liveness, which nobody says in a simulation.
#
#     bash tests/simgrid/statics.sh OBJECT...
set -euo pipefail

found=$(for object in "$@"; do
    [[ $object == */spmd/protocol/@(interrupt|fault).c.o || $object == *.dir/?(./)store.c.o ]] && continue
    [[ $object == */spmd/transport/liveness.c.o ]] && continue
    objdump -t "$object" | awk -v file="$object" '$3 == "O" && $4 ~ /^\.(t?bss|t?data)$/ { print file ": " $6 }'
done)
[ -z "$found" ] && exit
printf 'variables that ranks would share:\n%s\n' "$found"
exit 1
