/*
 * How sure a plan's predicted makespan is: the plan simulated again and again with costs drawn from
 * what the profile says of itself.
 *
 * A draw takes, for every window, operation and class of workers, latency and rate from the fit's
 * bivariate normal distribution; for every operation one factor, shared by all workers, of the
 * fit's drift, for every worker's computing one of its own drift, for everything one of the root
 * mean square of the profile's history, and for all computing one of the job's total (cost_map.h);
 * and for every package and operation an independent factor of the fit's deviation, for computing
 * together with the setting's spread at that size. But for the total's, whose heavy core tasks that
 * nobody has seen can only add, factors have mean 1. Regions of the job cost what the map says.
 *
 * A plan whose end is assigned on request is simulated with that: the rule knows what the profile
 * says, and assigns by what happens with the costs drawn.
 */
#ifndef PLANNER_STUDIES_INTERVAL_H
#define PLANNER_STUDIES_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"
#include "planner/simulate/ensemble.h"

/* What the interval is of; all borrowed. */
struct interval_request {
    const struct profile *profile;
    const struct profile_setting *setting; /* of the profile, or one grown from it */
    const struct plan *plan;
    uint64_t seed;
    bool packages_only; /* single packages differ, nothing else is uncertain */
    bool on_request;    /* on request, in place of the plan: to all workers that there are */
    int64_t workers;    /* that a tail can assign to; 0: all of the setting */
};

struct interval {
    struct ensemble ensemble; /* owned; of the draws, sorted; empty: none was made */
    bool without_tail;        /* the plan's tail was left out, for there are too many workers */
    double parts_s; /* how much longer a run takes at most because long packages go out in parts
                     * (dispatch_new_parts); not in the draws, for runs may send them whole */
};

/* Does the profile say how sure it is? One written by hand, or whose costs have no more than a
 * standard error of their rates, does not. */
bool interval_known(const struct profile *profile, const struct profile_setting *setting);
/* From 50 draws of large plans to 1000 of small ones. Beyond 400,000 packages single packages are
 * no longer drawn one by one: their deviations are added to the end of each worker's work as one
 * normal deviate. With a tail, draws are summed up beyond some thousand packages (fast_forward.h);
 * it is left out where there are so many workers that this takes too long. To be released. Fails as
 * simulate_plan and watching_init do. */
bool interval_draw(const struct interval_request *request, struct interval *interval,
                   struct failure *failure);
/* Into the prediction of the plan that was drawn: between what 90 % of the draws are, and where the
 * draws show that what varies moves the makespan by more than 1 %, or outside of that, their median
 * in its place. By a fixed plan all wait for the worker that happens to be the slowest, so that it
 * takes longer than by mean costs; shares of the makespan follow, the gap stays that of mean costs.
 * Nothing where none was drawn, or without the plan's tail. */
void interval_predict(const struct interval *interval, struct plan_prediction *predicted);
void interval_release(struct interval *interval);

#endif
