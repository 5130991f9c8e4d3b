/*
 * From a profile to a plan: what `scow plan` does once, and its comparisons do often.
 *
 * Lowest first: platforms and simulations of a planning (planning_platform.c), what it leaves out
 * (planning_omissions.c), ends assigned on request (planning_tail.c), what a plan says of where it
 * comes from (planning_label.c), the plan for a given share of the master (planning_given.c), and
 * any plan (planning.c), which may have that share found (master_share.h).
 */
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
    bool remaining;       /* for the remaining tasks of a job, at unknown positions: core tasks are
                           * assumed to be equal */
    double production;    /* schedule_request's */
    bool master_computes; /* the master computes a part of them itself (master_share.h) */
    double master_tasks;  /* so many; set where that is found */
    const char
        *tail;       /* "RULE" or "RULE:SHARE" that assigns the plan's end on request; NULL: none */
    double effort_s; /* about how long "auto" may take on one core (base/effort.h); a scheduler
                      * given by name may take PLANNING_EFFORT_NAMED times as long; 0: no limit */
    double within;   /* relative distance from the least makespan within which plans count as equal
                      * for "auto" (schedule_set_take); 0: SCHEDULE_WITHIN, below 0: none */
    double *used_s;  /* borrowed: the time used is added; may be NULL */
    struct schedule_omissions *omissions; /* borrowed; what "auto" left out; may be NULL */
};

/* What "auto" may take, unless the user says otherwise. */
#define PLANNING_EFFORT_S 1.0
/* A user who names a scheduler prefers its plan to a quick one. */
#define PLANNING_EFFORT_NAMED 10

/* The platform that it plans for; to be released. */
bool planning_platform(const struct planning *planning, struct platform *platform,
                       struct failure *failure);
/* The same with what is known of where in the job its core tasks are. */
bool planning_platform_placed(const struct planning *planning, struct platform *platform,
                              struct failure *failure);
/* That it plans for, of these of the setting's workers alone, at least one. */
bool planning_chosen(const struct planning *planning, const struct plan_selection *selection,
                     struct platform *platform, struct failure *failure);
/* Of first .. last. */
bool planning_neighbours(const struct planning *planning, int64_t first, int64_t last,
                         struct platform *platform, struct failure *failure);
/* Is it "auto" or in the table? If not: usage, with the nearest. */
bool planning_check_scheduler(const char *name, struct failure *failure);
/* Notes that `what` was left out or cut short, where the planning lists that. `what` is borrowed,
 * and must be static. */
void planning_omit(const struct planning *planning, const char *what, enum schedule_omission why);
/* Lines for the table of a plan: which schedulers were left out or cut short, and why. */
void planning_omissions(const struct schedule_omissions *omissions, double effort_s,
                        struct text *text);
/* The request that simulates such a plan with that tail (NULL: none). Borrows plan and tail. */
struct watching_request planning_watching(const struct planning *planning, const char *tail,
                                          const struct plan *plan);
/* Does nobody know where in the job its core tasks are, and weigh what? */
bool planning_is_placeless(const struct planning *planning);
/* Are weights known by which they differ? */
bool planning_is_weighed(const struct planning *planning);
/* A whole plan keeps what is known of its core tasks' weights. False: out of memory. */
bool planning_note_weights(const struct planning *planning, struct plan *plan);
/* Simulate a plan with the setting's cost map and with its tail, if any; events are added to
 * `trace` (may be NULL). */
bool planning_simulate(const struct planning *planning, const struct plan *plan,
                       struct trace *trace, struct simulation *simulation, struct failure *failure);
/* Have the plan's end assigned on request by that tail, also in its prediction. */
bool planning_tail(const struct planning *planning, const char *tail, struct plan *plan,
                   struct failure *failure);
/* What a simulation says, into a prediction; periods and bounds stay. */
void planning_predict(const struct simulation *simulation, struct plan_prediction *predicted);
/* Regions of the setting's cost map in simulations, or of what is sent of core tasks, whichever are
 * more; 0: core tasks are assumed to be equal. */
size_t planning_regions(const struct planning *planning);
/* Schedulers plan in units of work, as if core tasks were equal. If costs vary along the job, cut
 * the plan by weight where the regions differ by more than they may be off (search/cut.h) and that
 * is better, and replace its prediction by that of its simulation with the cost map, and its lower
 * bound by that for unequal core tasks (bound_unequal.h). What the master computes is added, with
 * its prediction and bound; such plans are not cut. Otherwise change nothing. */
bool planning_apply_map(const struct planning *planning, struct plan *plan,
                        struct failure *failure);
/* The same for all schedulers' plans. */
bool planning_apply_map_all(const struct planning *planning, struct schedule_set *set,
                            struct failure *failure);
/* A complete plan, core task and parameters of the profile included; to be released. */
bool planning_make(const struct planning *planning, struct plan *plan, struct failure *failure);
/* The same where it is known what the master computes: `master_tasks`, whatever `master_computes`
 * says. */
bool planning_make_given(const struct planning *planning, struct plan *plan,
                         struct failure *failure);

/* Fill in everything that a scheduler does not know. */
bool planning_label(const struct planning *planning, struct plan *plan, struct failure *failure);
/* Does it take no longer than a plan's file may say? */
bool planning_check_total(const struct plan *plan, struct failure *failure);
/* What the plan for the first `workers` workers says of those that the profile did not measure. */
bool planning_note_beyond(const struct planning *planning, int64_t workers, struct plan *plan,
                          struct failure *failure);

/* Core tasks, or packages of one size, with a larger relative deviation count as unequal. */
#define PLANNING_UNEQUAL 0.05
/* Where what a worker takes for all its packages may be off by more, relative, ends are unsure. */
#define PLANNING_ENDS_UNSURE 0.02
/* If core tasks are unequal, or ends unsure, give the plan a tail by factoring or by factoring
 * with measured weights, whichever saves more of the mean makespan in simulations with such tasks,
 * if that is at least 0.5 %. The plan has whole loads and no tail. */
bool planning_tail_unequal(const struct planning *planning, struct plan *plan,
                           struct failure *failure);

#endif
