/*
 * The speeds of single workers, to which the efficiency of many is relative.
 *
 * The ideal machine is as fast as all workers together, each as fast as when it runs the whole job
 * alone: 1 / sum of 1 / T_i seconds, T_i the makespan with worker i alone. Where all are alike that
 * is T_1 / n, and its share of a makespan is speed-up over workers.
 */
#ifndef PLANNER_STUDIES_ALONE_H
#define PLANNER_STUDIES_ALONE_H

#include "planner/schedulers/scheduler.h"

/* Neighbouring equal workers. */
struct alone {
    int64_t first, count;
    double makespan_s; /* of one of them alone; HUGE_VAL: it cannot do the job alone */
};

struct alone_list {
    struct alone *items; /* owned; all workers of the platform, in their order */
    size_t count;
};

/* Plans with that scheduler for one worker of each kind; to be released. Fails where memory ends.
 */
bool alone_init(struct alone_list *list, const struct scheduler *scheduler,
                const struct schedule_request *request, struct failure *failure);
void alone_release(struct alone_list *list);
/* Share of the makespan that the machine of the first `workers` would take: at most 1, also where
 * the schedulers' plans for single workers are worse than those for many. */
double alone_efficiency(const struct alone_list *list, int64_t workers, double makespan_s);

#endif
