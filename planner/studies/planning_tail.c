#include "planner/studies/planning.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "planner/studies/stars_tail.h"

/* The rules that may assign the end of a plan whose core tasks are unequal. Plain factoring, by 2,
 * assigns half of what is left in each batch; but each worker also has a package beside the one it
 * works on, which nobody can take back, so that too much would be promised: factoring by 3 assigns
 * less. */
static const char *const tails_unequal[] = {"fac,part=3", "awf-c"};
/* The second rule looks at all workers for every package: it is not tried with more workers than
 * this. */
enum { TAIL_WEIGHED = 1, WEIGHED_MOST = 256 };
static const double tail_gain_least = 0.005;

bool planning_tail(const struct planning *planning, const char *tail, struct plan *plan,
                   struct failure *failure)
{
    struct simulation simulation;
    plan->tail = strdup(tail);
    if (!plan->tail)
        return failure_memory(failure, "making a plan");
    if (!planning_simulate(planning, plan, NULL, &simulation, failure))
        return false;
    planning_predict(&simulation, &plan->predicted);
    return true;
}

/* A rule for the tail, its best share of the tasks, and what that gains, relative; 0: nothing would
 * be assigned. */
struct end_choice {
    const char *rule;
    double share, gain;
};

static bool stars_gain(const struct planning *planning, const char *tail, const struct plan *plan,
                       struct end_choice *choice, struct failure *failure)
{
    struct stars_tail found;
    if (!stars_tail_find(planning, plan, tail, &found, failure))
        return false;
    *choice = (struct end_choice){tail, found.share, found.gain};
    return true;
}

static bool tail_gain(const struct planning *planning, const char *tail, const struct plan *plan,
                      struct end_choice *choice, struct failure *failure)
{
    const struct watching_request request = planning_watching(planning, tail, plan);
    struct watching watching;
    if (plan_is_several(plan))
        return stars_gain(planning, tail, plan, choice, failure);
    if (!watching_init(&watching, &request, failure))
        return false;
    choice->rule = tail;
    choice->share = watching.tail.share;
    choice->gain = watching.tail.setup.tasks > 0 ? watching.tail.gain : 0;
    watching_release(&watching);
    return true;
}

/* Is enough effort left to look for tails? Simulating a package with noise costs as much as
 * evaluating several. */
static bool tail_afford(const struct planning *planning, const struct plan *plan, int64_t workers)
{
    static const double UNITS = 8, SHARE = 0.5;
    const double packages =
        plan_is_several(plan) ? stars_tail_effort(plan, workers) : plan_tail_effort(workers);
    return !(planning->effort_s > 0) ||
           UNITS * packages <= SHARE * planning->effort_s * EFFORT_SECOND;
}

/* Adds the tail with its share, so that the run does not search for it again and assigns what was
 * predicted. */
static bool end_add(const struct planning *planning, const struct end_choice *choice,
                    struct plan *plan, struct failure *failure)
{
    char tail[64];
    snprintf(tail, sizeof tail, "%s:%.10g%%", choice->rule, 100 * choice->share);
    return planning_tail(planning, tail, plan, failure);
}

/* The relative deviation of the time that a worker takes for all its packages: by its speed, and by
 * the deviations of single packages of that size. */
static double ends_deviation(const struct profile_setting *setting, const struct plan *plan)
{
    const double usual = plan_largest_load(plan),
                 packages = (double)plan_rounds_total(plan) / (double)plan_masters(plan);
    return hypot(profile_speed_deviation(setting, usual),
                 profile_timing_deviation(setting, usual) / sqrt(fmax(packages, 1)));
}

bool planning_tail_unequal(const struct planning *planning, struct plan *plan,
                           struct failure *failure)
{
    struct end_choice best = {.rule = NULL, .gain = tail_gain_least};
    if (profile_setting_unequal(planning->setting, 1) <= PLANNING_UNEQUAL &&
        ends_deviation(planning->setting, plan) <= PLANNING_ENDS_UNSURE)
        return true;
    const int64_t workers = profile_workers(&planning->setting->windows[0]);
    if (!tail_afford(planning, plan, workers)) {
        planning_omit(planning, "an end on request", SCHEDULE_NO_EFFORT);
        return true;
    }
    for (size_t k = 0; k <= (workers <= WEIGHED_MOST ? TAIL_WEIGHED : 0); k++) {
        struct end_choice choice;
        if (!tail_gain(planning, tails_unequal[k], plan, &choice, failure))
            return false;
        if (choice.gain >= best.gain)
            best = choice;
    }
    return !best.rule || end_add(planning, &best, plan, failure);
}
