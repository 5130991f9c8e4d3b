/* A lower bound on the makespan of any schedule of X tasks on a platform. */
#ifndef PLANNER_BOUND_H
#define PLANNER_BOUND_H

#include "planner/platform.h"

/* Seconds; the proof is in bound.c. Holds for whole and for fractional loads. */
double bound_makespan(const struct platform *platform, double tasks);

#endif
