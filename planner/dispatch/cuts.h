/*
 * Where long packages are cut, to be handed out in parts: what a worker that stops has not reported
 * is a part then, not all that it was to do.
 *
 * Each part costs its worker and the port what a package costs whatever its size. So cuts are times
 * of the run, the same for all, as many as can be had for a small share of it, and a package is cut
 * where one of them lies within it, by its worker's work: however many packages a worker has, it
 * has so many more at most. One lies a little before the middle, so that of who stops in mid-run
 * half is reported.
 */
#ifndef PLANNER_DISPATCH_CUTS_H
#define PLANNER_DISPATCH_CUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/dispatch/deadline.h"

struct cuts {
    struct deadline_setup setup;
    int64_t parts; /* of a package as long as the run; 1: none is cut */
    double run_s;  /* of the worker that works longest */
    double cost_s; /* parts keep a worker longer by so much at most */
};

/* What a run hands out. */
struct cuts_demand {
    const double *tasks; /* by worker: core tasks that it is to do, about */
    double run_s;        /* what the one of them works that works longest */
    double port_s;       /* what sending all packages whole takes */
};

/* The setup's costs must be known; what they point at must outlive the cuts. */
struct cuts cuts_find(const struct cuts_demand *demand, const struct deadline_setup *setup);

/* A package whose worker has so much work before it. */
struct cuts_package {
    int64_t worker, tasks;
    double from_s, work_s;
};

/* May a package be cut that takes its worker so long? */
bool cuts_long(const struct cuts *cuts, double work_s);
struct cuts_package cuts_package(const struct cuts *cuts, int64_t worker, int64_t tasks,
                                 double from_s);
/* Of its core tasks 0 to tasks - 1, the first one that is not in the same part as `first`. */
int64_t cuts_end(const struct cuts *cuts, const struct cuts_package *package, int64_t first);
/* So many parts are core tasks from `first` to before `end`, which are where cuts are. */
int64_t cuts_count(const struct cuts *cuts, const struct cuts_package *package, int64_t first,
                   int64_t end);

#endif
