/*
 * The start-up time of workers. In the trace of a run it is a sample of its own; if the first
 * package was too small to show it (a single line), it is contained in the time of computing that
 * package, beyond what such a package takes later.
 */
#ifndef CALIBRATE_FIT_START_H
#define CALIBRATE_FIT_START_H

#include "calibrate/fit/classes.h"
#include "planner/model/profile.h"
#include "planner/model/sample.h"

/* Of a class of workers: a latency without a rate; all 0 where it cannot be told from noise. */
struct measured_cost start_fit(const struct samples *samples, int setting,
                               const struct worker_class *class);

#endif
