/*
 * What requests cost in a run that deals packages on request: how long after the end of one the
 * master began with the next for the same worker. Follows from a trace, real or simulated.
 */
#ifndef PLANNER_MODEL_REQUESTS_H
#define PLANNER_MODEL_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/model/trace.h"

/* Of one package that was answered by another one. */
struct request {
    int64_t worker, first, tasks;
    double seconds; /* from its end, or from when the master was done with what it sent before,
                     * until the next envelope; never below 0 */
    double late_s;  /* so long after the package's end the master was still busy; <= 0: it waited */
};

struct requests {
    struct request *items; /* owned; in the order of the answers */
    size_t count, capacity;
};

/* `ahead` >= 1: packages that a worker had at a time, so that its n-th end asks for package n +
 * ahead. Packages without an event of the master's ask for nothing. To be released. False: out of
 * memory, nothing to release. */
bool requests_find(const struct trace *trace, int ahead, struct requests *requests);
void requests_release(struct requests *requests);
/* Sum of their seconds. */
double requests_sum(const struct requests *requests);

#endif
