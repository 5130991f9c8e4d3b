/*
 * A plan for the remaining tasks of a job and the workers of now: executed by a resumed run, and
 * used for the request of its batch job.
 */
#ifndef PLANNER_STUDIES_REMAINING_PLAN_H
#define PLANNER_STUDIES_REMAINING_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/model/part.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"
#include "planner/model/task_range.h"

struct remaining_request {
    const struct plan *plan;       /* of the whole job; borrowed */
    const struct profile *profile; /* extended to the plan's workers (beyond.h), with the weights of
                                    * what remains if they are known; borrowed; NULL: none */
    int64_t tasks;                 /* remaining, >= 1 */
    int64_t workers;               /* existing now, >= 1 */
    const struct task_range *ranges; /* which these are; borrowed; NULL: not known */
    int64_t range_count;
    bool single; /* by one master, whatever the plan has */
};

/* What weighs the plan's remaining tasks, owned; NULL: not known. */
struct task_weights *remaining_weights(const struct remaining_request *request);
/* Make it with the plan's own scheduler or, if that does not apply, with the best one, for the
 * least makespan: the ranks that there are cost the same whatever they do, so this is the least
 * charge and the best chance of a deadline, too. Where the whole job has several masters, it has as
 * many as are best now; where it is a tree, as many groups of neighbours, or none. It keeps what
 * the whole job was planned for. To be released. False: there is no profile, or fewer tasks remain
 * than its smallest package has. */
bool remaining_measured(const struct remaining_request *request, struct plan *plan);
/* Measured over predicted time of the parts of a run that recorded their makespan, weighted by
 * tasks; at least 1; 1 if there are none. */
double remaining_pace(const struct plan *plan, const struct run_part *parts, int64_t count);

#endif
