/*
 * What a worker tells the master of one package, byte for byte. Ranks of one run share an
 * architecture: the structs below are sent as they lie in memory.
 */
#ifndef SPMD_RUN_MESSAGE_H
#define SPMD_RUN_MESSAGE_H

#include "planner/base/failure.h"
#include "planner/dispatch/dispatch.h"
#include "spmd/job/summary.h"

/* When a worker did what with one package; seconds on the master's clock. */
struct wire_times {
    double free_s;    /* the worker had nothing left to do */
    double transit_s; /* at the earliest when the package began to arrive */
    double arrived_s; /* the package was complete */
    double start_s;   /* work on it began */
    double receive_s; /* length of time inside MPI while working on it */
    double computed_s;
    double written_s;
};

/* Behind it travels the state of a reduction over the package's tasks. */
struct wire_result {
    struct package package;
    struct wire_times times;
    struct summary summary;
    struct rejection rejection; /* when summary.failed > 0 */
    struct failure failure;     /* code FAILURE_NONE: done */
    int32_t asked;              /* the worker has been asked to stop */
    int32_t skipped;            /* so it has not begun this package */
};

#endif
