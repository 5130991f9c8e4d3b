/* A plan with what it was made from and the interval of its prediction: all that `scow plan`
 * prints. */
#ifndef PLANNER_LIBRARY_PLANNED_H
#define PLANNER_LIBRARY_PLANNED_H

#include "planner/library/request.h"
#include "planner/model/plan.h"
#include "planner/studies/advice.h"
#include "planner/studies/interval.h"
#include "planner/studies/planning.h"
#include "planner/studies/several.h"
#include "planner/studies/worker_choice.h"

struct planned {
    struct planning planning; /* its profile is borrowed, and may have more workers than before */
    struct plan plan;         /* owned */
    struct schedule_omissions omissions;
    struct worker_choice chosen; /* owned; empty: no workers were to be chosen */
    char *why;            /* owned: lines that say why workers are left out; NULL: not asked for */
    bool network_unknown; /* what was seen of the network says nothing with this profile */
    struct several several;   /* where it has several masters unasked: what one would take */
    struct interval interval; /* owned; empty: the profile has no uncertainties */
};

/* To be released, and before the profile, which is extended to the workers that are asked for. */
bool planned_make(struct profile *profile, const struct plan_request *request,
                  struct planned *planned, struct failure *failure);
/* Compute the interval of a plan that has been made, with its planning, and set the plan's
 * predicted interval. Samples without the plan's tail give the makespan that is rarely exceeded,
 * but no interval. */
bool planned_draw(struct planned *planned, struct failure *failure);
/* Add a line where something that was to be reckoned with could not be, and where the plan has
 * several masters unasked. */
void planned_left_out(const struct planned *planned, struct text *text);
/* The advice about the request to the batch system: `risk` that a run exceeds its walltime, `pace`
 * of what has been run already (1: as predicted). Borrows all. */
struct advice planned_advice(const struct planned *planned, double risk, double pace);
void planned_release(struct planned *planned);

#endif
