/*
 * The star once more, slow and plain: master, port and workers as machines that change state when
 * time comes to an end of what they do. It shares no code with the simulation, not even the
 * platform: costs are looked up in the profile.
 */
#ifndef TESTS_PLANNER_ORACLE_H
#define TESTS_PLANNER_ORACLE_H

#include "planner/model/plan.h"
#include "planner/model/profile.h"

/* Seconds until the last results are written, behind the workers' backs where the setting inherits
 * that from its profile; every load of the plan must lie in a window. */
double oracle_makespan(const struct profile_setting *setting, const struct plan *plan, int buffers);

#endif
