/*
 * Raw timings of a calibration: what every cost of a profile comes from.
 */
#ifndef PLANNER_MODEL_SAMPLE_H
#define PLANNER_MODEL_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/model/task_range.h"
#include "planner/model/trace.h"
#include "planner/model/weights.h"

/* One operation on one package. */
struct sample {
    int setting; /* of the calibration, from 0 */
    int rank;    /* the worker concerned; 0: the master */
    enum operation operation;
    int pass;    /* over all sizes, from 0 */
    bool cold;   /* a worker's first package since the ranks were made ready */
    bool fresh;  /* a cold one, for which the worker has just started what it computes with */
    bool waited; /* packages came one by one: the worker had nothing else to do */
    int64_t first, tasks;
    double seconds;
    struct task_range stratum; /* the stratum that the package was chosen for (strata.h); no tasks:
                                * it was chosen for another reason */
};

struct samples {
    struct sample *items; /* owned */
    int64_t count;
    size_t capacity;
    const struct task_weights *weights; /* borrowed: of the job's core tasks; NULL: not known */
};

/* False: out of memory, samples unchanged. */
bool samples_add(struct samples *samples, const struct sample *sample);
void samples_release(struct samples *samples);

#endif
