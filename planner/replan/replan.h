/*
 * The rest of a run, planned anew: workers have rates of their own by now, and become free at
 * different times, for what they have been given cannot be taken back. All shall end together.
 */
#ifndef PLANNER_REPLAN_REPLAN_H
#define PLANNER_REPLAN_REPLAN_H

#include "planner/dispatch/watch.h"
#include "planner/model/platform.h"

struct replan_setup {
    const struct platform *platform; /* borrowed */
    int64_t most;                    /* no package may be larger */
};

/* A watch_planner's function; `setup` is a struct rest_setup. The plan is the best simulated over
 * package sizes and over two sets of workers, those in use and all that live. */
bool replan_remaining(const void *setup, const struct watch_remaining *remaining,
                      struct watch_answer *answer);

#endif
