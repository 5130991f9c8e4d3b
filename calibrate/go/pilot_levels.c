#include "calibrate/go/pilot_levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/fit/weighing_fit.h"
#include "calibrate/go/pilot_fit.h"

/* The second round has what the first one's factors make seen; few move once more. */
enum { ROUNDS_MOST = 4 };
/* A package counts as no less than this part of one of mean weight: where it took longer than it
 * should, that would tell of nothing else. */
static const double WORTH_LEAST = 0.01;

/* What a round looks at; borrowed. */
struct round {
    const struct survey_timings *timings;
    const struct samples *samples; /* as they were measured */
    const struct task_weights *given;
    int workers;
};

/* ---- regions ------------------------------------------------------------------------------- */

/* Of strata levelled by these factors, if any. Owned; *count 0: nothing was timed. False: out of
 * memory. */
static bool regions_find(const struct survey_timings *timings, const double *factors,
                         struct region **regions, size_t *count)
{
    struct survey_timings level = *timings;
    struct stratum strata[SURVEY_STRATA_MOST];
    if (factors)
        survey_timings_level(&level, factors);
    const size_t strata_count = survey_timings_strata(&level, strata);
    *regions = NULL;
    *count = 0;
    if (strata_count > 0)
        *regions = strata_regions(strata, strata_count, count);
    return strata_count == 0 || *regions;
}

static bool regional_find(const struct round *round, const struct pilot_levels *last,
                          struct worker_factors *next)
{
    struct worker_timings own = {.samples = round->samples, .workers = round->workers};
    struct region *regions = NULL;
    const bool good =
        regions_find(round->timings, last->workers.factors, &regions, &own.region_count);
    own.regions = regions;
    const bool made = good && worker_factors_find(&own, next);
    free(regions);
    return made;
}

/* ---- weights ------------------------------------------------------------------------------- */

/* What the time of core tasks has to do with their weights; the last round's factors aside. */
static bool weights_compare(const struct round *round, struct pilot_levels *found)
{
    const double *factors = found->workers.factors;
    const size_t workers = (size_t)round->workers;
    struct two_way terms = {.terms = factors ? calloc(workers, sizeof(double)) : NULL};
    struct samples weighed = *round->samples; /* borrows its items */
    struct failure none = FAILURE_INIT;
    weighed.weights = round->given;
    for (size_t k = 0; terms.terms && k < workers; k++)
        terms.terms[k] = log(factors[k]);
    const bool good =
        (terms.terms || !factors) &&
        weighing_fit(&weighed, 0, round->workers, &terms, &found->weighing, &found->compute, &none);
    free(terms.terms);
    return good;
}

/* By how much longer the package takes than one of as many core tasks of mean weight. */
static double worth_of(const struct round *round, const struct pilot_levels *levels,
                       const struct sample *sample)
{
    const struct work *work = &round->given->work;
    const double tasks = (double)sample->tasks, constant = levels->weighing.constant;
    const struct cost unit = {0, 1};
    const struct cost cost = levels->compute.s_per_task > 0 ? levels->compute : unit;
    const double mean = work_mean_cost(work, (double)work->tasks, (double)sample->first, tasks);
    const double own_s = cost_of(cost, tasks * (constant + (1 - constant) * mean));
    return fmax(WORTH_LEAST, own_s / cost_of(cost, tasks));
}

/* The timings of computing as if all packages were of mean weight. To be released, also on failure.
 */
static bool samples_level(const struct round *round, const struct pilot_levels *levels,
                          struct samples *level)
{
    bool good = true;
    *level = (struct samples){.items = NULL};
    for (int64_t i = 0; good && i < round->samples->count; i++) {
        struct sample sample = round->samples->items[i];
        if (sample.operation != OPERATION_COMPUTE)
            continue;
        sample.seconds /= worth_of(round, levels, &sample);
        good = samples_add(level, &sample);
    }
    return good;
}

