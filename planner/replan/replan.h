/*
 * Plans the remaining tasks of a run again: each worker has a measured rate and becomes free at a
 * different time, because packages that were sent cannot be taken back. The plan lets all workers
 * end together.
 */
#ifndef PLANNER_REPLAN_REPLAN_H
#define PLANNER_REPLAN_REPLAN_H

#include "planner/base/effort.h"
#include "planner/dispatch/watch.h"
#include "planner/model/platform.h"

struct replan_setup {
    const struct platform *platform; /* borrowed */
    int64_t most;                    /* no package may be larger */
    struct effort *effort;           /* borrowed; what it takes is counted there; NULL: nowhere */
};

/* The function of a watch_planner; `setup` is a struct replan_setup. The plan is the best by
 * simulation over package sizes and two sets of workers: those in use and all living ones. */
bool replan_remaining(const void *setup, const struct watch_remaining *remaining,
                      struct watch_answer *answer);

#endif
