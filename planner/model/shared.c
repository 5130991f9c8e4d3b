#include "planner/model/shared.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The share that there will be of something, relative to what there was. */
struct share {
    double mean, deviation;
};

static void cost_stretch(struct measured_cost *cost, double times)
{
    cost->cost.latency_s *= times;
    cost->cost.s_per_task *= times;
    cost->fit.stderr_latency_s *= times;
    cost->fit.stderr_s_per_task *= times;
    cost->fit.jitter_s *= times;
}

static void cost_share(struct measured_cost *cost, struct share share, bool common)
{
    double *drift = common ? &cost->fit.drift : &cost->fit.drift_own;
    cost_stretch(cost, 1 / share.mean);
    *drift = hypot(*drift, share.deviation / share.mean);
}

static void cost_unshare(struct measured_cost *cost, struct share share, bool common)
{
    double *drift = common ? &cost->fit.drift : &cost->fit.drift_own;
    const double deviation = share.deviation / share.mean;
    cost_stretch(cost, share.mean);
    *drift = sqrt(fmax(0, *drift * *drift - deviation * deviation));
}

/* How a plan's shares change the times of a worker's operations. */
struct change {
    const struct plan_shared *shared;
    size_t count;
    const struct plan_selection *selected; /* the workers that the profile still has; NULL: all */
    void (*make)(struct measured_cost *cost, struct share share, bool common);
};

/* The rank, from 1 on, that the worker had before others were removed from the profile. */
static int64_t rank_before(const struct plan_selection *selected, int64_t worker)
{
    for (size_t k = 0; selected && k < selected->count; k++) {
        const int64_t count = selected->runs[k].last - selected->runs[k].first + 1;
        if (worker < count)
            return selected->runs[k].first + worker + 1;
        worker -= count;
    }
    return worker + 1;
}

static bool cost_is_none(const struct cost *cost)
{
    return cost->latency_s == 0 && cost->s_per_task == 0;
}

static void worker_change(const struct change *change, const struct plan_shared *shared,
                          struct profile_worker *worker)
{
    const bool common = change->count == 1;
    const struct share network = {shared->bandwidth, shared->bandwidth_deviation};
    change->make(&worker->compute, (struct share){shared->share, shared->deviation}, common);
    if (!(network.mean > 0))
        return;
    /* Without a link there is nothing that the network could delay. */
    if (!cost_is_none(&worker->link.cost))
        change->make(&worker->link, network, common);
    if (!cost_is_none(&worker->result.cost))
        change->make(&worker->result, network, common);
}

static void window_change(const struct change *change, struct profile_window *window)
{
    int64_t worker = 0;
    for (size_t k = 0; k < window->worker_count; worker += window->workers[k++].count) {
        const int64_t rank = rank_before(change->selected, worker);
        for (size_t s = 0; s < change->count; s++)
            if (change->shared[s].first_rank <= rank && rank <= change->shared[s].last_rank)
                worker_change(change, &change->shared[s], &window->workers[k]);
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
    const struct change change = {shared, count, NULL, cost_share};
    if (profile->shared || count == 0)
        return;
    profile->shared = true;
    profile_change(&change, profile);
}

void shared_undo(struct profile *profile, const struct plan *plan)
{
    const struct change change = {plan->shared, plan->shared_count, &plan->selected, cost_unshare};
    if (!profile->shared)
        return;
    profile->shared = false;
    profile_change(&change, profile);
}

void shared_again(struct profile *profile, const struct plan *plan)
{
    const struct change change = {plan->shared, plan->shared_count, &plan->selected, cost_share};
    if (profile->shared || plan->shared_count == 0)
        return;
    profile->shared = true;
    profile_change(&change, profile);
}

struct plan_shared shared_of(const struct plan *plan, int64_t worker)
{
    const int64_t rank = rank_before(&plan->selected, worker);
    struct plan_shared found = {rank, rank, 1, 0, 1, 0};
    for (size_t k = 0; k < plan->shared_count; k++) {
        const struct plan_shared *shared = &plan->shared[k];
        if (shared->first_rank > rank || rank > shared->last_rank)
            continue;
        found.share = shared->share;
        found.deviation = shared->deviation;
        if (shared->bandwidth > 0) {
            found.bandwidth = shared->bandwidth;
            found.bandwidth_deviation = shared->bandwidth_deviation;
        }
    }
    return found;
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

/* Is nothing forecast about processors? */
static bool shared_network_alone(const struct plan_shared *shared)
{
    return shared->bandwidth > 0 && shared->share == 1 && shared->deviation == 0;
}

static void share_describe(const struct plan_shared *shared, const char *head, struct share share,
                           const char *what, struct text *text)
{
    text_add(text, "%-12s%.2f of the %s at calibration, give or take %.2f, rank", head, share.mean,
             what, share.deviation);
    if (shared->last_rank > shared->first_rank)
        text_add(text, "s %" PRId64 " to %" PRId64 "\n", shared->first_rank, shared->last_rank);
    else
        text_add(text, " %" PRId64 "\n", shared->first_rank);
}

void shared_describe(const struct plan_shared *shared, size_t count, struct text *text)
{
    for (size_t k = 0; k < count; k++) {
        const struct share cpu = {shared[k].share, shared[k].deviation};
        const struct share network = {shared[k].bandwidth, shared[k].bandwidth_deviation};
        if (!shared_network_alone(&shared[k]))
            share_describe(&shared[k], "shared", cpu, "processor", text);
        if (network.mean > 0)
            share_describe(&shared[k], "network", network, "bandwidth", text);
    }
}
