/*
 * Reports that an emulated network has not yet brought to the master.
 */
#ifndef SPMD_MASTER_PENDING_H
#define SPMD_MASTER_PENDING_H

#include <stdbool.h>
#include <stddef.h>

#include "planner/dispatch/dispatch.h"

struct pending_report {
    struct package package;
    struct dispatch_times times; /* of the work on it, from the first envelope's start */
    double there_s;              /* when the master can have the report */
};

struct pending {
    struct pending_report *items; /* owned; in no order */
    size_t count, capacity;
};

/* False: out of memory. */
bool pending_add(struct pending *pending, const struct pending_report *report);
/* The oldest of those that are there; false: none is. */
bool pending_take(struct pending *pending, double now_s, struct pending_report *report);
/* That package's, whether it is there or not; false: there is none. */
bool pending_take_of(struct pending *pending, const struct package *package,
                     struct pending_report *report);
void pending_release(struct pending *pending);

#endif
