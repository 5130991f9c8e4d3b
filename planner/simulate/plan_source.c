#include "planner/simulate/plan_source.h"

#include <inttypes.h>
#include <stdlib.h>

bool plan_source_check(const struct platform *platform, const struct plan *plan,
                       struct failure *failure)
{
    for (int64_t slot = 0; slot < plan->worker_count; slot++)
        if (plan->workers[slot] < 0 || plan->workers[slot] >= platform->worker_count)
            return failure_set(failure, FAILURE_MISMATCH,
                               "the plan uses worker %" PRId64 ", but there are %" PRId64
                               ": make the plan again "
                               "with this profile",
                               plan->workers[slot] + 1, platform->worker_count);
    return true;
}

static bool class_holds(const struct platform_class *class, int64_t worker)
{
    return worker >= class->first && worker - class->first < class->count;
}

bool plan_source_refuse(const struct plan *plan, int64_t slot, double load, struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH,
                       "a package of %.15g tasks for worker %" PRId64
                       " lies in no window of the profile: "
                       "make the plan again with this profile",
                       load, plan->workers[slot] + 1);
}

/* Finds the costs of each slot for one row of loads. Neighbours mostly share window and class, so
 * that those of the slot before are tried first. */
static bool costs_fill(struct plan_source *source, const double *loads, struct failure *failure)
{
    const struct plan *plan = source->cursor.plan;
    const struct platform_window *window = NULL;
    const struct platform_class *class = NULL;
    double load_before = 0;
    for (int64_t slot = 0; slot < plan->worker_count; slot++) {
        double load = loads[slot];
        int64_t worker = plan->workers[slot];
        if (!(load > 0))
            continue;
        if (!window || load != load_before) {
            const struct platform_window *found = source->groups
                                                      ? platform_nearest(source->platform, load)
                                                      : platform_find(source->platform, load);
            if (!found)
                return plan_source_refuse(plan, slot, load, failure);
            class = found == window ? class : NULL;
            window = found;
            load_before = load;
        }
        if (!class || !class_holds(class, worker))
            class = platform_worker(window, worker);
        source->costs[slot] =
            source->groups ? star_cost_of_group(window, class) : star_cost_of(window, class, load);
    }
    source->loads = loads;
    return true;
}

/* The package's costs: those of its slot, unless core tasks differ along the job. */
static const struct star_cost *cost_at(struct plan_source *source)
{
    const struct plan_cursor *cursor = &source->cursor;
    if (!platform_differs(source->platform))
        return &source->costs[cursor->slot];
    const struct platform_window *window = platform_find(source->platform, cursor->load);
    const int64_t worker = cursor->plan->workers[cursor->slot];
    source->mapped = source->costs[cursor->slot];
    star_cost_place(&source->mapped, source->platform, window, platform_worker(window, worker),
                    cursor->first, cursor->load);
    return &source->mapped;
}

static bool is_last(const struct plan_source *source)
{
    const struct plan_cursor *cursor = &source->cursor;
    return source->lasts && cursor->repeats == 0 && source->lasts[cursor->slot] == cursor->entry;
}

/* Describes the package for traces and for simulations from event to event. Without these the loop
 * takes a few nanoseconds a package, so that the description would be most of it. */
static void package_describe(const struct plan_source *source, struct loop_package *package)
{
    const struct plan_cursor *cursor = &source->cursor;
    package->rank = cursor->plan->workers[cursor->slot] + 1;
    package->first = cursor->first;
    package->load = cursor->load;
    package->round = cursor->round;
    package->index = cursor->index;
    package->last = is_last(source);
}

enum loop_answer plan_source_next(void *self, struct loop *loop, struct loop_package *package,
                                  struct failure *failure)
{
    struct plan_source *source = self;
    struct plan_cursor *cursor = &source->cursor;
    if (!plan_cursor_next(cursor))
        return LOOP_END;
    if (cursor->loads != source->loads && !costs_fill(source, cursor->loads, failure))
        return LOOP_FAILED;
    package->worker = cursor->slot;
    package->cost = cost_at(source);
    if (loop->trace || loop->events)
        package_describe(source, package);
    return LOOP_SEND;
}

void plan_source_release(struct plan_source *source)
{
    free(source->costs);
    free(source->lasts);
}

bool plan_source_computes(void *self, double at_s, double until_s, struct own_span *span)
{
    return own_share_next(&((struct plan_source *)self)->own, at_s, until_s, span);
}

bool plan_source_init(struct plan_source *source, const struct platform *platform,
                      const struct plan *plan)
{
    const size_t slots = (size_t)plan->worker_count;
    *source = (struct plan_source){.platform = platform,
                                   .groups = plan->child_count > 0,
                                   .cursor = PLAN_CURSOR(plan),
                                   .own = own_share_of(platform, plan)};
    source->costs = calloc(slots, sizeof *source->costs);
    if (platform->results != RESULTS_END)
        return source->costs != NULL;
    source->lasts = calloc(slots, sizeof *source->lasts);
    for (size_t r = 0; source->lasts && r < plan->round_count; r++)
        for (size_t slot = 0; slot < slots; slot++)
            if (plan->rounds[r].loads[slot] > 0)
                source->lasts[slot] = r;
    return source->costs && source->lasts;
}
