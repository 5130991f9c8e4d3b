#include "planner/simulate/simulate.h"

#include <stdlib.h>

#include "planner/simulate/rehearse.h"
#include "planner/simulate/star.h"

/* What a plan has come to while it is played. */
struct play {
    const struct platform *platform;
    const struct plan *plan;
    struct star star;
    struct star_cost *costs; /* owned; of the round entry at hand, per slot */
    struct trace *trace;     /* may be NULL */
    int64_t round, package;
    double first; /* core task */
};

static bool class_holds(const struct platform_class *class, int64_t worker)
{
    return worker >= class->first && worker - class->first < class->count;
}

static bool window_refuse(const struct plan *plan, int64_t slot, double load,
                          struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH,
                       "a package of %.15g tasks for worker %lld lies in no window of the profile: "
                       "make the plan again with this profile",
                       load, (long long)plan->workers[slot]);
}

/* Costs per slot of one round entry. Neighbours mostly share window and class, so what held for
 * the slot before is tried first. */
static bool costs_fill(struct play *play, const double *loads, struct failure *failure)
{
    const struct plan *plan = play->plan;
    const struct platform_window *window = NULL;
    const struct platform_class *class = NULL;
    double load_before = 0;
    for (int64_t slot = 0; slot < plan->worker_count; slot++) {
        double load = loads[slot];
        int64_t worker = plan->workers[slot];
        if (!(load > 0))
            continue;
        if (!window || load != load_before) {
            const struct platform_window *found = platform_find(play->platform, load);
            if (!found)
                return window_refuse(plan, slot, load, failure);
            class = found == window ? class : NULL;
            window = found;
            load_before = load;
        }
        if (!class || !class_holds(class, worker))
            class = platform_worker(window, worker);
        play->costs[slot] = star_cost_of(window, class, load);
    }
    return true;
}

/* One round, without and with a trace; only the bookkeeping differs. */
static void round_play(struct play *play, const double *loads)
{
    struct star_times times;
    for (int64_t slot = 0; slot < play->plan->worker_count; slot++)
        if (loads[slot] > 0)
            star_send(&play->star, slot, &play->costs[slot], &times);
}

static bool round_trace(struct play *play, const double *loads)
{
    struct star_times times;
    for (int64_t slot = 0; slot < play->plan->worker_count; slot++) {
        if (!(loads[slot] > 0))
            continue;
        star_send(&play->star, slot, &play->costs[slot], &times);
        const struct trace_event event = {.round = play->round,
                                          .package = play->package,
                                          .first = (int64_t)play->first,
                                          .tasks = (int64_t)loads[slot]};
        if (!star_trace(&times, play->plan->workers[slot], event, play->trace))
            return false;
        play->package++;
        play->first += loads[slot];
    }
    return true;
}

static bool entry_play(struct play *play, const struct plan_round *entry, struct failure *failure)
{
    if (!costs_fill(play, entry->loads, failure))
        return false;
    for (int64_t k = 0; k < entry->repeat; k++, play->round++) {
        if (!play->trace)
            round_play(play, entry->loads);
        else if (!round_trace(play, entry->loads))
            return failure_memory(failure, "tracing the simulation");
    }
    return true;
}

static bool workers_exist(const struct platform *platform, const struct plan *plan,
                          struct failure *failure)
{
    for (int64_t slot = 0; slot < plan->worker_count; slot++)
        if (plan->workers[slot] < 0 || plan->workers[slot] >= platform->worker_count)
            return failure_set(failure, FAILURE_MISMATCH,
                               "the plan uses worker %lld, but there are %lld: make the plan again "
                               "with this profile",
                               (long long)plan->workers[slot], (long long)platform->worker_count);
    return true;
}

/* About a second's worth; beyond, rounds that repeat themselves are skipped. */
enum { PACKAGES_PLAYED = 20000000 };

bool simulate_plan(const struct platform *platform, const struct plan *plan, struct trace *trace,
                   struct simulation *simulation, struct failure *failure)
{
    struct play play = {.platform = platform, .plan = plan, .trace = trace};
    size_t events = trace ? trace->count : 0;
    if (!workers_exist(platform, plan, failure))
        return false;
    if (!trace && plan_packages(plan) > PACKAGES_PLAYED)
        return rehearse_plan(platform, plan, simulation, failure);
    play.costs = calloc((size_t)plan->worker_count, sizeof *play.costs);
    if (!play.costs || !star_init(&play.star, plan->worker_count, platform->buffers)) {
        free(play.costs);
        return failure_memory(failure, "simulating a plan");
    }
    bool good = true;
    for (size_t k = 0; good && k < plan->round_count; k++)
        good = entry_play(&play, &plan->rounds[k], failure);
    if (good)
        star_sum(&play.star, simulation);
    else if (trace)
        trace->count = events;
    free(play.costs);
    star_release(&play.star);
    return good;
}
