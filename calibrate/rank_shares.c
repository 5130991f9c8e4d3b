#include "calibrate/rank_shares.h"

#include <math.h>
#include <stdlib.h>

#include "calibrate/fit/points.h"
#include "calibrate/fit/sample.h"

/* As exact as those of single workers. */
static const double share_steps = 1e4;

/* Of `count` workers from `first` on; 0: not all are known. */
static double shares_mean(const struct run_had_list *had, int64_t first, int64_t count)
{
    double sum = 0;
    for (int64_t worker = first; worker < first + count; worker++) {
        const double share = run_had_share(had, worker);
        if (!(share > 0))
            return 0;
        sum += share;
    }
    return sum / (double)count;
}

/* Of the time that the setting's timings say that these workers computed, what their costs count;
 * all, where memory does not suffice to tell. */
static double kept_of(const struct samples *samples, int setting, int64_t first, int64_t count)
{
    const struct sample_choice choice = {.setting = setting,
                                         .least_rank = (int)first + 1,
                                         .greatest_rank = (int)(first + count),
                                         .operation = OPERATION_COMPUTE,
                                         .waiting = SAMPLE_BUSY};
    struct points points = {.kept = 1};
    int64_t chosen;
    struct sample *items = samples_choose(samples, &choice, &chosen);
    if (items)
        points_make(items, chosen, &points);
    free(items);
    return points.kept;
}

/* A class is the same in all windows of a setting. */
static bool class_stands(const struct profile_window *window, size_t class, int64_t count)
{
    return class < window->worker_count && window->workers[class].count == count;
}

static void setting_put(const struct run_had_list *had, const struct samples *samples, int setting,
                        struct profile_setting *made)
{
    int64_t first = 0;
    for (size_t k = 0; k < made->windows[0].worker_count; k++) {
        const int64_t count = made->windows[0].workers[k].count;
        const double mean = shares_mean(had, first, count);
        const double share = mean > 0 ? fmin(1, mean / kept_of(samples, setting, first, count)) : 0;
        for (size_t w = 0; w < made->window_count; w++)
            if (class_stands(&made->windows[w], k, count))
                made->windows[w].workers[k].availability =
                    nearbyint(share * share_steps) / share_steps;
        first += count;
    }
}

void rank_shares_put(const struct run_had_list *had, const struct samples *samples,
                     struct profile *profile)
{
    for (size_t k = 0; k < profile->setting_count; k++)
        setting_put(had, samples, (int)k, &profile->settings[k]);
}
