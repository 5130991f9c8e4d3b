/* The error output of a failed core task, for messages: its first lines. */
#ifndef SPMD_JOB_COMPLAINT_H
#define SPMD_JOB_COMPLAINT_H

#include "spmd/job/engine.h"
#include "spmd/job/job.h"

/* Local. Of a command, the standard error of the last attempt or, if that is empty, its standard
 * output; of other core tasks, what they emitted, as they render it. Writes its first lines, at
 * most `room` bytes with the final zero; bytes that are no UTF-8 become '?'; "": there is none. */
void complaint_find(const struct job *job, const struct package_results *results, int64_t task,
                    char *text, size_t room);

#endif
