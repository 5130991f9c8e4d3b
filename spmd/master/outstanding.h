/*
 * Packages that are handed out and not reported, worker by worker. A worker reports in the order of
 * sending, so that only the oldest one of it can come.
 */
#ifndef SPMD_MASTER_OUTSTANDING_H
#define SPMD_MASTER_OUTSTANDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/dispatch/dispatch.h"

struct outstanding_queue {
    struct package *items; /* owned; those before `first` are reported */
    double *left_s;        /* owned; when each has left for its worker */
    size_t first, end, capacity, left_capacity;
};

struct outstanding {
    struct outstanding_queue *queues; /* owned, one for each worker */
    int64_t workers, count;           /* packages in all */
};

/* False: out of memory; release all the same. */
bool outstanding_init(struct outstanding *outstanding, int64_t workers);
void outstanding_release(struct outstanding *outstanding);
/* False: out of memory, nothing changed. */
bool outstanding_add(struct outstanding *outstanding, const struct package *package);
/* Borrowed until the next call; the oldest first. NULL and 0: there is none. */
const struct package *outstanding_of(const struct outstanding *outstanding, int64_t worker,
                                     int64_t *count);
/* That package leaves for its worker; one that is not outstanding any more does not count. */
void outstanding_left(struct outstanding *outstanding, const struct package *package,
                      double left_s);
/* When the oldest one of that worker left. */
double outstanding_left_s(const struct outstanding *outstanding, int64_t worker);
/* The oldest one of that worker is reported. */
void outstanding_take(struct outstanding *outstanding, int64_t worker);
/* None of that worker's will be. */
void outstanding_drop(struct outstanding *outstanding, int64_t worker);

#endif
