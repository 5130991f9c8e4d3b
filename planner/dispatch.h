/*
 * What to send next, and to whom: the decision that the real master and the event simulation both
 * ask. No clock, no I/O, no threads: the caller says what happened and when.
 *
 * Core tasks are handed out in ascending order, each exactly once.
 */
#ifndef PLANNER_DISPATCH_H
#define PLANNER_DISPATCH_H

#include <stdint.h>

#include "planner/plan.h"

struct package {
    int64_t index;  /* 0, 1, ... in order of sending */
    int64_t round;  /* 0, 1, ... */
    int64_t worker; /* index into the profile's workers; its rank is worker + 1 */
    int64_t first;  /* first core task */
    int64_t count;  /* core tasks, >= 1 */
};

enum dispatch_answer {
    DISPATCH_SEND,    /* *package is the next one */
    DISPATCH_WAIT,    /* nothing until a worker reports */
    DISPATCH_FINISHED /* every core task has been handed out */
};

struct dispatch;

/* Execute `plan` (borrowed; it must outlive the object; whole loads). NULL: out of memory. */
struct dispatch *dispatch_new_plan(const struct plan *plan);
enum dispatch_answer dispatch_next(struct dispatch *dispatch, double now_s,
                                   struct package *package);
/* Worker `worker` has worked on `package` from start_s to end_s. */
void dispatch_done(struct dispatch *dispatch, const struct package *package, double start_s,
                   double end_s);
void dispatch_free(struct dispatch **dispatch);

#endif
