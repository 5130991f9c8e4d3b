/*
 * A plan that is watched: what packages take is compared with what they were to take, and when a
 * report, a round boundary, or a worker that has nothing more to do says that it has become worth
 * it, the rest is planned anew from the measured rates. A report that does not come says something,
 * too: the time for which a package is overdue is a bound of its worker's rate.
 *
 * A worker holds at most one package that it works on and one that waits, for what it has been
 * given cannot be taken back; a third is sent when the first will be done before the transfer
 * begins, and only while the worker, should it become slow, would still be done with all of them
 * soon after the others. One just found slow gets not even a second one beyond that until its rate
 * is known. Towards the end packages are sent in parts where that costs little, so that no worker
 * that becomes slow holds much of what is left. Who has room passes who has none, but no worker is
 * a round ahead of one that goes as reckoned with and has room when the port has. Who plans the
 * rest is given from above: schedulers stand on this room.
 */
#ifndef PLANNER_DISPATCH_WATCH_H
#define PLANNER_DISPATCH_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/dispatch/dispatch.h"
#include "planner/model/plan.h"
#include "planner/model/platform.h"

/* Packages that wait at a worker or travel to it while it works on one. */
enum { WATCH_AHEAD = 1 };

/* What is known of a worker when the rest is planned. */
struct watch_state {
    double factor;       /* its time of working over the platform's */
    double ready_s;      /* when it will have done what it has, at that rate; >= now_s */
    double last_start_s; /* when it begins the last of what it has; 0: it has nothing */
    bool lost, used;     /* used: by the plan at hand */
};

struct watch_remaining {
    double now_s;
    int64_t tasks; /* not handed out yet */
    int64_t workers;
    const struct watch_state *states; /* of all workers */
    const struct package *kept;       /* the rest as planned: worker and count, in order */
    int64_t kept_count;
};

struct watch_answer {
    struct plan plan;  /* owned: exactly the rest's tasks; only workers and rounds are filled in */
    double kept_end_s; /* makespans to be expected, from the run's start: as planned, */
    double end_s;      /* and with the new plan */
};

/* False: there is no plan for the rest, or no memory for one, and the answer is empty. */
struct watch_planner {
    bool (*plan)(const void *self, const struct watch_remaining *remaining,
                 struct watch_answer *answer);
    const void *self;
};

struct watch_setup {
    const struct plan *plan;         /* whole loads; this and the platform must outlive the watch */
    const struct platform *platform; /* what the plan was made for */
    int64_t workers;                 /* that there are; the platform's or fewer */
    double tolerance;                /* relative: 0.1 */
    double deviation;                /* relative, of one package's time: what is mere noise */
    struct watch_planner planner;    /* what self points to must outlive the watch */
};

/* One moment at which a new plan was asked for. */
struct watch_change {
    double now_s;
    int64_t round;     /* the next one to be sent */
    int64_t worker;    /* farthest off what was reckoned with */
    double expected;   /* its time over the platform's, as reckoned with so far */
    double measured;   /* and as measured */
    int64_t tasks;     /* that were left */
    double kept_end_s; /* the makespan to be expected as planned */
    double end_s;      /* and with the new plan */
    bool adopted;      /* false: the new one was not better by enough */
};

/* NULL: out of memory. */
struct dispatch *dispatch_new_watch(const struct watch_setup *setup);
/* Of a dispatch made by dispatch_new_watch, in order of time; borrowed until its next call. */
const struct watch_change *dispatch_watch_changes(const struct dispatch *watch, int64_t *count);

#endif
