/* What scow simulate does with a plan of strips. */
#ifndef PLANNER_COMMAND_SIMULATE_STRIPS_H
#define PLANNER_COMMAND_SIMULATE_STRIPS_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/library/simulating.h"

/* *is: that file is a plan of strips. False with *failure set: it cannot be read. */
bool simulate_strips_is(const char *plan, bool *is, struct failure *failure);
/* Simulates the plan's iterations with the request's loads or patterns of load, and its lost
 * worker. FAILURE_USAGE: it asks for what strips do not have. */
bool simulate_strips(const char *plan, const struct simulation_request *request, bool json,
                     bool quiet, struct failure *failure);

#endif
