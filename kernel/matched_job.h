/* Inside of the matched filter: what its set-up (matched_filter.c) prepares for its computation
 * (matched_compute.c). Included by these two only. */
#ifndef KERNEL_MATCHED_JOB_H
#define KERNEL_MATCHED_JOB_H

#include "kernel/cut.h"
#include "kernel/kernel.h"
#include "kernel/response.h"

struct kernel_job {
    struct grid grid;
    struct reach reach;
    struct response *response; /* owned */
    int row_step;   /* tasks may be cut into strips at multiples of this; 0: not at all */
    int strip_rows; /* of the largest strip */
};

/* Set row_step and strip_rows, given all else. */
void matched_job_cut(struct kernel_job *job);
size_t matched_workspace_bytes(const struct kernel_job *job, int threads);
void matched_compute(const struct kernel_job *job, int64_t first, int64_t count,
                     const void *package, int threads, void *workspace,
                     const struct kernel_pulse *pulse, float *results);

#endif
