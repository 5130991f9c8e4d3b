/* Inside of library: a job made ready. */
#ifndef KERNEL_LIBRARY_LIBRARY_JOB_H
#define KERNEL_LIBRARY_LIBRARY_JOB_H

#include "kernel/library/align.h"
#include "kernel/library/targets.h"
#include "kernel/scow.h"

enum {
    LIBRARY_TARGETS,
    LIBRARY_MATRIX,
    LIBRARY_MATCH,
    LIBRARY_MISMATCH,
    LIBRARY_GAP_OPEN,
    LIBRARY_GAP_EXTEND,
    LIBRARY_PARAMETERS
};

struct library_job {
    struct targets targets;
    struct scoring scoring;
    struct aligner *aligner; /* owned */
};

int library_describe(const struct scow_host *host, const struct scow_value *values,
                     const struct scow_input *input, int64_t *tasks);
int library_open(const struct scow_host *host, const struct scow_setup *setup, void **job);
void library_close(void *job);
void library_method(const void *job, char *text, size_t size);
/* Letters: aligning takes a step for each, and each letter of the library. */
int library_weigh(const struct scow_host *host, const void *job, double *weights);

/* A package: the number of letters of each sequence (int64_t), then the letters of all. */
size_t library_package_size_most(const void *job, int64_t count);
int library_pack(const struct scow_host *host, const void *job, int64_t first, int64_t count,
                 void *package, size_t *size);

#endif
