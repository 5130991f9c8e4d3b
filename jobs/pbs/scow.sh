#!/usr/bin/env bash
# jobs/scow.sh for PBS: bash jobs/pbs/scow.sh submit -i INPUT -o OUT.h5 -N NODES -T RANKS ...
#
# These scripts are checked for their syntax, and with a qsub that pretends; no PBS has run them yet.
set -euo pipefail
SCOW_BATCH=pbs exec bash "$(dirname "${BASH_SOURCE[0]}")/../scow.sh" "$@"
