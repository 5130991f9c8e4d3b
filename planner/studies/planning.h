/* From a profile to a plan: what `scow plan` does once, and its comparisons do often. */
#ifndef PLANNER_STUDIES_PLANNING_H
#define PLANNER_STUDIES_PLANNING_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"
#include "planner/model/plan.h"
#include "planner/model/platform.h"
#include "planner/model/profile.h"
#include "planner/replan/watching.h"
#include "planner/schedulers/scheduler.h"
#include "planner/simulate/simulate.h"

struct planning {
    const struct profile *profile; /* borrowed */
    const struct profile_setting *setting;
    const char *path;      /* of the profile's file; NULL: the plan names none */
    const char *digest;    /* of the profile's file; NULL: the plan names none */
    const char *scheduler; /* "auto" or a name of the table */
    double tasks;
    int64_t workers; /* use only the first `workers`; 0: all */
    int buffers;     /* packages that a worker receives ahead; 0: PLATFORM_BUFFERS */
    bool real_valued;
    bool remaining; /* what is left of a job: nobody says where in it that is, so its core tasks are
                     * taken for equal */
    const char *tail; /* "RULE" or "RULE:SHARE": deals the plan's end on request; NULL: none */
    double effort_s;  /* about how long "auto" may take on one core (schedulers/effort.h), and a
                       * scheduler that is named PLANNING_EFFORT_NAMED times as long; 0: as long
                       * as it takes */
    double within;    /* by how much longer than the best a plan may take, relative, that "auto"
                       * takes for as good (schedule_set_take); 0: SCHEDULE_WITHIN, below 0: none */
    double *used_s;   /* borrowed: how much of that was used is added; may be NULL */
    struct schedule_omissions *omissions; /* borrowed; what "auto" left out; may be NULL */
};

/* What "auto" may take, unless the user says otherwise. */
#define PLANNING_EFFORT_S 1.0
/* Who names a scheduler wants its plan rather than a quick one. */
#define PLANNING_EFFORT_NAMED 10

/* The platform that it plans for; to be released. */
bool planning_platform(const struct planning *planning, struct platform *platform,
                       struct failure *failure);
/* Is it "auto" or in the table? If not: usage, with the nearest. */
bool planning_check_scheduler(const char *name, struct failure *failure);
/* Lines for the table of a plan: which schedulers were left out or cut short, and why. */
void planning_omissions(const struct schedule_omissions *omissions, double effort_s,
                        struct text *text);
/* How such a plan is played with that tail (NULL: none). Borrows plan and tail. */
struct watching_request planning_watching(const struct planning *planning, const char *tail,
                                          const struct plan *plan);
/* A plan's simulation, the setting's cost map heeded, with its tail where it has one; events go to
 * `trace` (may be NULL). */
bool planning_simulate(const struct planning *planning, const struct plan *plan,
                       struct trace *trace, struct simulation *simulation, struct failure *failure);
/* Regions of the setting's cost map that plans are played along; 0: core tasks are taken for equal.
 */
size_t planning_regions(const struct planning *planning);
/* Schedulers take core tasks for equal. Where they are not along the job, the plan's makespan and
 * all that goes with it become those of its simulation along the regions, and the lower bound that
 * of unequal core tasks (bound_unequal.h); else nothing changes. */
bool planning_heed(const struct planning *planning, struct plan *plan, struct failure *failure);
/* The same for all schedulers' plans. */
bool planning_heed_all(const struct planning *planning, struct schedule_set *set,
                       struct failure *failure);
/* A complete plan, kernel and parameters of the profile included; to be released. */
bool planning_make(const struct planning *planning, struct plan *plan, struct failure *failure);

/* Core tasks, or packages of one size, that differ by more are unequal: a fixed plan cannot know
 * them. */
#define PLANNING_UNEQUAL 0.05
/* Where core tasks are unequal, has the plan's end dealt on request by factoring, or by factoring
 * with measured weights, if simulations with such tasks say that this saves 0.5 % of the makespan
 * in the mean: by the one that saves more. The plan has whole loads and no tail. */
bool planning_tail_unequal(const struct planning *planning, struct plan *plan,
                           struct failure *failure);

#endif
