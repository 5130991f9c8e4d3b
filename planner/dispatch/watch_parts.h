/*
 * A watched plan's parts among themselves: handing out and planning anew (dispatch_watch.c), what
 * things cost by the platform (watch_costs.c), what workers were measured to take (watch_rates.c).
 */
#ifndef PLANNER_DISPATCH_WATCH_PARTS_H
#define PLANNER_DISPATCH_WATCH_PARTS_H

#include "planner/dispatch/dispatch_kind.h"
#include "planner/dispatch/watch.h"
#include "planner/dispatch/watch_slot.h"

/* Packages that a worker may have: one that it works on, those that wait, and one more whose
 * transfer begins when the first is done. */
enum { OUT_MOST = WATCH_AHEAD + 2 };

struct watch_out {
    int64_t count;
    double arrived_s; /* as reckoned */
};

struct watch_worker {
    struct watch_out out[OUT_MOST]; /* handed out and not reported, oldest first */
    int out_count;
    bool lost;
    bool busy;                      /* with something else, until somebody says that it is over */
    double start_s;                 /* before its first package, by the platform */
    double ended_s, free_s;         /* the last package reported; and its worker was free */
    double measured_s, predicted_s; /* sums over the packages since the rate changed */
    double reports;                 /* that are in these sums */
    double factor, expected;        /* measured over predicted, and as reckoned with */
};

struct dispatch_watch {
    struct dispatch base;
    struct watch_setup setup;
    const struct plan *plan;      /* in use */
    struct plan replanned;        /* owned; the one in use, once there was a change */
    struct watch_slot *slots;     /* owned, one for each of the plan's workers */
    struct watch_worker *workers; /* owned */
    struct watch_state *states;   /* owned */
    struct watch_change *changes; /* owned */
    size_t change_count, change_capacity;
    int64_t adopted;
    int64_t left, index, first;
    int64_t look_index;             /* of the package before which to look again, at the latest */
    int64_t round_start, round_now; /* of the plan in use; the last one begun */
    double asked_s;                 /* when it was asked last */
    double port_s;                  /* when the port is free, as reckoned */
    double whole_s;                 /* the makespan, roughly */
    double end_s;                   /* and as it is to be expected now */
    double spare_s;                 /* that the port may still spend on sending in parts */
    bool alarm;                     /* a report says that its worker is not as reckoned with */
    bool news;                      /* reports since a worker was last found without work */
};

/* What the platform says of that worker: its class, its work on so many core tasks, and how long
 * these hold up whatever else is sent. */
const struct platform_class *watch_class(const struct dispatch_watch *self, int64_t worker,
                                         const struct platform_window *window);
struct cost watch_work(const struct dispatch_watch *self, int64_t worker, double tasks);
double watch_work_s(const struct dispatch_watch *self, int64_t worker, double tasks);
double watch_port_latency_s(const struct dispatch_watch *self, int64_t worker, double tasks);
/* For how long results are written behind the worker's back; 0: they are not. */
double watch_behind_s(const struct dispatch_watch *self, int64_t worker, double tasks);
/* The plan's makespan; where it does not say, what its workers need at least. */
double watch_whole_s(const struct dispatch_watch *self);
/* How long the plan makes the busier of master and port busy. */
double watch_port_s(const struct dispatch_watch *self);

/* When the worker began, or will begin, the oldest package that it has. */
double watch_out_start_s(const struct watch_worker *worker);
/* When it will have done that, at its rate. */
double watch_first_end_s(const struct dispatch_watch *self, int64_t at);
/* Has it just been found slower than the platform has it, nobody knows how much? */
bool watch_unsettled(const struct dispatch_watch *self, int64_t at);
/* Is it slower than reckoned with? Then others need not keep step with it. */
bool watch_late(const struct dispatch_watch *self, int64_t at);
/* dispatch_done of a watched plan. */
void watch_report(struct dispatch *dispatch, const struct package *package, double start_s,
                  double end_s);
/* dispatch_busy of a watched plan. */
void watch_busy(struct dispatch *dispatch, int64_t worker, double until_s, bool over);
/* By how much more than at first a plan must be off before it is changed again; >= 1. */
double watch_caution(const struct dispatch_watch *self);
/* The worker that is farthest off; -1: all go as reckoned with. */
int64_t watch_farthest(const struct dispatch_watch *self);
/* A package that should have been reported long ago says that its worker is slow. True: some worker
 * was found to be slow so. */
bool watch_overdue(struct dispatch_watch *self, double now_s);
/* The next time at which watch_overdue will, unless reports come before; HUGE_VAL: never. */
double watch_due_s(const struct dispatch_watch *self);

#endif
