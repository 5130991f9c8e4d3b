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

static void compute_unshare(struct measured_cost *compute, const struct plan_shared *shared,
                            bool common)
{
    struct fit *fit = &compute->fit;
    double *drift = common ? &fit->drift : &fit->drift_own;
    const double deviation = shared->deviation / shared->share;
    compute->cost.latency_s *= shared->share;
    compute->cost.s_per_task *= shared->share;
    fit->stderr_latency_s *= shared->share;
    fit->stderr_s_per_task *= shared->share;
    fit->jitter_s *= shared->share;
    *drift = sqrt(fmax(0, *drift * *drift - deviation * deviation));
}

/* How a plan's shares change what a worker's computing takes. */
struct change {
    const struct plan_shared *shared;
    size_t count;
    const struct plan_selection *selected; /* the only workers that the profile has; NULL: all */
    void (*make)(struct measured_cost *compute, const struct plan_shared *shared, bool common);
};

/* The rank, from 1 on, that the profile's worker had before others were removed. */
static int64_t rank_before(const struct change *change, int64_t worker)
{
    const struct plan_selection *selected = change->selected;
    for (size_t k = 0; selected && k < selected->count; k++) {
        const int64_t count = selected->runs[k].last - selected->runs[k].first + 1;
        if (worker < count)
            return selected->runs[k].first + worker + 1;
        worker -= count;
    }
    return worker + 1;
}

static void window_change(const struct change *change, struct profile_window *window)
{
    int64_t worker = 0;
    for (size_t k = 0; k < window->worker_count; worker += window->workers[k++].count) {
        const int64_t rank = rank_before(change, worker);
        for (size_t s = 0; s < change->count; s++)
            if (change->shared[s].first_rank <= rank && rank <= change->shared[s].last_rank)
                change->make(&window->workers[k].compute, &change->shared[s], change->count == 1);
    }
}

static void profile_change(const struct change *change, struct profile *profile)
{
    for (size_t k = 0; k < profile->setting_count; k++)
        for (size_t w = 0; w < profile->settings[k].window_count; w++)
            window_change(change, &profile->settings[k].windows[w]);
}

void shared_follow(struct profile *profile, const struct plan_shared *shared, size_t count)
{
    const struct change change = {shared, count, NULL, compute_share};
    if (profile->shared || count == 0)
        return;
    profile->shared = true;
    profile_change(&change, profile);
}

void shared_undo(struct profile *profile, const struct plan *plan)
{
    const struct change change = {plan->shared, plan->shared_count, &plan->selected,
                                  compute_unshare};
    if (!profile->shared)
        return;
    profile->shared = false;
    profile_change(&change, profile);
}

void shared_again(struct profile *profile, const struct plan *plan)
{
    const struct change change = {plan->shared, plan->shared_count, &plan->selected, compute_share};
    if (profile->shared || plan->shared_count == 0)
        return;
    profile->shared = true;
    profile_change(&change, profile);
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
