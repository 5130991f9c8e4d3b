/* What a core task that failed has left to say why, for people: the first lines of its error
 * output. */
#ifndef SPMD_JOB_COMPLAINT_H
#define SPMD_JOB_COMPLAINT_H

#include "spmd/job/engine.h"
#include "spmd/job/job.h"

/* Local. Of a command the standard error of the last attempt, or its standard output where there is
 * none; of other core tasks what they emitted, as they render it. The first lines of it, cut to
 * `room` bytes with the final zero, in UTF-8 or with '?' for what is none; "": nothing. */
void complaint_find(const struct job *job, const struct package_results *results, int64_t task,
                    char *text, size_t room);

#endif
