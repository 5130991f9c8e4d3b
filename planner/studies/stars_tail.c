#include "planner/studies/stars_tail.h"

#include <math.h>
#include <stdio.h>

#include "planner/replan/stars_decided.h"
#include "planner/simulate/unequal.h"
#include "planner/studies/repeated.h"

/* Each size of the tail is simulated DRAWS times with the same seeds. Sizes are the whole job, half
 * of it, and so on. */
static const uint64_t first_seed = 0x7a11;
enum { DRAWS = 16, SIZES = 9 };
/* About how many packages a rule makes for each worker. */
enum { PACKAGES_A_WORKER = 24 };
/* How much longer, relative, a plan with the tail may take where no package differs. */
static const double cost_most = 0.01;

/* What stays the same for all sizes of the tail. */
struct search {
    const struct planning *planning;
    const struct plan *plan;
    const char *rule;
    double deviation, speed; /* relative: of one package's time, of a worker's speed */
    bool equal;              /* core tasks do not differ: what deviates is the machine */
    double plain_s;          /* the makespan where no package differs, without a tail */
};

double stars_tail_effort(const struct plan *plan, int64_t workers)
{
    const double each = (double)plan_packages(plan) + PACKAGES_A_WORKER * (double)workers;
    return each * (DRAWS + 1) * (SIZES + 1);
}

/* The makespan where no package differs. */
static bool plain_find(const struct search *search, const char *tail, double *makespan_s,
                       struct failure *failure)
{
    const struct stars_request request = {
        .watching = planning_watching(search->planning, tail, search->plan)};
    struct simulation simulation;
    if (!stars_expect(&request, NULL, &simulation, failure))
        return false;
    *makespan_s = simulation.makespan_s;
    return true;
}

static bool mean_find(const struct search *search, const char *tail, double *mean_s,
                      struct failure *failure)
{
    struct unequal unequal =
        unequal_draw(search->planning->setting, search->speed, search->plan->tasks, 0, DRAWS);
    const struct variation variation = unequal_variation(&unequal);
    struct scenario scenario = SCENARIO_INIT;
    struct ensemble ensemble = {.runs = NULL};
    scenario.seed = first_seed;
    scenario.noise = search->deviation;
    scenario.variation = &variation;
    const bool good =
        repeated_draw(search->planning, search->plan, tail, &scenario, DRAWS, &ensemble, failure);
    if (good)
        *mean_s = ensemble_mean(&ensemble);
    ensemble_release(&ensemble);
    return good;
}

/* *mean_s becomes the mean makespan with that share; HUGE_VAL: where no package differs, that share
 * costs too much. */
static bool share_try(const struct search *search, double share, double *mean_s,
                      struct failure *failure)
{
    char tail[64];
    double plain_s = 0;
    snprintf(tail, sizeof tail, "%s:%.10g%%", search->rule, 100 * share);
    *mean_s = HUGE_VAL;
    if (search->equal && !plain_find(search, tail, &plain_s, failure))
        return false;
    return plain_s > (1 + cost_most) * search->plain_s || mean_find(search, tail, mean_s, failure);
}

bool stars_tail_find(const struct planning *planning, const struct plan *plan, const char *rule,
                     struct stars_tail *found, struct failure *failure)
{
    const struct profile_setting *setting = planning->setting;
    const double usual = plan->tasks / (double)plan_packages(plan);
    struct search search = {.planning = planning,
                            .plan = plan,
                            .rule = rule,
                            .deviation = profile_timing_deviation(setting, usual),
                            .speed = profile_speed_deviation(setting, usual),
                            .equal = profile_setting_unequal(setting, 1) <= PLANNING_UNEQUAL};
    double whole_s = 0, share = 1;
    bool good = (!search.equal || plain_find(&search, NULL, &search.plain_s, failure)) &&
                mean_find(&search, NULL, &whole_s, failure);
    double best_s = whole_s;
    *found = (struct stars_tail){0, 0};
    for (int k = 0; good && k < SIZES && share * plan->tasks >= 1; k++) {
        double mean_s;
        good = share_try(&search, share, &mean_s, failure);
        if (good && mean_s < best_s) {
            best_s = mean_s;
            found->share = share;
        }
        share /= 2;
    }
    if (good && whole_s > 0)
        found->gain = 1 - best_s / whole_s;
    return good;
}
