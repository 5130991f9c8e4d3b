/* Checks the results and sizes that an opened job announces. */
#ifndef SPMD_JOB_RESULTS_CHECK_H
#define SPMD_JOB_RESULTS_CHECK_H

#include "spmd/job/job.h"

/* Can all of it be stored and held? Fills the job's sizes of tile, record and state. */
bool results_check(struct job *job, struct failure *failure);
/* "kernel NAME: WHY: ask who made it". Returns false. */
bool results_refuse(const struct job *job, const char *why, struct failure *failure);

#endif
