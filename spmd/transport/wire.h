/*
 * What travels between master and worker, byte for byte. Ranks of one run share an architecture:
 * the structs below are sent as they lie in memory.
 */
#ifndef SPMD_TRANSPORT_WIRE_H
#define SPMD_TRANSPORT_WIRE_H

#include <stdint.h>

#include "kernel/summary.h"
#include "planner/base/failure.h"
#include "planner/dispatch/dispatch.h"

enum wire_tag {
    WIRE_PACKAGE = 1, /* master to worker: struct wire_package, then the kernel's bytes */
    WIRE_RESULT = 2,  /* worker to master: struct wire_result, one for every package */
    WIRE_CONTROL = 3  /* calibration's own questions and answers */
};

enum wire_kind {
    WIRE_WORK, /* work on it */
    WIRE_WARM, /* nothing to do: opens the connection before the clock starts */
    WIRE_STOP  /* no more packages: leave the loop */
};

/* Header of a package; 64 bytes, so that the pixels behind it are aligned. */
struct wire_package {
    int64_t kind; /* enum wire_kind */
    struct package package;
    int64_t reserved[2];
};

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

struct wire_result {
    struct package package;
    struct wire_times times;
    struct summary summary;
    struct failure failure; /* code FAILURE_NONE: done */
};

_Static_assert(sizeof(struct wire_package) == 64, "pixels behind the header must stay aligned");

#endif
