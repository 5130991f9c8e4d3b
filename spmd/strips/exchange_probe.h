/*
 * Measures how long neighbouring workers take to exchange borders: all workers at once send a
 * border to both of their neighbours and receive theirs, as in an iteration that computes nothing.
 */
#ifndef SPMD_STRIPS_EXCHANGE_PROBE_H
#define SPMD_STRIPS_EXCHANGE_PROBE_H

#include "planner/base/failure.h"
#include "spmd/transport/comm.h"

enum { EXCHANGE_SIZES = 6 };

/* The exchange with one neighbour: each worker's median, and of these the mean. */
struct exchange_sample {
    size_t bytes;
    double seconds;
    double deviation_s; /* standard error of that mean, or an estimate of it; above 0 */
};

/* Collective. Ranks 1, 2, ... are neighbours in this order; borders have at most bytes_most bytes.
 * Only the master gets the samples; *count becomes 0 if there are fewer than two workers. False
 * with *failure set on all ranks: out of memory. */
bool exchange_probe(const struct comm *comm, size_t bytes_most,
                    struct exchange_sample samples[EXCHANGE_SIZES], int *count,
                    struct failure *failure);

#endif
