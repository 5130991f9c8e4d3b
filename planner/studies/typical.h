/*
 * What a run that is assigned on request typically does. A rule decides by when workers ask, and
 * some by what they took: where two workers ask at about the same time, or a first package took a
 * little longer, everything after that goes another way, and no single simulation stands for all of
 * them.
 */
#ifndef PLANNER_STUDIES_TYPICAL_H
#define PLANNER_STUDIES_TYPICAL_H

#include "planner/dispatch/dispatch.h"
#include "planner/model/trace.h"
#include "planner/simulate/simulate.h"
#include "planner/studies/interval.h"

/* A rule on a platform; all borrowed. */
struct typical_request {
    const struct profile *profile;
    const struct profile_setting *setting; /* of it */
    const struct plan *plan;               /* whose buffers workers have */
    const struct platform *platform;       /* of the setting */
    const struct dispatch_setup *rule;     /* for that platform */
};

/* Of up to 101 simulations, in which single packages differ as the profile says, that with the
 * median of the makespans; its events are appended to `trace` (may be NULL). Of large jobs, whose
 * chances even out, and where the profile says nothing of that kind, the one without differences.
 * The same for equal requests. False: what dispatch_new_rule and simulate_scenario refuse, or out
 * of memory. */
bool typical_simulate(const struct typical_request *request, struct trace *trace,
                      struct simulation *simulation, struct failure *failure);
/* Of as many simulations in which all that interval.h speaks of is uncertain, what 90 % of the
 * makespans are between; zeros where the profile does not say, or the job is large. Fails as
 * typical_simulate does. */
bool typical_interval(const struct typical_request *request, double interval_s[2],
                      struct failure *failure);

#endif
