/*
 * What a new thread would get of this node's processors: one thread a processor computes for a
 * moment, and what it had of the time for which it was ready is its availability
 * (processor_time.h). The node's is the mean over its processors, as for a job that uses all of
 * them. Where Linux does not count, it is the inverse of the load average for each processor, at
 * most 1: with Q ready threads each gets 1 / Q.
 */
#ifndef SPMD_NODE_SENSOR_H
#define SPMD_NODE_SENSOR_H

#include "planner/base/failure.h"

/* Takes about a tenth of a second. FAILURE_FAILED: nothing can be told here. */
bool sensor_look(double *availability, struct failure *failure);
/* By the load average (proc(5)) of that many processors: "0.50 0.40 0.30 3/200 1234"; negative: the
 * text is none. */
double sensor_average(const char *text, int processors);

#endif
