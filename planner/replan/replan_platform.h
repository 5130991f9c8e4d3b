/*
 * The platform as it has been measured while a plan was watched: every worker has a class of its
 * own.
 */
#ifndef PLANNER_REPLAN_REPLAN_PLATFORM_H
#define PLANNER_REPLAN_REPLAN_PLATFORM_H

#include <stdbool.h>

#include "planner/dispatch/watch.h"
#include "planner/model/platform.h"

/* The workers with their present rates, in windows of packages of at most `largest` tasks. To be
 * released, also after a failure. False: out of memory. */
bool replan_platform(const struct platform *platform, const struct watch_remaining *remaining,
                     int64_t largest, struct platform *measured);

#endif
