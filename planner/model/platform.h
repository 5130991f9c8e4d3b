/*
 * The star as schedulers and the simulation see it: numbers only, one affine mapping per window of
 * package sizes, equal neighbouring workers kept as one class so that 100,000 of them stay cheap.
 */
#ifndef PLANNER_MODEL_PLATFORM_H
#define PLANNER_MODEL_PLATFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/model/cost.h"
#include "planner/model/profile.h"

/* The parameter, "yes" or "no", of a setting or of its profile, that says whether a worker's
 * results are written while it works on its next package (simulate/star.h). */
#define PLATFORM_WRITE_BEHIND "write-behind"

/* What each package adds at least to the time that a worker needs for all of its packages. */
enum platform_holds {
    PLATFORM_HOLDS_ALL,     /* r + w + o */
    PLATFORM_HOLDS_COMPUTE, /* r + w, while the results of the one before are written */
    PLATFORM_HOLDS_OUTPUT   /* o, for which the next one's results wait */
};

struct platform_class {
    int64_t first, count; /* workers first .. first + count - 1 of the profile, counts expanded */
    struct cost link, receive, compute, output;
    struct cost request; /* until a waiting master has answered; only of packages on request */
    enum platform_holds holds; /* of one worker the same in every window: its packages lie in
                                * several, and only like times may be added */
    double start_s;            /* before its first package (star.h); the same in every window */
};

/* One affine mapping and the package sizes for which it holds. */
struct platform_window {
    int64_t least, greatest; /* core tasks */
    struct cost envelope, send;
    struct platform_class *classes; /* owned */
    int64_t class_count;
    struct cost answer; /* the master's part of a request */
};

struct platform {
    struct platform_window *windows; /* owned, ascending, disjoint */
    int64_t window_count;
    int64_t worker_count;
    int buffers; /* B: packages that wait at or travel to a worker while it works on another */
    bool write_behind;
    /* Owned: how core tasks differ along the job of map_tasks core tasks. Simulations heed it;
     * schedulers, evaluators and bounds take core tasks for equal. */
    struct cost_map map;
    double map_tasks;
};

/* The B of whatever says nothing else: the workers post so many receives, and predictions assume
 * it. */
enum { PLATFORM_BUFFERS = 2 };

/* Are the results of the setting's packages written while workers go on? */
bool platform_writes_behind(const struct profile_setting *setting);
/* The first `worker_most` workers of a setting (0: all), with PLATFORM_BUFFERS. */
bool platform_init(struct platform *platform, const struct profile_setting *setting,
                   int64_t worker_most, struct failure *failure);
void platform_release(struct platform *platform);
/* Have simulations heed the setting's cost map in a job of so many core tasks. False: out of
 * memory.
 */
bool platform_map(struct platform *platform, const struct profile_setting *setting, double tasks,
                  struct failure *failure);
/* By how much longer than equal core tasks those of a package take to be computed, whose cost of
 * computing is `compute`: the latency is the same for all. */
double platform_weight(const struct platform *platform, struct cost compute, double first,
                       double load);
/* The window that holds packages of `load` tasks; NULL when none does. */
const struct platform_window *platform_find(const struct platform *platform, double load);
/* That window or, for packages that no plan would have, as the last one of a rule may be, the
 * nearest.
 */
const struct platform_window *platform_nearest(const struct platform *platform, double load);
/* The class of a worker; binary search. */
const struct platform_class *platform_worker(const struct platform_window *window, int64_t worker);
/* What the worker takes before its first package, seconds. */
double platform_start(const struct platform *platform, int64_t worker);
/* The greatest of all workers' starts; *equal (may be NULL) says whether they are all the same. */
double platform_start_most(const struct platform *platform, bool *equal);
/* Seconds if nothing took time but the rates of what holds the workers, in the window of the
 * largest packages, perfectly shared: what no schedule with those packages can beat. */
double platform_ideal(const struct platform *platform, double tasks);

/* r + w + o: from the start of a package until its results are written, if they do not wait. */
static inline struct cost platform_class_whole(const struct platform_class *class)
{
    return cost_sum(cost_sum(class->receive, class->compute), class->output);
}

/* What holds a worker of the class: with results written behind its back the longer of computing
 * and writing, as it is for the largest packages. */
static inline struct cost platform_class_work(const struct platform_class *class)
{
    if (class->holds == PLATFORM_HOLDS_ALL)
        return platform_class_whole(class);
    return class->holds == PLATFORM_HOLDS_OUTPUT ? class->output
                                                 : cost_sum(class->receive, class->compute);
}

/* And what is left of the whole: it happens beside the work, but for once at its end or start. */
static inline struct cost platform_class_beside(const struct platform_class *class)
{
    if (class->holds == PLATFORM_HOLDS_ALL)
        return (struct cost){0, 0};
    return class->holds == PLATFORM_HOLDS_OUTPUT ? cost_sum(class->receive, class->compute)
                                                 : class->output;
}

#endif
