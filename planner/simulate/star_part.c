#include "planner/simulate/star_part.h"

#include <inttypes.h>
#include <stdlib.h>

/* Takes the star's plan and workers, numbered as its master counts them. To be released in any
 * case. */
static bool star_take(struct star_part *part, const struct star_part_setup *setup,
                      struct failure *failure)
{
    const struct plan *plan = setup->plan;
    const int64_t before = plan->master, workers = setup->workers;
    part->plan = *plan;
    part->plan.workers = calloc((size_t)plan->worker_count, sizeof *part->plan.workers);
    if (!part->plan.workers)
        return failure_memory(failure, "simulating");
    for (int64_t slot = 0; slot < plan->worker_count; slot++) {
        part->plan.workers[slot] = plan->workers[slot] - before;
        if (part->plan.workers[slot] < 0 || part->plan.workers[slot] >= workers)
            return failure_set(failure, FAILURE_MISMATCH,
                               "the plan has rank %" PRId64 " work for the master on rank %" PRId64
                               ", after which there are %" PRId64
                               " ranks: make the plan again with this profile",
                               plan->workers[slot] + 1, before, workers > 0 ? workers : 0);
    }
    return (workers > 0 && platform_part(setup->platform, before, workers, &part->platform)) ||
           failure_memory(failure, "simulating");
}

/* Translates what happens to single workers into the numbers of this star. */
static void star_disturb(struct star_part *part, const struct scenario *scenario, int k)
{
    struct scenario *own = &part->scenario;
    const int64_t before = part->plan.master, workers = part->platform.worker_count;
    const int64_t slow_end = scenario->slow_first + scenario->slow_workers - before;
    *own = *scenario;
    own->seed += (uint64_t)k << 32; /* so that every star has noise of its own */
    own->simulated = 0;
    own->lost_worker -= before;
    if (scenario->lost_worker < before || own->lost_worker >= workers)
        own->lost_worker = -1;
    own->slow_first = scenario->slow_first > before ? scenario->slow_first - before : 0;
    own->slow_workers = slow_end > own->slow_first ? slow_end - own->slow_first : 0;
}

static void star_price(void *self, const struct package *package, struct star_cost *cost)
{
    const struct star_part *part = self;
    struct package ranked = *package;
    ranked.worker += part->plan.master;
    part->varies->price(part->varies->self, &ranked, cost);
}

static double star_weight(void *self, double first, double tasks)
{
    const struct star_part *part = self;
    return part->varies->weight(part->varies->self, first, tasks);
}

/* Variations are given workers' numbers in the whole job. */
static bool star_vary(struct star_part *part, const struct variation *variation,
                      struct failure *failure)
{
    part->varies = variation;
    if (!variation)
        return true;
    part->variation = (struct variation){.price = variation->price ? star_price : NULL,
                                         .weight = variation->weight ? star_weight : NULL,
                                         .self = part};
    part->scenario.variation = &part->variation;
    if (!variation->drawn)
        return true;
    part->variation.drawn = &part->drawn;
    return platform_part(variation->drawn, part->plan.master, part->platform.worker_count,
                         &part->drawn) ||
           failure_memory(failure, "simulating");
}

bool star_part_init(struct star_part *part, const struct star_part_setup *setup,
                    struct failure *failure)
{
    *part = (struct star_part){.varies = NULL};
    if (!star_take(part, setup, failure))
        return false;
    part->follows = (struct decision){.plan = &part->plan};
    star_disturb(part, setup->scenario, setup->number);
    return star_vary(part, setup->scenario->variation, failure);
}

bool star_part_trace(const struct star_part *part, const struct trace *own, struct trace *trace)
{
    for (size_t k = 0; k < own->count; k++) {
        struct trace_event event = own->events[k];
        event.rank += (int32_t)part->plan.master;
        if (!trace_add(trace, &event))
            return false;
    }
    return true;
}

void star_part_release(struct star_part *part)
{
    platform_part_release(&part->platform);
    platform_part_release(&part->drawn);
    free(part->plan.workers);
}
