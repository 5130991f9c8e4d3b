/* From the first packages of a run to a profile and a plan for what remains. No MPI. */
#ifndef CALIBRATE_GO_PILOT_FIT_H
#define CALIBRATE_GO_PILOT_FIT_H

#include "calibrate/go/pilot_levels.h"
#include "calibrate/place.h"
#include "calibrate/rank_bandwidths.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"
#include "planner/model/sample.h"
#include "spmd/job/kernel.h"
#include "spmd/run/pilot.h"

/* What a profile says of where it was measured; all borrowed. */
struct pilot_origin {
    const struct kernel *kernel;
    const struct place *place;
    char *const *names;                 /* of the workers */
    const struct bandwidth *bandwidths; /* to them; NULL: not known */
    const char *profile;                /* path that it is written to */
    int threads;                        /* of a rank */
    const struct task_weights *weights; /* of the job's core tasks; NULL: not known */
};

/* The timings in the run's trace so far; FAILURE_INFEASIBLE where there are none. *samples is to be
 * released, also on failure. */
bool pilot_samples(const struct pilot_context *context, const struct survey_timings *timings,
                   struct samples *samples, struct failure *failure);

/* What a profile is made of; all borrowed. */
struct pilot_timings {
    const struct samples *samples;
    const struct pilot_levels *levels;
};

/* A profile from these, of the whole job; its windows reach up to the largest package that may be
 * sent. To be released. */
bool pilot_profile(const struct pilot_context *context, const struct pilot_origin *origin,
                   const struct pilot_timings *timings, struct profile *profile,
                   struct failure *failure);
/* The same for what remains, where workers have started: with these weights (borrowed), or, where
 * they are NULL, assigned in units of the mean task that remains (survey.h), so that nothing
 * differs along it, and computing has that task's rate. To be released. */
bool pilot_profile_remaining(const struct pilot_context *context, const struct profile *profile,
                             const struct task_weights *weights, struct profile *remaining,
                             struct failure *failure);
/* Are tasks so unlike, by their single timings or their regions, that assigning them on request may
 * take less than a fixed plan? */
bool pilot_unequal(const struct pilot_context *context, const struct profile *profile);
/* Then, of these two predictions: is the rule to be preferred? Where regions are compared, or much
 * of what remains is unknown, it is; else by what both take. */
bool pilot_prefers_request(const struct pilot_context *context,
                           const struct plan_prediction *planned,
                           const struct plan_prediction *on_request);
/* How what remains is assigned then. Static. */
const char *pilot_rule(const struct profile *profile);
/* A plan for what remains, its end assigned on request where tasks differ, with its 90 % interval
 * as far as the profile and the survey know it. To be released. */
bool pilot_plan(const struct pilot_context *context, const struct pilot_origin *origin,
                const struct profile *profile, struct plan *plan, struct failure *failure);
/* Seconds that the remaining tasks take beyond what is predicted of them by themselves: workers are
 * still busy with probes, the last tasks may be heavy ones, and packages that cross what is done
 * are sent in pieces. */
double pilot_beside(const struct pilot_context *context, const struct profile *profile);
/* What is to be expected of the rule in the plan's place: the median of simulations with tasks as
 * unlike as the profile says, and what 90 % of them are between. */
bool pilot_rule_predict(const struct pilot_context *context, const struct profile *profile,
                        const struct plan *plan, struct plan_prediction *predicted,
                        struct failure *failure);

#endif
