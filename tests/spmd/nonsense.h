/* The core task of plugins/nonsense.c, linked into a test. */
#ifndef TESTS_SPMD_NONSENSE_H
#define TESTS_SPMD_NONSENSE_H

#include "spmd/job/job.h"
#include "tests/checks.h"

/* With that fault and so many core tasks, staged or not; to be released. */
void nonsense_values(struct values *values, const char *fault, int64_t tasks);
/* The job of it. False with *failure set where it cannot be made; to be closed otherwise. */
bool nonsense_open(struct job *job, const char *fault, int64_t tasks, struct failure *failure);

#endif
