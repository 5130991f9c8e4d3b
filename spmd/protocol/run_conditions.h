/*
 * The conditions of a run that is about to begin, compared with those of its profile.
 */
#ifndef SPMD_PROTOCOL_RUN_CONDITIONS_H
#define SPMD_PROTOCOL_RUN_CONDITIONS_H

#include "planner/model/conditions.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"
#include "spmd/transport/comm.h"

/* Local. The model of this machine's processor, owned; NULL where the system does not say. */
char *run_conditions_processor(void);
/* Local to the master. Lines on standard error for everything that makes the profile's times
 * other than this run's. `profile` NULL: none, nothing to compare with. */
void run_conditions_warn(const struct conditions *conditions, const struct plan *plan,
                         const struct profile *profile, const char *command);
/* Collective. A line on the master's standard error where workers of so many threads have no core
 * each (oversubscription.h); `who` says it. */
void run_conditions_crowded(const struct comm *comm, bool works, int threads, const char *who);

#endif
