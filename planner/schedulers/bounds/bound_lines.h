/*
 * Straight lines under the costs of all windows, on which the lower bounds stand; what they are and
 * why is at the head of bound.c.
 */
#ifndef PLANNER_SCHEDULERS_BOUNDS_BOUND_LINES_H
#define PLANNER_SCHEDULERS_BOUNDS_BOUND_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/model/platform.h"

/* Q, u, q and d of the comment in bound.c, of one operation. */
struct lines {
    double fixed_s, least_s, s_per_task, s_per_task_packed;
};

/* The lines of an operation whose cost in each window is costs[window]; `beyond` is how far a load
 * may lie outside of its window. */
struct lines lines_of(const struct platform *platform, const struct cost *costs, double beyond);
/* Asynchronous writing: let Z be the least, over workers and packages, of the operations that
 * overlap with the work (platform_class_beside). A schedule that ends at T is one without it that
 * ends at T - Z: where computing holds the worker, its last results are still to be written then;
 * where writing does, its first ones had to be computed, and all writing may be shifted forward by
 * that. So what bounds T - Z bounds T with Z added. */
double beside_least(const struct platform *platform, double beyond);
/* Workers from `first` on that share a class in every window; at[window] is its place there. */
int64_t workers_alike(const struct platform *platform, const int64_t *at, int64_t first);

/* Equal workers, with Q + q x of their operations. */
struct bound_worker {
    int64_t count;
    struct cost link, work;
    double start_s; /* before their first packages */
};

struct bound_master {
    struct cost cost; /* Q + q x */
    double least_s;   /* u */
};

struct bound_lines {
    struct bound_master master;
    double link_least_s, worker_least_s; /* u, the least over the workers */
    double beside_least_s;               /* likewise, of what happens beside the work */
    struct bound_worker *workers;        /* owned */
    int64_t count;
};

bool bound_lines_init(struct bound_lines *lines, const struct platform *platform, bool real_valued,
                      struct failure *failure);
void bound_lines_release(struct bound_lines *lines);

#endif
