/* What the commands of a node have in common. */
#ifndef SPMD_NODE_NODE_H
#define SPMD_NODE_NODE_H

#include <stdint.h>

#include "planner/base/failure.h"

/* Of this node among a job's: SLURM_NODEID, or else the process's rank; 0: neither is known. */
int64_t node_number(void);
/* Say what failed; the process's exit code. */
int node_end(struct failure *failure);

#endif
