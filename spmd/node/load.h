/*
 * Load on this node, by a pattern (planner/model/load_pattern.h): threads that compute
 * trigonometric functions while it is high, and sleep while it is low.
 */
#ifndef SPMD_NODE_LOAD_H
#define SPMD_NODE_LOAD_H

#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/model/load_pattern.h"
#include "spmd/node/cpu_list.h"

struct load_request {
    const struct load_pattern *pattern;
    double seconds;
    int threads;
    uint64_t seed;
    int64_t node;                /* of random parts */
    const struct cpu_list *cpus; /* thread k is bound to the k-th, around; NULL: to none */
};

/* Make that load, which takes so many seconds; *worked_s: processor time of all threads.
 * FAILURE_FAILED: a thread cannot be started or bound. */
bool load_make(const struct load_request *request, double *worked_s, struct failure *failure);

#endif
