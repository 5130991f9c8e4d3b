/*
 * The results of a package as one run of bytes, for who sends them to somebody else to be written.
 * What a reduction has of the package is not among them: it travels with the package's report.
 */
#ifndef SPMD_JOB_PACKED_RESULTS_H
#define SPMD_JOB_PACKED_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spmd/job/engine.h"

/* Bytes of a package of so many core tasks, but for what they emit and why they fail. */
size_t packed_results_least(const struct job *job, int64_t tasks);
/* Bytes of these results. */
size_t packed_results_size(const struct job *job, const struct package_results *results);
/* So many bytes, into memory aligned to 64. */
void packed_results_fill(const struct job *job, const struct package_results *results,
                         void *packed);
/* What has been packed of a package, without its state, borrowed from `packed`; it cannot be
 * computed into. False: that is not what these bytes are. */
bool packed_results_open(const struct job *job, void *packed, size_t size,
                         struct package_results *results);

#endif
