/*
 * What master and workers say to each other while probing; packages themselves travel as in a run.
 */
#ifndef CALIBRATE_PROTOCOL_H
#define CALIBRATE_PROTOCOL_H

#include <stdint.h>

#include "planner/base/failure.h"

enum probe_kind {
    PROBE_OPEN,    /* collective: make buffers for packages of `count`, open the scratch store */
    PROBE_LINK,    /* take `repeats` packages as they come; answer each with its arrival */
    PROBE_RECEIVE, /* the same, but touch MPI only when the package has had `seconds` to travel;
                    * answer each with the time inside MPI */
    PROBE_WORK,    /* collective: take one package; compute it and write its results in turns */
    PROBE_CLEAR,   /* collective: undo PROBE_OPEN */
    PROBE_END
};

struct probe_order {
    int64_t kind;        /* enum probe_kind */
    int64_t count;       /* core tasks in a package */
    int64_t repeats;     /* packages to take */
    int64_t fresh_first; /* PROBE_WORK: tasks [fresh_first, fresh_last) have not been written yet */
    int64_t fresh_last;
    double seconds;
};

enum { PROBE_BLOCKS_MOST = 16 };

/* One timing: so many repeats took so long on average. */
struct probe_timing {
    int64_t first, repeats;
    double seconds;
};

struct probe_work {
    struct probe_timing compute[PROBE_BLOCKS_MOST], output[PROBE_BLOCKS_MOST];
    int64_t compute_count, output_count;
    struct failure failure;
};

#endif
