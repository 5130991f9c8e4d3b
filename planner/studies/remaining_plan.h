/*
 * A plan for what is left of a job, for the workers that there are now: what a run that goes on
 * executes, and what its batch job asks for.
 */
#ifndef PLANNER_STUDIES_REMAINING_PLAN_H
#define PLANNER_STUDIES_REMAINING_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/model/part.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"

struct remaining_request {
    const struct plan *plan;       /* of the whole job; borrowed */
    const struct profile *profile; /* that follows the plan (beyond.h); borrowed; NULL: none */
    int64_t tasks;                 /* that are left, >= 1 */
    int64_t workers;               /* that there are now, >= 1 */
};

/* To be released: by the plan's own scheduler where that can, else by the best of all. False:
 * without a profile, or with less left than any package in it, there is none. */
bool remaining_measured(const struct remaining_request *request, struct plan *plan);
/* How many times as long as predicted the parts of a run took that measured themselves, by tasks;
 * 1 where none did, or they were faster. */
double remaining_pace(const struct plan *plan, const struct run_part *parts, int64_t count);

#endif
