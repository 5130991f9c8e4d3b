/*
 * Packages that workers take without asking the master (distributed chunk calculation): one counter
 * that all share says which is next, and its rule what it is (planner/dispatch/rule.h).
 */
#ifndef SPMD_PROTOCOL_COUNTING_H
#define SPMD_PROTOCOL_COUNTING_H

#include "planner/dispatch/dispatch.h"
#include "planner/model/task_places.h"
#include "planner/model/task_range.h"
#include "spmd/protocol/run.h"
#include "spmd/transport/inbox.h"
#include "spmd/transport/link.h"

/* The same on every rank; all borrowed. */
struct counted {
    struct link_counter *counter;
    const struct dispatch_setup *setup; /* of the rule, for the core tasks below */
    const struct task_range *ranges;    /* of the job */
    int64_t range_count;
};

/* Added to the counter, it is at its end for everybody. */
#define COUNTED_END ((int64_t)1 << 62)

/* A worker's side. All zero: it counts nothing. */
struct counting {
    const struct run *run; /* borrowed */
    struct dispatch *rule; /* owned */
    struct task_places places;
    struct package package; /* taken; what is left of it, in the numbers of the ranges' tasks */
    int64_t tasks;          /* of the piece before; 0: there was none */
};

/* Local. To be released also on failure: out of memory. */
bool counting_begin(struct counting *counting, const struct run *run, struct failure *failure);
/* Local. Which worker this is, from 0 on. */
void counting_worker(struct counting *counting, int64_t worker);
void counting_end(struct counting *counting);
/* Local, waits. The next package, or the next piece of one that lies in several ranges. False:
 * there is none any more. */
bool counting_take(struct counting *counting, struct inbox_idle idle, struct inbox_package *in);

#endif
