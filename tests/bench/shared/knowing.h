/* A plan that knows the loads beforehand, as no real one does: what others are measured by. */
#ifndef TESTS_BENCH_SHARED_KNOWING_H
#define TESTS_BENCH_SHARED_KNOWING_H

#include "planner/simulate/scenario.h"
#include "tests/bench/shared/world.h"

/* The least makespan of such plans, seconds: each worker's part is what it gets done until all end
 * together, in 1 to 64 packages, improved by what the simulation says of their ends. */
double knowing_makespan(const struct world *world, const struct scenario *scenario);

#endif
