/*
 * What can still be done by a given time: when a worker would have done a package, by what its
 * packages are expected to take and by what they have taken so far. Pure: times are given.
 */
#ifndef PLANNER_DISPATCH_DEADLINE_H
#define PLANNER_DISPATCH_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

/* What a package is expected to take: on its way, and its worker. */
struct deadline_cost {
    double way_s, work_s;
};

struct deadline_setup {
    double end_s;  /* no package may end later */
    double margin; /* relative: a package may take so much longer than expected; 0.1 */
    /* NULL: nothing is expected, and before a first report every package is thought to fit. */
    struct deadline_cost (*cost)(const void *self, int64_t worker, int64_t tasks);
    /* When a worker can begin its first package; NULL: at once. */
    double (*start_s)(const void *self, int64_t worker);
    const void *self; /* borrowed */
    int64_t workers;
};

/* Sums of packages reported, in seconds or, where nothing is expected, in core tasks. */
struct deadline_worker {
    double expected, measured_s;
    double start_s;   /* before its first package */
    double last;      /* measured over expected, of the last one */
    double pending;   /* of those that it has */
    double arrival_s; /* of the last one sent */
    double since_s;   /* it began the oldest of these then, or will */
    bool reported;    /* a package */
    int64_t out;      /* packages that it has */
};

struct deadline {
    struct deadline_setup setup;
    struct deadline_worker *workers; /* owned */
    struct deadline_worker all;      /* sums over all of them */
};

/* False: out of memory; release all the same. */
bool deadline_init(struct deadline *deadline, const struct deadline_setup *setup);
void deadline_release(struct deadline *deadline);

/* The most of `tasks` core tasks that the worker would have done in time, as one package sent now;
 * 0: not even one. */
int64_t deadline_fit(const struct deadline *deadline, int64_t worker, int64_t tasks, double now_s);
/* It was sent such a package then; */
void deadline_sent(struct deadline *deadline, int64_t worker, int64_t tasks, double now_s);
/* it has worked on one from start_s to end_s. */
void deadline_done(struct deadline *deadline, int64_t worker, int64_t tasks, double start_s,
                   double end_s);

#endif
