/* Inside of the matched filter: what its set-up (matched_filter.c) prepares for its computation
 * (matched_compute.c) and what is said of it (matched_method.c). Included by these, and by tests.
 */
#ifndef KERNEL_MATCHED_MATCHED_JOB_H
#define KERNEL_MATCHED_MATCHED_JOB_H

#include "kernel/matched/cut.h"
#include "kernel/matched/response.h"
#include "kernel/scow.h"

struct matched_job {
    struct grid grid;
    struct reach reach;
    struct response *response;   /* owned */
    int tile_rows, tile_columns; /* of the tiles that a core task is computed in */
};

/* Callbacks of the task (kernel/scow.h); `job` is a struct matched_job. */
void matched_method(const void *job, char *text, size_t size);
size_t matched_workspace_size(const void *job, int threads);
int matched_compute(const struct scow_host *host, const void *job, const struct scow_batch *batch);

#endif
