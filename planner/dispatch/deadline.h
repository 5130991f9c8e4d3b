/*
 * Which packages can still be done by a given time: estimates when a worker would complete a
 * package, from the expected cost of its packages and from the times measured so far. Reads no
 * clock: the caller gives all times.
 */
#ifndef PLANNER_DISPATCH_DEADLINE_H
#define PLANNER_DISPATCH_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/model/cost.h"

/* Expected seconds of a package: on its way to the worker, and of the worker's work. */
struct deadline_cost {
    double way_s, work_s;
};

struct deadline_setup {
    double end_s;  /* no package may end later */
    double margin; /* relative: how much longer than expected a package may take, where all must
                    * end in time; 0.1 */
    /* Expected cost of a package; NULL: not known, every package is assumed to fit until a first
     * report. */
    struct deadline_cost (*cost)(const void *self, int64_t worker, int64_t tasks);
    /* When a worker can begin its first package; NULL: at once. */
    double (*start_s)(const void *self, int64_t worker);
    const void *self; /* borrowed */
    int64_t workers;
};

/* Sums over reported packages, in seconds or, if no cost is expected, in core tasks. */
struct deadline_worker {
    double expected, measured_s;
    double start_s;   /* start-up before its first package */
    double last;      /* measured over expected time of the last package */
    double pending;   /* expected time of packages that it has and has not reported */
    double arrival_s; /* when the last package sent to it arrives */
    double since_s;   /* when it began, or will begin, the oldest of these */
    bool reported;    /* at least one package */
    int64_t out;      /* packages that it has and has not reported */
};

struct deadline {
    struct deadline_setup setup;
    struct deadline_worker *workers; /* owned */
    struct deadline_worker all;      /* sums over all of them */
    double squares;  /* of how far packages were off what their workers took before, relative, */
    double compared; /* and the number of these */
};

/* False: out of memory; release all the same. */
bool deadline_init(struct deadline *deadline, const struct deadline_setup *setup);
void deadline_release(struct deadline *deadline);

/* The largest package, of at most `tasks` core tasks, that the worker would complete in time if it
 * were sent now; 0: none. */
int64_t deadline_fit(const struct deadline *deadline, int64_t worker, int64_t tasks, double now_s);
/* When a package of so many core tasks, the oldest one that the worker has, will have taken longer
 * by that share than those that it has reported, in the mean; HUGE_VAL: nobody knows. */
double deadline_overdue_s(const struct deadline *deadline, int64_t worker, int64_t tasks,
                          double longer);
/* Relative standard deviation of a package's time from what its worker has taken before, as
 * measured; HUGE_VAL: nobody knows yet. */
double deadline_deviation(const struct deadline *deadline);
/* When the worker will have done what it has, as far as is known; now_s or later. */
double deadline_free_s(const struct deadline *deadline, int64_t worker, double now_s);
/* What packages of about so many core tasks take, on their way and of the worker's work, by what is
 * expected and has been measured; all 0: nobody knows. */
struct cost deadline_package(const struct deadline *deadline, int64_t worker, int64_t tasks);
/* Would the master complete a core task in time that takes it task_s (0: nobody knows) and begins
 * now? */
bool deadline_fit_master(const struct deadline *deadline, double task_s, double now_s);
/* A package was sent to the worker at now_s. */
void deadline_sent(struct deadline *deadline, int64_t worker, int64_t tasks, double now_s);
/* The worker worked on a package from start_s to end_s. */
void deadline_done(struct deadline *deadline, int64_t worker, int64_t tasks, double start_s,
                   double end_s);

#endif
