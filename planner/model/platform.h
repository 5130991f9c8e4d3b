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

struct platform_class {
    int64_t first, count; /* workers first .. first + count - 1 of the profile, counts expanded */
    struct cost link, receive, compute, output;
    struct cost request; /* until a waiting master has answered; only of packages on request */
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
};

/* The B of whatever says nothing else: the workers post so many receives, and predictions assume
 * it. */
enum { PLATFORM_BUFFERS = 2 };

/* The first `worker_most` workers of a setting (0: all), with PLATFORM_BUFFERS. */
bool platform_init(struct platform *platform, const struct profile_setting *setting,
                   int64_t worker_most, struct failure *failure);
void platform_release(struct platform *platform);
/* The window that holds packages of `load` tasks; NULL when none does. */
const struct platform_window *platform_find(const struct platform *platform, double load);
/* That window or, for packages that no plan would have, as the last one of a rule may be, the
 * nearest.
 */
const struct platform_window *platform_nearest(const struct platform *platform, double load);
/* The class of a worker; binary search. */
const struct platform_class *platform_worker(const struct platform_window *window, int64_t worker);
/* Seconds if nothing took time but the rates of receive, compute and output, in the window of the
 * largest packages, perfectly shared: what no schedule with those packages can beat. */
double platform_ideal(const struct platform *platform, double tasks);

/* r + w + o: all that holds a worker of the class. */
static inline struct cost platform_class_work(const struct platform_class *class)
{
    return cost_sum(cost_sum(class->receive, class->compute), class->output);
}

#endif
