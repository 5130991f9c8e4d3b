/* Workers told apart by the first packages of a run, beside core tasks that differ. No MPI. */
#ifndef CALIBRATE_GO_PILOT_WORKERS_H
#define CALIBRATE_GO_PILOT_WORKERS_H

#include "calibrate/fit/worker_factors.h"
#include "spmd/run/pilot.h"

/* Of the timings in the run's trace so far. Regions of the job and factors of workers depend on
 * each other: regions are found again in strata that the factors have levelled, until the factors
 * stay as they are. To be released, also on failure. False: out of memory. */
bool pilot_workers_find(const struct pilot_sight *sight, const struct survey_timings *timings,
                        struct worker_factors *found);

#endif
