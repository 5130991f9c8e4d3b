/*
 * How long workers may be silent while they are probed: as in a run, by the longest package, and by
 * what the next one will take. Local to the master.
 */
#ifndef CALIBRATE_PATIENCE_H
#define CALIBRATE_PATIENCE_H

#include <stdint.h>

#include "planner/model/trace.h"
#include "spmd/transport/liveness.h"

/* Of one job: core tasks of another may take much longer. */
struct patience {
    struct liveness *liveness; /* borrowed; NULL: nobody is looked after */
    double least_s;            /* a worker that was silent for less is not lost */
    double longest_s;          /* operation of a worker; 0: none has been seen */
    double s_per_task;         /* at most, but for starts */
};

/* Packages of so many core tasks are to come. */
void patience_expect(const struct patience *patience, int64_t largest);
void patience_learn(struct patience *patience, const struct trace *trace);
/* No worker works on packages any more. */
void patience_end(const struct patience *patience);

#endif
