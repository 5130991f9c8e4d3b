/* A plan with what it was made from, and how sure its prediction is: all that `scow plan` prints
 * is told from this. */
#ifndef PLANNER_LIBRARY_PLANNED_H
#define PLANNER_LIBRARY_PLANNED_H

#include "planner/library/request.h"
#include "planner/model/plan.h"
#include "planner/studies/advice.h"
#include "planner/studies/interval.h"
#include "planner/studies/planning.h"

struct planned {
    struct planning planning; /* its profile is borrowed, and may have more workers than before */
    struct plan plan;         /* owned */
    struct schedule_omissions omissions;
    struct interval interval; /* owned; no draws: the profile does not say how sure it is */
};

/* To be released, and before the profile, which is extended to the workers that are asked for. */
bool planned_make(struct profile *profile, const struct plan_request *request,
                  struct planned *planned, struct failure *failure);
/* Draw the interval of a plan that is there, with its planning, and put its limits into what is
 * predicted. Draws that leave out a tail say what is exceeded rarely, but not between which limits
 * runs will lie. */
bool planned_draw(struct planned *planned, struct failure *failure);
/* What to ask the batch system for rests on this: `risk` that a run outlasts its walltime, `pace`
 * of what has been run already (1: as predicted). Borrows all. */
struct advice planned_advice(const struct planned *planned, double risk, double pace);
void planned_release(struct planned *planned);

#endif
