/* What this process has been given, and what it has used. Local. */
#ifndef SPMD_RUN_USAGE_H
#define SPMD_RUN_USAGE_H

#include "planner/model/usage.h"

/* As the environment of Slurm or PBS says; all zero outside a job. */
void usage_requested(struct run_request *request);
/* Of this rank, and processor time of the processes that it has started, running ones too. */
void usage_measure(struct run_usage *usage);
#endif
