/*
 * The star from event to event, for results that come back and for operating models in which not
 * everything goes on side by side (model/operating.h).
 *
 * Operations begin in the order of time; of those that could begin together, a result goes first,
 * then what the master does with one, a worker's next package, a transfer and an envelope. Packages
 * go in the order of sending: one that waits for its worker holds up those behind it. Results are
 * served by when they are ready. Where a result and a package want the same port or processor, the
 * one that can begin first has it, and the result where both can: the master takes in before it
 * hands out, so that no two wait for each other.
 */
#ifndef PLANNER_SIMULATE_EVENTS_H
#define PLANNER_SIMULATE_EVENTS_H

#include "planner/simulate/loop.h"

/* NULL: out of memory. */
struct events *events_new(const struct platform *platform, int64_t workers);
void events_free(struct events **events);
void events_restart(struct events *events);
/* The same in the middle of a run, at now_s: every worker has as many packages as it has room for,
 * and no results to return. */
void events_stand(struct events *events, double now_s);
/* As loop_run. */
bool events_run(struct loop *loop, const struct loop_source *source, struct failure *failure);

#endif
