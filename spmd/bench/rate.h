/*
 * How many packages a second one master hands out: core tasks that do nothing, in packages of one,
 * by the master and workers of a run, with its ledger and its trace, on a file that is gone
 * afterwards. Batches grow until one takes as long as is asked for, the method of parsl-perf (Parsl
 * project, 2023).
 */
#ifndef SPMD_BENCH_RATE_H
#define SPMD_BENCH_RATE_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "spmd/transport/comm.h"

/* Of one rank. */
struct rate_setup {
    const struct comm *comm;
    const char *output; /* a file to be made and removed */
    int ahead;          /* packages that a worker has at a time, >= 1 */
    bool joins; /* over a link that workers have joined, without steps of all ranks together:
                 * each makes its own job, and results return to the master */
};

struct rate_batch {
    int64_t packages;
    double seconds;                   /* from the first envelope to the last result */
    int64_t master_peak, worker_peak; /* bytes that the master and any worker had at most so far */
};

/* Collective. Of *batch, packages are given; the rest is the master's. False with *failure set, on
 * every rank that knows of it. */
bool rate_batch_run(const struct rate_setup *setup, struct rate_batch *batch,
                    struct failure *failure);

/* Batches that grow. */
struct rate_series {
    bool (*run)(void *self, struct rate_batch *batch, struct failure *failure); /* one of them */
    void (*told)(void *self, const struct rate_batch *batch);                   /* after each */
    void *self;
    double least_s; /* that the last batch is to take */
};

/* False with *failure set. */
bool rate_measure(const struct rate_series *series, struct failure *failure);

#endif
