/*
 * A plan that is watched: measured times of packages are compared with the predicted ones. At a
 * report, at a round boundary or when a worker has no more work, the remaining tasks are planned
 * again with the measured rates if that is worth it. A missing report is information, too: the time
 * for which a package is overdue gives a lower bound of its worker's time per task.
 *
 * A package that was sent cannot be taken back. So a worker has at most one package that it works
 * on and one that waits; a third is sent only if the first will be done before the transfer begins
 * and if the worker, should it become slow, would still complete all of them soon after the other
 * workers. A worker that was just found slow gets no further package until its rate is known.
 * Towards the end packages are sent in parts if that costs little, so that a worker that becomes
 * slow does not hold a large share of the remaining tasks. A worker with a free buffer may overtake
 * one without, but no worker gets a round ahead of one that works as predicted and has a buffer
 * when the port is free. The planner of the remaining tasks is a callback, because schedulers are a
 * room above this one.
 */
#ifndef PLANNER_DISPATCH_WATCH_H
#define PLANNER_DISPATCH_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/dispatch/dispatch.h"
#include "planner/model/plan.h"
#include "planner/model/platform.h"

/* Packages that may wait at a worker, or be on the way to it, while it works on one. */
enum { WATCH_AHEAD = 1 };

/* What is known of a worker when the remaining tasks are planned. */
struct watch_state {
    double factor;       /* its measured over predicted time of work */
    double ready_s;      /* when it will have completed its packages, at that rate; >= now_s */
    double last_start_s; /* when it begins the last of its packages; 0: it has none */
    bool lost, used;     /* used: by the present plan */
};

struct watch_remaining {
    double now_s;
    int64_t tasks; /* not handed out yet */
    int64_t workers;
    const struct watch_state *states; /* of all workers */
    const struct package
        *kept; /* the remaining packages of the present plan: worker and count, in order */
    int64_t kept_count;
    /* The plan is wanted only where it ends sooner than the present one by more than this share of
     * what that still takes; 0: in any case. */
    double gain;
};

struct watch_answer {
    struct plan
        plan; /* owned; for exactly the remaining tasks; only workers and rounds are filled in */
    double kept_end_s; /* expected makespan, from the run's start, with the present plan, */
    double end_s;      /* and with the new plan; where none is sooner by so much as is wanted, the
                        * plan may be empty, and no plan ends before then */
};

/* `plan` returns false if there is no plan for the remaining tasks, or no memory for one; the
 * answer is then empty. */
struct watch_planner {
    bool (*plan)(const void *self, const struct watch_remaining *remaining,
                 struct watch_answer *answer);
    const void *self;
};

struct watch_setup {
    const struct plan *plan;         /* whole loads; this and the platform must outlive the watch */
    const struct platform *platform; /* what the plan was made for */
    int64_t workers;                 /* existing workers: the platform's or fewer */
    double tolerance;                /* relative: 0.1 */
    double each;       /* what the plan counts in place of a core task, in the mean; 0: 1 */
    double part_least; /* packages are sent in parts of so many at least */
    double deviation;  /* relative standard deviation of one package's time, by noise */
    struct watch_planner planner; /* what self points to must outlive the watch */
    double (*clock)(void); /* by which planning takes time, in which the master hears nobody, so
                            * that it is kept to a share of the run's; NULL: it takes none */
};

/* One attempt to plan again. */
struct watch_change {
    double now_s;
    int64_t round;     /* the next one to be sent at that time */
    int64_t worker;    /* the one whose time differs most from what was assumed, or that joined */
    bool joined;       /* it was not there before */
    double expected;   /* its time over the platform's, as assumed until then */
    double measured;   /* and as measured */
    int64_t tasks;     /* remaining */
    double kept_end_s; /* expected makespan with the present plan */
    double end_s;      /* and with the new plan */
    bool adopted;      /* false: the new plan was not sufficiently better */
};

/* NULL: out of memory. */
struct dispatch *dispatch_new_watch(const struct watch_setup *setup);
/* Of a dispatch made by dispatch_new_watch, in order of time; borrowed until its next call. */
const struct watch_change *dispatch_watch_changes(const struct dispatch *watch, int64_t *count);

#endif
