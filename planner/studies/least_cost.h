/*
 * What packages cost at least, in any window of a platform: for bounds that rule out what need not
 * be planned for.
 */
#ifndef PLANNER_STUDIES_LEAST_COST_H
#define PLANNER_STUDIES_LEAST_COST_H

#include "planner/model/platform.h"

/* The least latency and the least rate of that worker's work; not below 0. */
struct cost least_work(const struct platform *platform, int64_t worker);
/* Of what packages take of the master and of its port: the longer of both latencies, and of both
 * rates; a bound may use the one or the other. */
struct cost least_port(const struct platform *platform);

#endif
