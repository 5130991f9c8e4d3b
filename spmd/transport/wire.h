/*
 * What travels between master and worker, byte for byte. Ranks of one run share an architecture:
 * the structs below are sent as they lie in memory.
 */
#ifndef SPMD_TRANSPORT_WIRE_H
#define SPMD_TRANSPORT_WIRE_H

#include <stdint.h>

#include "planner/base/process.h"
#include "planner/dispatch/dispatch.h"

enum wire_tag {
    WIRE_PACKAGE = 1, /* master to worker: struct wire_package, then the task's bytes */
    WIRE_RESULT = 2,  /* worker to master: struct wire_result, one for every package */
    WIRE_CONTROL = 3, /* calibration's own questions and answers */
    WIRE_CANCEL =
        4,          /* master to worker, empty: stop computing, what is left is only acknowledged */
    WIRE_ALIVE = 5, /* worker to master, empty: while nothing else is to be said */
    WIRE_LOST = 6,  /* master to a worker that it takes for lost, empty: touch nothing any more */
    WIRE_CLOSE = 7, /* master to worker: struct wire_close, how to end its part */
    WIRE_CLOSED = 8,    /* worker to master: struct wire_closed, that it has */
    WIRE_VERDICT = 9,   /* master to worker: struct wire_verdict, and who is lost */
    WIRE_FAREWELL = 10, /* master to worker after a loss, empty: everything is said, leave */
    WIRE_OTHERS = 12, /* master to worker: struct scow_others, an answer to one that tells counts */
    WIRE_PRESENT = 11, /* before there is an output, struct wire_present: that somebody is there */
    WIRE_DAMAGE = 13, /* worker to master: struct task_range, what does not hold what was written */
    WIRE_RETURN = 14, /* worker to master, where it is the master who writes: packed results, behind
                       * the report that says how many bytes they are. A lost one ends its worker's
                       * part */
    WIRE_HERE = 15,   /* master to worker, struct process: it looks after those that are ready */
    WIRE_READY = 16,  /* worker to master, the answer, struct process: so is this one */
    WIRE_BEGIN = 17   /* master to worker, when all are ready: struct failure, or none */
};

enum wire_kind {
    WIRE_WORK, /* work on it */
    WIRE_WARM, /* nothing to do: opens the connection before the clock starts */
    WIRE_GIVE, /* return what is kept of packages up to this one's number */
    WIRE_STOP  /* no more packages: return all that is kept, and leave the loop */
};

struct wire_present {
    int64_t word; /* of the failure detector */
    struct process process;
};

/* Header of a package; 64 bytes, so that what is behind it is aligned. */
struct wire_package {
    int64_t kind; /* enum wire_kind */
    struct package package;
    int64_t size; /* bytes behind the header */
    int64_t reserved;
};

_Static_assert(sizeof(struct wire_package) == 64, "bytes behind the header must stay aligned");

#endif
