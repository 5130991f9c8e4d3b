/* Inside of the matched filter: what its set-up (matched_filter.c) prepares for its computation
 * (matched_compute.c) and what is said of it (matched_method.c). Included by these, and by tests.
 */
#ifndef KERNEL_MATCHED_MATCHED_JOB_H
#define KERNEL_MATCHED_MATCHED_JOB_H

#include "kernel/kernel.h"
#include "kernel/matched/cut.h"
#include "kernel/matched/response.h"

struct kernel_job {
    struct grid grid;
    struct reach reach;
    struct response *response; /* owned */
    int tile;                  /* edge of the tiles that a block is computed in */
};

void matched_describe(const struct kernel_job *job, char *text, size_t size);
size_t matched_workspace_bytes(const struct kernel_job *job, int threads);
void matched_compute(const struct kernel_job *job, int64_t first, int64_t count,
                     const void *package, int threads, void *workspace,
                     const struct kernel_pulse *pulse, float *results);

#endif
