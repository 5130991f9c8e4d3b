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

struct rate_setup {
    const struct comm *comm;
    const char *output; /* a file to be made and removed */
    double least_s;     /* that the last batch is to take */
    int ahead;          /* packages that a worker has at a time, >= 1 */
};

struct rate_batch {
    int64_t packages;
    double seconds;                   /* from the first envelope to the last result */
    int64_t master_peak, worker_peak; /* bytes that the master and any worker had at most so far */
};

/* Called on the master after each batch. */
struct rate_listener {
    void (*batch)(void *self, const struct rate_batch *batch);
    void *self;
};

/* Collective. False with *failure set, on every rank. */
bool rate_measure(const struct rate_setup *setup, const struct rate_listener *listener,
                  struct failure *failure);

#endif
