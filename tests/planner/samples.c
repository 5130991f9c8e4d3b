#include "tests/planner/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/model/selection.h"

/* splitmix64: Steele, Lea, Flood, Fast splittable pseudorandom number generators, 2014. */
uint64_t dice_bits(struct dice *dice)
{
    uint64_t z = (dice->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double dice_unit(struct dice *dice)
{
    return (double)(dice_bits(dice) >> 11) / 9007199254740992.0;
}

int64_t dice_whole(struct dice *dice, int64_t least, int64_t greatest)
{
    return least + (int64_t)(dice_bits(dice) % (uint64_t)(greatest - least + 1));
}

double dice_scale(struct dice *dice, double least, double greatest)
{
    return least * pow(greatest / least, dice_unit(dice));
}

/* Out of memory ends a test program. */
static void *memory(size_t count, size_t size)
{
    void *found = calloc(count + 1, size);
    if (!found)
        abort();
    return found;
}

static char *word(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        abort();
    return copy;
}

static struct measured_cost sample_cost(struct dice *dice, double rate)
{
    struct measured_cost cost = {.cost = {0, dice_scale(dice, rate / 10, rate * 10)}};
    if (dice_whole(dice, 0, 3) > 0)
        cost.cost.latency_s = dice_scale(dice, 1e-6, 1e-1);
    if (dice_whole(dice, 0, 1) > 0)
        cost.fit = (struct fit){.stderr_latency_s = dice_unit(dice) * 1e-3,
                                .stderr_s_per_task = dice_unit(dice) * 1e-3,
                                .correlation = -dice_unit(dice),
                                .deviation = dice_unit(dice),
                                .drift = dice_unit(dice),
                                .drift_own = dice_unit(dice),
                                .r2 = dice_unit(dice),
                                .n = 7,
                                .outliers = (int)dice_whole(dice, 0, 3)};
    if (cost.fit.outliers > 1)
        cost.fit.jitter_s = 1e-3 * cost.fit.deviation;
    return cost;
}

/* In a window that does not begin at 1, a latency may be negative, as long as a package of more
 * than one task less than the window's least takes some time. */
static void sample_sink(struct dice *dice, int64_t least, struct measured_cost *cost)
{
    if (least > 2 && cost->cost.s_per_task > 0 && dice_whole(dice, 0, 2) == 0)
        cost->cost.latency_s = -0.9 * dice_unit(dice) * cost->cost.s_per_task * (double)(least - 1);
}

static void sample_worker(struct dice *dice, double rate, struct profile_worker *worker)
{
    worker->name = dice_whole(dice, 0, 1) ? word("n\"\\\n\303\244") : NULL;
    worker->link = sample_cost(dice, rate / 100);
    if (dice_whole(dice, 0, 1) == 0)
        worker->link = (struct measured_cost){0};
    worker->receive = sample_cost(dice, rate / 100);
    worker->compute = sample_cost(dice, rate);
    if (dice_whole(dice, 0, 1) == 0)
        worker->output = sample_cost(dice, rate / 100);
}

/* By a copy of the dice: what else a seed gives does not change for them. */
static void sample_requests(struct dice dice, double rate, struct profile_window *window)
{
    for (size_t k = 0; k < window->worker_count; k++)
        if (dice_whole(&dice, 0, 1) == 0)
            window->workers[k].request = sample_cost(&dice, rate / 100);
    if (dice_whole(&dice, 0, 1) == 0)
        window->answer = sample_cost(&dice, rate / 100);
}

static void sample_window(struct dice *dice, const int64_t *counts, size_t classes, double rate,
                          struct profile_window *window)
{
    window->envelope = sample_cost(dice, rate / 100);
    window->send = sample_cost(dice, rate / 100);
    sample_sink(dice, window->least, &window->envelope);
    sample_sink(dice, window->least, &window->send);
    window->workers = memory(classes, sizeof *window->workers);
    window->worker_count = classes;
    for (size_t k = 0; k < classes; k++) {
        window->workers[k].count = counts[k];
        sample_worker(dice, rate, &window->workers[k]);
        sample_sink(dice, window->least, &window->workers[k].link);
        sample_sink(dice, window->least, &window->workers[k].receive);
        sample_sink(dice, window->least, &window->workers[k].compute);
    }
    sample_requests(*dice, rate, window);
}

static struct measured_cost sample_start(struct dice *dice)
{
    struct measured_cost start = {.cost = {dice_scale(dice, 1e-3, 1e2), 0}};
    if (dice_whole(dice, 0, 1) > 0)
        start.fit = (struct fit){.stderr_latency_s = dice_unit(dice),
                                 .deviation = dice_unit(dice),
                                 .jitter_s = (double)dice_whole(dice, 0, 1),
                                 .drift = dice_unit(dice),
                                 .drift_own = dice_unit(dice),
                                 .n = 3,
                                 .outliers = (int)dice_whole(dice, 0, 3)};
    return start;
}

void sample_starts(struct dice *dice, struct profile *profile)
{
    if (dice_whole(dice, 0, 1) == 0)
        profile->overhead = (struct overhead){dice_scale(dice, 0.1, 100), dice_unit(dice)};
    for (size_t k = 0; k < profile->setting_count; k++) {
        const struct profile_setting *setting = &profile->settings[k];
        for (size_t i = 0; i < setting->windows[0].worker_count; i++) {
            const bool none = dice_whole(dice, 0, 2) == 0;
            const struct measured_cost start = sample_start(dice);
            for (size_t w = 0; !none && w < setting->window_count; w++)
                setting->windows[w].workers[i].start = start;
        }
    }
}

static void sample_window_results(struct dice *dice, bool returns, struct profile_window *window)
{
    window->collect = dice_whole(dice, 0, 1) ? sample_cost(dice, 1e-4) : (struct measured_cost){0};
    for (size_t k = 0; k < window->worker_count; k++) {
        window->workers[k].result = sample_cost(dice, 1e-3);
        if (returns)
            window->workers[k].output = (struct measured_cost){0};
    }
}

void sample_results(struct dice *dice, struct profile *profile)
{
    for (size_t k = 0; k < profile->setting_count; k++) {
        const enum results results = (enum results)dice_whole(dice, RESULTS_UNSAID, RESULTS_END);
        struct profile_setting *setting = &profile->settings[k];
        if (dice_whole(dice, 0, 1))
            continue;
        if (results != RESULTS_UNSAID)
            parameter_list_add(&setting->parameters, RESULTS_PARAMETER, results_name(results), 0);
        for (size_t w = 0; w < setting->window_count; w++)
            sample_window_results(dice, results != RESULTS_NONE, &setting->windows[w]);
    }
}

static struct price sample_price(struct dice *dice)
{
    const double price_s = dice_whole(dice, 0, 1) ? dice_scale(dice, 1e-6, 1e3) : 0;
    const double fee = dice_whole(dice, 0, 1) ? dice_unit(dice) : 0;
    return (struct price){.price_s = price_s, .fee = fee, .watts = 100 * fee};
}

void sample_prices(struct dice *dice, struct profile *profile)
{
    profile->master = sample_price(dice);
    for (size_t k = 0; k < profile->setting_count; k++) {
        const struct profile_setting *setting = &profile->settings[k];
        for (size_t i = 0; i < setting->windows[0].worker_count; i++) {
            const struct price price = sample_price(dice);
            for (size_t w = 0; w < setting->window_count; w++)
                setting->windows[w].workers[i].price = price;
        }
    }
}

static void sample_setting(struct dice *dice, const int64_t *counts, size_t classes,
                           struct profile_setting *setting)
{
    double rate = dice_scale(dice, 1e-5, 1e1);
    int64_t least = 1;
    setting->window_count = (size_t)dice_whole(dice, 1, 3);
    setting->windows = memory(setting->window_count, sizeof *setting->windows);
    for (size_t k = 0; k < setting->window_count; k++) {
        struct profile_window *window = &setting->windows[k];
        bool last = k + 1 == setting->window_count;
        window->least = least;
        window->greatest = last ? (int64_t)1 << 40 : least + dice_whole(dice, 0, 40);
        least = window->greatest + 1;
        sample_window(dice, counts, classes, rate, window);
    }
}

void sample_profile(struct dice *dice, int64_t worker_most, size_t settings,
                    struct profile *profile)
{
    int64_t counts[6];
    int64_t left = dice_whole(dice, 1, worker_most);
    size_t classes = 0;
    while (left > 0 && classes < 6) {
        counts[classes] = classes == 5 ? left : dice_whole(dice, 1, left);
        left -= counts[classes++];
    }
    *profile = (struct profile){.kernel = word("sleep"), .setting_count = settings};
    parameter_list_add(&profile->parameters, "bank", "chaudhuri", 0);
    parameter_list_add(&profile->parameters, "sigma", NULL, dice_unit(dice));
    profile->origin.host_name = dice_whole(dice, 0, 1) ? word("host") : NULL;
    profile->origin.isa = dice_whole(dice, 0, 1) ? word("avx2") : NULL;
    profile->origin.threads = (int)dice_whole(dice, 0, 2);
    profile->origin.workers_per_node = (int)dice_whole(dice, 0, 2);
    profile->origin.machine = dice_whole(dice, 0, 1) ? word("a processor, 2 cores") : NULL;
    profile->origin.nodes = (int)dice_whole(dice, 0, 2);
    if (dice_whole(dice, 0, 1))
        profile->origin.topology = (struct topology){.packages = 2,
                                                     .cores = 8,
                                                     .threads = 16,
                                                     .numa = 4,
                                                     .gpus = (int)dice_whole(dice, 0, 2)};
    if (profile->origin.topology.threads > 0 && dice_whole(dice, 0, 1)) {
        topology_kinds_add(&profile->origin.kinds, &profile->origin.topology);
        topology_kinds_add(&profile->origin.kinds, &(struct topology){1, 4, 4, 1, 1});
    }
    profile->plugin = dice_whole(dice, 0, 1) ? word("/x/y.so") : NULL;
    profile->origin.created = dice_whole(dice, 0, 1) ? word("2026-01-01T00:00:00Z") : NULL;
    profile->history_count = (size_t)dice_whole(dice, 0, HISTORY_MOST);
    profile->history = memory(HISTORY_MOST, sizeof *profile->history);
    for (size_t k = 0; k < profile->history_count; k++)
        profile->history[k] = dice_unit(dice) - 0.5;
    profile->settings = memory(settings, sizeof *profile->settings);
    for (size_t k = 0; k < settings; k++) {
        parameter_list_add(&profile->settings[k].parameters, "block", NULL, 32 * (double)(k + 1));
        if (dice_whole(dice, 0, 1)) {
            parameter_list_add(&profile->settings[k].parameters, "grain", NULL, (double)k);
            profile->settings[k].memory =
                (struct memory){dice_unit(dice), dice_unit(dice), 1e3 * (double)k, 0.5 * (double)k};
            profile->settings[k].spreads = memory(2, sizeof(struct spread));
            profile->settings[k].spreads[0] = (struct spread){1, dice_unit(dice)};
            profile->settings[k].spreads[1] = (struct spread){16, dice_unit(dice)};
            profile->settings[k].spread_count = 2;
            profile->settings[k].threads = (int)dice_whole(dice, 1, 8);
            profile->settings[k].score = (struct score){dice_unit(dice), dice_unit(dice)};
            profile->settings[k].extrapolation =
                (struct extrapolation){dice_whole(dice, 1, 99), dice_unit(dice)};
        }
        profile->settings[k].method = dice_whole(dice, 0, 1) ? word("fft for 2 filters") : NULL;
        sample_setting(dice, counts, classes, &profile->settings[k]);
    }
}

/* Distinct workers in a random order (Fisher and Yates). */
static void sample_order(struct dice *dice, int64_t workers, struct plan *plan)
{
    plan->worker_count = dice_whole(dice, 1, workers);
    plan->workers = memory((size_t)workers, sizeof *plan->workers);
    for (int64_t k = 0; k < workers; k++)
        plan->workers[k] = k;
    for (int64_t k = workers - 1; k > 0; k--) {
        int64_t other = dice_whole(dice, 0, k), kept = plan->workers[k];
        plan->workers[k] = plan->workers[other];
        plan->workers[other] = kept;
    }
}

static void sample_round(struct dice *dice, struct plan *plan, struct plan_round *round)
{
    round->repeat = dice_whole(dice, 1, 4);
    round->loads = memory((size_t)plan->worker_count, sizeof *round->loads);
    for (int64_t k = 0; k < plan->worker_count; k++)
        if (k == 0 || dice_whole(dice, 0, 4) > 0)
            round->loads[k] =
                floor(dice_scale(dice, 1, 200)) + (plan->real_valued ? dice_unit(dice) : 0);
    for (int64_t k = 0; k < plan->worker_count; k++)
        plan->tasks += (double)round->repeat * round->loads[k];
}

void sample_plan(struct dice *dice, int64_t workers, bool real_valued, struct plan *plan)
{
    *plan = (struct plan){
        .kernel = word("sleep"), .scheduler = word("random"), .real_valued = real_valued};
    sample_order(dice, workers, plan);
    plan->round_count = (size_t)dice_whole(dice, 1, 5);
    plan->rounds = memory(plan->round_count, sizeof *plan->rounds);
    for (size_t k = 0; k < plan->round_count; k++)
        sample_round(dice, plan, &plan->rounds[k]);
    /* The tasks are whole: what is missing goes to the first package. */
    double missing = ceil(plan->tasks) - plan->tasks;
    plan->rounds[0].loads[0] += missing / (double)plan->rounds[0].repeat;
    plan->tasks += missing;
    if (dice_whole(dice, 0, 1)) {
        parameter_list_add(&plan->parameters, "block", NULL, 64);
        plan->plugin = word("plugins/\"quoted\".so");
        plan->plugin_sha256 = word("0123456789abcdef0123456789abcdef"
                                   "0123456789abcdef0123456789abcdef");
        plan->profile = word("profiles/\"quoted\".json");
        plan->profile_sha256 = word("0123456789abcdef0123456789abcdef"
                                    "0123456789abcdef0123456789abcdef");
        plan->threads = 3;
        plan->predicted = (struct plan_prediction){.known = true,
                                                   .makespan_s = dice_unit(dice),
                                                   .period_s = dice_unit(dice),
                                                   .worker_utilization = dice_unit(dice),
                                                   .master_utilization = dice_unit(dice),
                                                   .utilization = dice_unit(dice),
                                                   .worker_busy_share = dice_unit(dice),
                                                   .network_utilization = dice_unit(dice),
                                                   .lower_bound_s = dice_unit(dice),
                                                   .gap = dice_unit(dice),
                                                   .output_s = dice_unit(dice)};
        plan->predicted.cpu_s = dice_unit(dice);
        plan->predicted.charge = dice_unit(dice);
        plan->predicted.energy_j = dice_unit(dice);
        plan->predicted.turnaround_s = dice_unit(dice);
        plan->objective = word("cost");
        plan->deadline_s = dice_unit(dice);
        plan->budget = dice_unit(dice);
        if (dice_unit(dice) < 0.3)
            plan->production = dice_unit(dice);
        if (!selection_add(&plan->selected, 0, 2) || !selection_add(&plan->selected, 4, 4))
            abort();
        plan->predicted.interval_s[0] = dice_unit(dice);
        plan->predicted.interval_s[1] = 1 + dice_unit(dice);
        plan->predicted.without_variation_s = plan->predicted.interval_s[1] / 2;
        plan->choice = (struct plan_choice){.workers = 64,
                                            .mp_workers = 16,
                                            .mp_makespan_s = dice_unit(dice),
                                            .mp_worker_utilization = dice_unit(dice),
                                            .pwu_workers = 13,
                                            .pwu_makespan_s = dice_unit(dice),
                                            .pwu_worker_utilization = dice_unit(dice),
                                            .send_s_per_task = dice_unit(dice),
                                            .compute_s_per_task = dice_unit(dice)};
        plan->others = memory(2, sizeof *plan->others);
        plan->other_count = 2;
        plan->others[1].threads = 2;
        for (size_t k = 0; k < 2; k++) {
            plan->others[k].makespan_s = dice_unit(dice);
            parameter_list_add(&plan->others[k].parameters, "block", NULL, 32 + (double)k);
            parameter_list_add(&plan->others[k].parameters, "bank", "source", 0);
        }
    }
}