static bool weighed_find(const struct round *round, const struct pilot_levels *levels,
                         struct worker_factors *next)
{
    struct samples level;
    const struct worker_timings own = {.samples = &level, .workers = round->workers};
    const bool good = samples_level(round, levels, &level) && worker_factors_find(&own, next);
    samples_release(&level);
    return good;
}

/* Of too few packages for a fit, what one of mean weight took in the mean. */
static void compute_suppose(const struct round *round, struct pilot_levels *found)
{
    const struct work *work = &round->given->work;
    double seconds = 0, units = 0;
    for (int64_t i = 0; i < round->samples->count; i++) {
        const struct sample *sample = &round->samples->items[i];
        const double tasks = (double)sample->tasks;
        if (sample->operation != OPERATION_COMPUTE)
            continue;
        seconds += sample->seconds;
        units += tasks * work_mean_cost(work, (double)work->tasks, (double)sample->first, tasks);
    }
    if (found->compute.s_per_task == 0 && units > 0)
        found->compute.s_per_task = seconds / units;
}

/* Those of the core tasks that are surveyed; none where they are worth nothing. */
static struct task_weights *weights_left(const struct pilot_context *context,
                                         const struct task_weights *given)
{
    return context->range_count > 0 ? weights_select(given, context->ranges, context->range_count)
                                    : weights_copy(given);
}

static bool weights_take(const struct pilot_context *context, const struct round *round,
                         struct pilot_levels *found)
{
    compute_suppose(round, found);
    found->weights = weights_left(context, round->given);
    return !found->weights || weighing_work(&found->weighing, found->weights, &found->work);
}

/* ---- whole --------------------------------------------------------------------------------- */

static bool factors_equal(const struct worker_factors *a, const struct worker_factors *b)
{
    return a->factors && memcmp(a->factors, b->factors, (size_t)a->workers * sizeof(double)) == 0;
}

static bool is_weighed(const struct round *round, const struct pilot_levels *levels)
{
    return round->given && levels->weighing.constant < 1;
}

static bool round_make(const struct round *round, struct pilot_levels *found, bool *settled)
{
    struct worker_factors next = {.factors = NULL};
    const bool good = (!round->given || weights_compare(round, found)) &&
                      (is_weighed(round, found) ? weighed_find(round, found, &next)
                                                : regional_find(round, found, &next));
    *settled = good && factors_equal(&found->workers, &next);
    worker_factors_release(&found->workers);
    found->workers = next;
    return good;
}

bool pilot_levels_find(const struct pilot_context *context, const struct survey_timings *timings,
                       const struct task_weights *given, struct pilot_levels *found)
{
    struct failure none = FAILURE_INIT;
    struct samples samples;
    *found = (struct pilot_levels){.workers = {.factors = NULL}};
    bool good = pilot_samples(context, timings, &samples, &none) || samples.count == 0;
    const struct round round = {timings, &samples, given, context->workers};
    bool settled = false;
    for (int k = 0; good && !settled && k < ROUNDS_MOST; k++)
        good = round_make(&round, found, &settled);
    good = good && (!is_weighed(&round, found) || weights_take(context, &round, found));
    samples_release(&samples);
    return good;
}

struct survey_levels pilot_levels_survey(const struct pilot_levels *levels)
{
    const struct task_weights *weights = levels->weights;
    const double mean = weights ? weighing_mean(&levels->weighing, weights) : 1;
    return (struct survey_levels){.factors = levels->workers.factors,
                                  .work = levels->work.tasks > 0 ? &levels->work : NULL,
                                  .s_per_task = levels->compute.s_per_task * mean};
}

void pilot_levels_release(struct pilot_levels *levels)
{
    worker_factors_release(&levels->workers);
    weights_free(levels->weights);
    work_release(&levels->work);
    *levels = (struct pilot_levels){.workers = {.factors = NULL}};
}
