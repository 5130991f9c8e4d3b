/*
 * Private to watched plans: handing out and planning again (dispatch_watch.c), costs by the
 * platform (watch_costs.c), measured rates of workers (watch_rates.c).
 */
#ifndef PLANNER_DISPATCH_WATCH_PARTS_H
#define PLANNER_DISPATCH_WATCH_PARTS_H

#include "planner/dispatch/dispatch_kind.h"
#include "planner/dispatch/watch.h"
#include "planner/dispatch/watch_slot.h"

/* Packages that a worker may have: the one that it works on, those that wait, and one more whose
 * transfer begins when the first is done. */
enum { OUT_MOST = WATCH_AHEAD + 2 };

struct watch_out {
    double tasks;     /* that it takes as long as (dispatch_worth) */
    double arrived_s; /* as computed */
};

struct watch_worker {
    struct watch_out out[OUT_MOST]; /* handed out and not reported, oldest first */
    int out_count;
    bool lost;
    bool overdue;   /* its oldest package should have been reported by now */
    bool busy;      /* with other work, until watch_busy says that it is over */
    double start_s; /* start-up before its first package, by the platform */
    double ended_s,
        free_s; /* when the last reported package ended, and when the worker was free for it */
    double measured_s, predicted_s; /* sums over the packages since the rate changed */
    double reports;                 /* number of reports in these sums */
    int probes;  /* of a worker that nobody knows: small packages that it still gets first, */
    int probing; /* and those of them that it has not reported */
    double factor,
        expected; /* measured over predicted time, and the value that the present plan assumes */
};

struct dispatch_watch {
    struct dispatch base;
    struct watch_setup setup;
    const struct plan *plan;      /* in use */
    struct plan replanned;        /* owned; the plan in use, after the first change */
    struct watch_slot *slots;     /* owned, one for each of the plan's workers */
    struct watch_worker *workers; /* owned */
    struct watch_state *states;   /* owned */
    struct watch_change *changes; /* owned */
    size_t change_count, change_capacity;
    int64_t left, index, first;
    int64_t
        look_index; /* index of the package before which rates are compared again, at the latest */
    int64_t round_start, round_now; /* first round of the plan in use; the last round begun */
    double changes_recent;          /* changes of plan, older ones less, as of: */
    double changed_s;               /* the last one */
    double asked_s;                 /* when it was asked last */
    int64_t vain_left;              /* core tasks that were left when no plan was found; 0: never */
    double master_s;                /* when the master has sent what it was told to, as computed */
    double port_s;                  /* when the port is free, likewise */
    double whole_s;                 /* estimate of the makespan */
    double end_s;                   /* expected makespan by now */
    double spare_s;    /* time that the port may still spend on sending packages in parts */
    int64_t newcomer;  /* a worker that no plan has been made with yet; -1: none */
    double planning_s; /* that planning anew has taken, by the clock */
    bool alarm;        /* a report differs from what the plan assumes of its worker */
    bool news;         /* there were reports since a worker was last found without work */
};

/* By the platform, for that worker: its class, its work on `tasks` core tasks (as a cost, and in
 * seconds), and the time for which sending them delays other packages. */
const struct platform_class *watch_class(const struct dispatch_watch *self, int64_t worker,
                                         const struct platform_window *window);
struct cost watch_work(const struct dispatch_watch *self, int64_t worker, double tasks);
double watch_work_s(const struct dispatch_watch *self, int64_t worker, double tasks);
/* Where a package is reported with its results: for how long these may have to wait for those of
 * others, and to come. */
double watch_returns_s(const struct dispatch_watch *self);
double watch_port_latency_s(const struct dispatch_watch *self, int64_t worker, double tasks);
/* Seconds of asynchronous writing of a package's results; 0: they are written synchronously. */
double watch_behind_s(const struct dispatch_watch *self, int64_t worker, double tasks);
/* The makespan that the plan predicts or, without a prediction, a lower bound of it. */
double watch_whole_s(const struct dispatch_watch *self);
/* Busy time of the master or of the port, whichever is longer, by the plan. */
double watch_port_s(const struct dispatch_watch *self);

/* When the worker began, or will begin, the oldest package that it has. */
double watch_out_start_s(const struct watch_worker *worker);
/* When it will complete that package, at its rate. */
double watch_first_end_s(const struct dispatch_watch *self, int64_t at);
/* Was it just found slower than the platform says, by a factor not known yet? */
bool watch_unsettled(const struct dispatch_watch *self, int64_t at);
/* Is it slower than the plan assumes? Other workers then need not wait for it. */
bool watch_late(const struct dispatch_watch *self, int64_t at);
/* Packages by which a worker is measured that nobody knows. */
enum { WATCH_PROBES = 2 };
/* Does it have all of them, and has not reported them? */
bool watch_probed(const struct watch_worker *worker);
/* dispatch_report of a watched plan. */
void watch_report(struct dispatch *dispatch, const struct package *package,
                  struct dispatch_times times);
/* dispatch_busy of a watched plan. */
void watch_busy(struct dispatch *dispatch, int64_t worker, double until_s, bool over);
void watch_worth(struct dispatch *dispatch, int64_t worker, double units);
/* Another plan is in use from now on. */
void watch_changed(struct dispatch_watch *self);
/* Factor by which the tolerance grows with every change of the plan; >= 1. */
double watch_caution(const struct dispatch_watch *self);
/* The worker whose rate differs most from what the plan assumes; -1: none does. */
int64_t watch_farthest(const struct dispatch_watch *self);
/* Is the worker that much faster than the plan assumed when it gave it so little? */
bool watch_faster(const struct dispatch_watch *self, int64_t at);
/* Raise the rates of workers whose packages are overdue. True: a worker was found to be slow. */
bool watch_overdue(struct dispatch_watch *self, double now_s);
/* The next time at which watch_overdue will find one, unless a report comes before; HUGE_VAL:
 * never. */
double watch_due_s(const struct dispatch_watch *self);

#endif
