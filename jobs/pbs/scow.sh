#!/usr/bin/env bash
# jobs/scow.sh for PBS: bash jobs/pbs/scow.sh submit -i INPUT -o OUT.h5 -N NODES -T RANKS ...
#
# These scripts are checked with a qsub that pretends, and with that of Torque's commands for Slurm
# (tests/slurm/torque.sh); no PBS has run them yet.
set -euo pipefail
SCOW_BATCH=pbs exec bash "$(dirname "${BASH_SOURCE[0]}")/../scow.sh" "$@"
