#include "calibrate/rank_shares.h"

#include <math.h>

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
    return nearbyint(sum / (double)count * share_steps) / share_steps;
}

static void window_put(const struct run_had_list *had, struct profile_window *window)
{
    int64_t first = 0;
    for (size_t k = 0; k < window->worker_count; k++) {
        struct profile_worker *class = &window->workers[k];
        class->availability = shares_mean(had, first, class->count);
        first += class->count;
    }
}

void rank_shares_put(const struct run_had_list *had, struct profile *profile)
{
    for (size_t k = 0; k < profile->setting_count; k++)
        for (size_t w = 0; w < profile->settings[k].window_count; w++)
            window_put(had, &profile->settings[k].windows[w]);
}
