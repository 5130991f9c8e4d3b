/*
 * What it takes neighbouring workers to exchange borders: each sends one to both of its neighbours
 * and receives theirs, as in an iteration that computes nothing, all workers at once.
 */
#ifndef SPMD_STRIPS_EXCHANGE_PROBE_H
#define SPMD_STRIPS_EXCHANGE_PROBE_H

#include "planner/base/failure.h"
#include "spmd/transport/comm.h"

enum { EXCHANGE_SIZES = 6 };

/* Of one neighbour, in the mean of all workers' medians. */
struct exchange_sample {
    size_t bytes;
    double seconds;
    double deviation_s; /* standard error of that mean, or what is known in its place; above 0 */
};

/* Collective. Ranks 1, 2, ... are neighbours in this order; borders of up to bytes_most. *count
 * becomes 0 where there are fewer than two workers. The samples are the master's. False with
 * *failure set: out of memory, on all ranks. */
bool exchange_probe(const struct comm *comm, size_t bytes_most,
                    struct exchange_sample samples[EXCHANGE_SIZES], int *count,
                    struct failure *failure);

#endif
