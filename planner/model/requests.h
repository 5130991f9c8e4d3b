/*
 * What requests cost in a run that assigns packages on request: the time from the end of one
 * package until the master begins the next for the same worker. Computed from a trace, real or
 * simulated.
 */
#ifndef PLANNER_MODEL_REQUESTS_H
#define PLANNER_MODEL_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/model/trace.h"

/* The request that a worker makes when it ends a package, and that was answered by another package.
 */
struct request {
    int64_t worker, first, tasks;
    double seconds; /* from the package's end, or, if that is later, from the end of the master's
                     * previous send, until the next envelope; >= 0 */
    double late_s; /* how long after the package's end the master was still busy; <= 0: it waited */
};

struct requests {
    struct request *items; /* owned; in the order of the answers */
    size_t count, capacity;
};

/* `ahead` >= 1: packages that a worker has at a time, so that the end of its n-th requests its
 * package n + ahead. Packages without an event of the master request nothing. To be released.
 * False: out of memory, nothing to release. */
bool requests_find(const struct trace *trace, int ahead, struct requests *requests);
void requests_release(struct requests *requests);
/* Sum of their seconds. */
double requests_sum(const struct requests *requests);

/* Of a trace that is read block by block: what is to be known of the blocks before. */
struct request_finding {
    int ahead;
    struct request_package *latest; /* owned; of each worker, a ring of its latest packages */
    int64_t *had;                   /* owned; how many packages each worker had */
    int64_t workers, packages;
    double sent_s; /* the package before was sent; not finite: it is not known */
};

/* To be released. */
void request_finding_init(struct request_finding *finding, int ahead);
/* The next block's answers, after what is in *requests. False: out of memory. */
bool request_finding_take(struct request_finding *finding, const struct trace *block,
                          struct requests *requests);
void request_finding_release(struct request_finding *finding);

#endif
