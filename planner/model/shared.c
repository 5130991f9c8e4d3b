#include "planner/model/shared.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void compute_share(struct measured_cost *compute, const struct plan_shared *shared,
                          bool common)
{
    struct fit *fit = &compute->fit;
    double *drift = common ? &fit->drift : &fit->drift_own;
    compute->cost.latency_s /= shared->share;
    compute->cost.s_per_task /= shared->share;
    fit->stderr_latency_s /= shared->share;
    fit->stderr_s_per_task /= shared->share;
    fit->jitter_s /= shared->share;
    *drift = hypot(*drift, shared->deviation / shared->share);
}

static void window_share(struct profile_window *window, const struct plan_shared *shared,
                         size_t count)
{
    int64_t rank = 1;
    for (size_t k = 0; k < window->worker_count; rank += window->workers[k++].count)
        for (size_t s = 0; s < count; s++)
            if (shared[s].first_rank <= rank && rank <= shared[s].last_rank)
                compute_share(&window->workers[k].compute, &shared[s], count == 1);
}

void shared_follow(struct profile *profile, const struct plan_shared *shared, size_t count)
{
    if (profile->shared || count == 0)
        return;
    profile->shared = true;
    for (size_t k = 0; k < profile->setting_count; k++)
        for (size_t w = 0; w < profile->settings[k].window_count; w++)
            window_share(&profile->settings[k].windows[w], shared, count);
}

bool shared_copy(struct plan *to, const struct plan *from)
{
    if (from->shared_count == 0)
        return true;
    to->shared = malloc(from->shared_count * sizeof *to->shared);
    if (!to->shared)
        return false;
    memcpy(to->shared, from->shared, from->shared_count * sizeof *to->shared);
    to->shared_count = from->shared_count;
    return true;
}

void shared_describe(const struct plan_shared *shared, size_t count, struct text *text)
{
    for (size_t k = 0; k < count; k++) {
        text_add(text, "shared      %.2f of the processor, give or take %.2f, rank",
                 shared[k].share, shared[k].deviation);
        if (shared[k].last_rank > shared[k].first_rank)
            text_add(text, "s %" PRId64 " to %" PRId64 "\n", shared[k].first_rank,
                     shared[k].last_rank);
        else
            text_add(text, " %" PRId64 "\n", shared[k].first_rank);
    }
}
