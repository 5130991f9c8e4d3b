/* What the store of simulated clusters keeps of the run at hand. */
#ifndef TESTS_SIMGRID_STORE_H
#define TESTS_SIMGRID_STORE_H

#include "planner/model/trace.h"

/* Borrowed, until the next run. */
const struct trace *store_trace(void);

#endif
