/*
 * A summary of results that is updated package by package: extremes, and a checksum that does not
 * depend on ranks, threads, packages or the order in which tasks finish.
 */
#ifndef SPMD_JOB_SUMMARY_H
#define SPMD_JOB_SUMMARY_H

#include <stdint.h>

#include "spmd/job/engine.h"

struct summary {
    double minimum, maximum; /* of the grid's values that are numbers; +inf and -inf when none is */
    int64_t tasks;           /* done and failed ones */
    int64_t failed;          /* rejected by the core task: their results are not looked at */
    int64_t values, not_numbers;
    uint64_t checksum; /* sum modulo 2^64, over tasks, of XXH3-64 of the task's part of the grid,
                        * seeded with its index; and of its record's
                        * fields but for the measured ones */
    /* The most that there was of memory, bytes, 0 where it is not known: in one of the workers; in
     * what a core task ran, as records say it in KiB under SUMMARY_PEAK; in the master. */
    int64_t rank_peak, command_peak, master_peak;
};

#define SUMMARY_PEAK "peak_kib"

void summary_init(struct summary *summary);
/* Add the results of a package. False with *failure set: the task's places make no sense. */
bool summary_add(struct summary *summary, const struct job *job,
                 const struct package_results *results, struct failure *failure);
void summary_merge(struct summary *summary, const struct summary *other);
/* The outcome of a reduction, as job_print wrote it, is a part of the checksum, too. */
void summary_add_outcome(struct summary *summary, const char *json);

#endif
