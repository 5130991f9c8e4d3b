#include "planner/simulate/extrapolate.h"

#include <stdlib.h>
#include <string.h>

/* About how many packages of an entry are simulated; how many rounds of it, at the first
 * simulation; and how many more at the second one. */
enum { PACKAGES = 20000, FIRST_LEAST = 6, FIRST_MOST = 48, MORE_LEAST = 2 };

/* A plan whose long entries are shortened. */
struct shortened {
    const struct platform *platform;
    const struct plan *plan;   /* the whole one */
    struct plan_round *rounds; /* owned; its loads are borrowed */
    double *ends, *more;       /* owned, per worker of the plan */
    int64_t first, step;       /* rounds of a long entry; how many more the second time */
    int64_t simulated;
};

static void shortened_release(struct shortened *shortened)
{
    free(shortened->rounds);
    free(shortened->ends);
    free(shortened->more);
}

/* To be released in any case. False: out of memory. */
static bool shortened_init(struct shortened *shortened, const struct platform *platform,
                           const struct plan *plan)
{
    const size_t workers = (size_t)plan->worker_count;
    const int64_t fit = PACKAGES / plan->worker_count;
    const int64_t first = fit < FIRST_LEAST ? FIRST_LEAST : fit > FIRST_MOST ? FIRST_MOST : fit;
    *shortened = (struct shortened){.platform = platform, .plan = plan, .first = first};
    shortened->step = first / 3 > MORE_LEAST ? first / 3 : MORE_LEAST;
    shortened->rounds = calloc(plan->round_count, sizeof *shortened->rounds);
    shortened->ends = calloc(workers, sizeof *shortened->ends);
    shortened->more = calloc(workers, sizeof *shortened->more);
    return shortened->rounds && shortened->ends && shortened->more;
}

static bool is_long(const struct shortened *shortened, size_t round)
{
    return shortened->plan->rounds[round].repeat > shortened->first + shortened->step;
}

/* Simulates the shortened plan, with some more rounds of entry `longer`; SIZE_MAX: of none. */
static bool shortened_simulate(struct shortened *shortened, size_t longer,
                               struct simulation *simulation, double *ends, struct failure *failure)
{
    struct plan plan = *shortened->plan;
    for (size_t r = 0; r < plan.round_count; r++) {
        shortened->rounds[r] = plan.rounds[r];
        if (is_long(shortened, r))
            shortened->rounds[r].repeat = shortened->first;
        if (r == longer)
            shortened->rounds[r].repeat += shortened->step;
    }
    plan.rounds = shortened->rounds;
    if (!simulate_packages(shortened->platform, &plan, NULL, simulation, ends, failure))
        return false;
    shortened->simulated += simulation->packages;
    return true;
}

static void seconds_extend(double *seconds, double base, double more, double times)
{
    *seconds += times * (more - base);
}

/* Adds `times` times what the rounds have taken by which `more` is longer than `base`. */
static void simulation_extend(struct simulation *simulation, const struct simulation *base,
                              const struct simulation *more, double times)
{
    seconds_extend(&simulation->makespan_s, base->makespan_s, more->makespan_s, times);
    seconds_extend(&simulation->master_busy_s, base->master_busy_s, more->master_busy_s, times);
    seconds_extend(&simulation->port_busy_s, base->port_busy_s, more->port_busy_s, times);
    seconds_extend(&simulation->worker_busy_s, base->worker_busy_s, more->worker_busy_s, times);
    seconds_extend(&simulation->output_s, base->output_s, more->output_s, times);
    seconds_extend(&simulation->earliest_end_s, base->earliest_end_s, more->earliest_end_s, times);
    seconds_extend(&simulation->latest_end_s, base->latest_end_s, more->latest_end_s, times);
    seconds_extend(&simulation->idle_first_s, base->idle_first_s, more->idle_first_s, times);
    seconds_extend(&simulation->idle_between_s, base->idle_between_s, more->idle_between_s, times);
    seconds_extend(&simulation->idle_last_s, base->idle_last_s, more->idle_last_s, times);
}

static bool entry_extend(struct shortened *shortened, size_t round, const struct simulation *base,
                         struct simulation *simulation, double *ends, struct failure *failure)
{
    const struct plan *plan = shortened->plan;
    const double times =
        (double)(plan->rounds[round].repeat - shortened->first) / (double)shortened->step;
    struct simulation more;
    if (!shortened_simulate(shortened, round, &more, shortened->more, failure))
        return false;
    simulation_extend(simulation, base, &more, times);
    for (int64_t k = 0; ends && k < plan->worker_count; k++)
        seconds_extend(&ends[k], shortened->ends[k], shortened->more[k], times);
    return true;
}

bool extrapolate_plan(const struct platform *platform, const struct plan *plan,
                      struct simulation *simulation, double *ends, int64_t *simulated,
                      struct failure *failure)
{
    struct shortened shortened;
    struct simulation base;
    bool good = shortened_init(&shortened, platform, plan);
    if (good)
        good = shortened_simulate(&shortened, SIZE_MAX, &base, shortened.ends, failure);
    else
        failure_memory(failure, "simulating a plan");
    if (good) {
        *simulation = base;
        if (ends)
            memcpy(ends, shortened.ends, (size_t)plan->worker_count * sizeof *ends);
    }
    for (size_t r = 0; good && r < plan->round_count; r++)
        if (is_long(&shortened, r))
            good = entry_extend(&shortened, r, &base, simulation, ends, failure);
    if (good)
        simulation->packages = plan_packages(plan);
    if (simulated)
        *simulated = shortened.simulated;
    shortened_release(&shortened);
    return good;
}
