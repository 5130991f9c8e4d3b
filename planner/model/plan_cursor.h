/*
 * Iterates over a plan's packages in the order of sending: activation order, round after round,
 * without workers that have no load. The simulation and the master's dispatch both go through a
 * plan with it.
 */
#ifndef PLANNER_MODEL_PLAN_CURSOR_H
#define PLANNER_MODEL_PLAN_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/model/plan.h"

/* Starts as PLAN_CURSOR(plan), before the first package. */
struct plan_cursor {
    const struct plan *plan; /* borrowed */
    const double *loads;     /* of the round at hand, NULL before the first */
    size_t entry;            /* of plan->rounds, the round's */
    int64_t repeats;         /* of that entry, still to come */
    int64_t slot;            /* of plan->workers */
    double load;             /* core tasks, > 0 */
    double first;            /* core task */
    int64_t index;           /* 0, 1, ... in order of sending */
    int64_t round;           /* 0, 1, ..., repeats counted */
};

#define PLAN_CURSOR(of)                                                                            \
    {                                                                                              \
        .plan = (of), .slot = (of)->worker_count - 1, .first = (of)->first, .index = -1,           \
        .round = -1                                                                                \
    }

/* Move to the next package; false: there is none. Inline for the simulation, which takes few
 * nanoseconds per package. */
static inline bool plan_cursor_next(struct plan_cursor *cursor)
{
    const struct plan *plan = cursor->plan;
    cursor->first += cursor->load;
    cursor->index++;
    for (;;) {
        while (++cursor->slot < plan->worker_count) {
            cursor->load = cursor->loads[cursor->slot];
            if (cursor->load > 0)
                return true;
        }
        if (cursor->repeats == 0) {
            const size_t entry = cursor->loads ? cursor->entry + 1 : 0;
            cursor->load = 0;
            if (entry >= plan->round_count)
                return false;
            cursor->entry = entry;
            cursor->loads = plan->rounds[entry].loads;
            cursor->repeats = plan->rounds[entry].repeat;
        }
        cursor->repeats--;
        cursor->round++;
        cursor->slot = -1;
    }
}

#endif
