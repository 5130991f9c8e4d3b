#include "planner/replan/watch_units.h"

#include <math.h>
#include <stdlib.h>

#include "planner/model/plan_cursor.h"

/* The units that a mean core task is worth: fine enough that rounding the border of a package moves
 * it by at most 1/128 of a core task. */
enum { UNITS_EACH = 64 };
/* Plans with more packages are watched in core tasks instead: here every package has a round of its
 * own. */
enum { PACKAGES_MOST = 20000 };
/* Buffers for packages are as large as the plan's largest package. A package of very light core
 * tasks may have up to so many times as many core tasks. */
static const int64_t LARGER_MOST = 4;

/* A package that is planned anew has borders that are off by up to half a core task: two uniform
 * errors of width 1, with a standard deviation of sqrt(1/6) core tasks. A part of a package has at
 * least so many of the heaviest core task, so that this error stays small. */
static const double PART_HEAVIEST = 10;

/* ---- the plan ------------------------------------------------------------------------------ */

static bool round_add(struct plan *plan, int64_t slot, double load)
{
    struct plan_round *round = &plan->rounds[plan->round_count];
    *round = (struct plan_round){1, calloc((size_t)plan->worker_count, sizeof *round->loads)};
    if (!round->loads)
        return false;
    round->loads[slot] = load;
    plan->round_count++;
    return true;
}

/* Takes packages as rounds of the same workers; a round ends where it does in the plan. */
static bool rounds_fill(struct watch_units *units, const struct plan *plan)
{
    struct plan *made = &units->plan;
    struct plan_cursor cursor = PLAN_CURSOR(plan);
    int64_t round = -1, before = 0;
    while (plan_cursor_next(&cursor)) {
        const double end = cursor.first - plan->first + cursor.load;
        const double until = work_before(&units->work, end) * units->each;
        const int64_t border = (int64_t)llround(until);
        if (border > before) {
            if (cursor.round == round)
                made->rounds[made->round_count - 1].loads[cursor.slot] = (double)(border - before);
            else if (!round_add(made, cursor.slot, (double)(border - before)))
                return false;
            round = cursor.round;
        }
        before = border;
    }
    units->units = before;
    made->tasks = (double)before;
    return true;
}

static bool plan_make(struct watch_units *units, const struct plan *plan)
{
    struct plan *made = &units->plan;
    made->worker_count = plan->worker_count;
    made->predicted = plan->predicted;
    made->workers = malloc((size_t)plan->worker_count * sizeof *made->workers);
    made->rounds = calloc((size_t)plan_rounds_total(plan), sizeof *made->rounds);
    for (int64_t k = 0; made->workers && k < plan->worker_count; k++)
        made->workers[k] = plan->workers[k];
    return made->workers && made->rounds && rounds_fill(units, plan);
}

/* ---- the platform -------------------------------------------------------------------------- */

static struct cost cost_each(struct cost cost, double each)
{
    return (struct cost){cost.latency_s, cost.s_per_task / each};
}

/* The means of the plan's core tasks, where the mean of the job's is 1. */
struct means {
    double work, bytes;
};

static bool window_make(const struct platform_window *from, double each, struct means mean,
                        struct platform_window *window)
{
    *window = *from;
    window->envelope = cost_each(from->envelope, each / mean.bytes);
    window->send = cost_each(from->send, each / mean.bytes);
    window->answer = cost_each(from->answer, each);
    window->collect = cost_each(from->collect, each);
    window->classes = malloc((size_t)from->class_count * sizeof *window->classes);
    for (int64_t k = 0; window->classes && k < from->class_count; k++) {
        struct platform_class *class = &window->classes[k];
        *class = from->classes[k];
        class->link = cost_each(class->link, each / mean.bytes);
        class->receive = cost_each(class->receive, each / mean.bytes);
        class->compute = cost_each(class->compute, each / mean.work);
        class->output = cost_each(class->output, each);
        class->result = cost_each(class->result, each);
    }
    return window->classes != NULL;
}

/* A package that is planned anew must be worth at least the heaviest core task: otherwise it might
 * contain none. */
static bool sizes_find(const struct platform_window *from, double each, int64_t least,
                       struct platform_window *window)
{
    const int64_t own = (int64_t)floor((double)(from->least - 1) * each) + 1;
    window->least = own > least ? own : least;
    window->greatest = (int64_t)ceil((double)from->greatest * each);
    return window->least <= window->greatest;
}

static bool platform_make(struct watch_units *units, const struct platform *platform,
                          struct means mean)
{
    struct platform *made = &units->platform;
    const int64_t least = (int64_t)ceil(work_greatest(&units->work) * units->each);
    bool good = true;
    *made = platform_unplaced(platform);
    made->window_count = 0;
    made->windows = calloc((size_t)platform->window_count, sizeof *made->windows);
    for (int64_t k = 0; made->windows && good && k < platform->window_count; k++) {
        struct platform_window *window = &made->windows[made->window_count], sizes;
        if (!sizes_find(&platform->windows[k], units->each, least, &sizes))
            continue;
        made->window_count++;
        good = window_make(&platform->windows[k], units->each, mean, window);
        window->least = sizes.least;
        window->greatest = sizes.greatest;
    }
    made->work_tasks = (double)units->units;
    return made->windows && good;
}

/* The bytes of units in each package of the plan: light core tasks send more for their worth. */
static bool bytes_make(struct watch_units *units, const struct work *bytes, const struct plan *plan)
{
    struct work *made = &units->platform.bytes;
    struct plan_cursor cursor = PLAN_CURSOR(plan);
    double sent = 0;
    made->regions = calloc((size_t)plan_packages(plan), sizeof *made->regions);
    while (made->regions && plan_cursor_next(&cursor)) {
        const double end = cursor.first - plan->first + cursor.load;
        const double until = work_before(bytes, end);
        const int64_t border = llround(work_before(&units->work, end) * units->each);
        const int64_t more = border - made->tasks;
        if (more < 1)
            continue;
        made->regions[made->region_count++] =
            (struct work_region){.tasks = more, .cost = (until - sent) / (double)more};
        made->tasks = border;
        sent = until;
    }
    return made->regions && work_settle(made);
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* The most core tasks that are together worth so much, wherever they begin. It suffices to look
 * where the first one begins a region or the last one ends one, including neighbours that weigh
 * nothing. */
static int64_t tasks_most(const struct work *work, double worth)
{
    int64_t most = 1;
    for (int64_t first = 0, end; first < work->tasks; first = end) {
        const struct work_region region = work_region_of(work, first);
        const double begun = region.until - (double)region.tasks * region.cost;
        const int64_t until = work_nearest(work, work->tasks, begun + worth, first) + 1;
        const int64_t from = work_nearest(work, work->tasks, fmax(region.until - worth, 0), 0) - 1;
        end = region.end;
        most = until - first > most ? until - first : most;
        most = end - from > most ? end - from : most;
    }
    return most < work->tasks ? most : work->tasks;
}

static bool fill(struct watch_units *units, const struct platform *platform,
                 const struct plan *plan)
{
    const struct task_range range = {0, (int64_t)plan->tasks};
    const double sent = work_before(&platform->bytes, plan->tasks);
    struct means mean = {.work = 1, .bytes = sent / plan->tasks};
    if (!work_select(&units->work, &platform->work, &range, 1, &mean.work))
        return false;
    units->each = UNITS_EACH;
    if (!plan_make(units, plan) || !platform_make(units, platform, mean))
        return false;
    if (sent > 0 && !bytes_make(units, &platform->bytes, plan))
        return false;
    const double heaviest = work_greatest(&units->work) * units->each;
    const double usual = (double)units->units / (double)plan_packages(&units->plan);
    units->part_least = PART_HEAVIEST * heaviest;
    units->deviation = heaviest / (usual * sqrt(6));
    return true;
}

bool watch_units_make(struct watch_units *units, const struct platform *platform,
                      const struct plan *plan)
{
    *units = (struct watch_units){.units = 0};
    if (!platform->weighed || !work_differs(&platform->work) || plan->own.tasks > 0 ||
        platform->work_tasks != (double)platform->work.tasks ||
        plan_packages(plan) > PACKAGES_MOST || !(work_before(&platform->work, plan->tasks) > 0))
        return true;
    if (!fill(units, platform, plan))
        return false;
    const int64_t before = (int64_t)plan_largest_load(plan);
    units->largest = tasks_most(&units->work, plan_largest_load(&units->plan) / units->each);
    units->largest = units->largest > before ? units->largest : before;
    if (units->largest > LARGER_MOST * before || units->platform.window_count == 0)
        watch_units_release(units);
    return true;
}

void watch_units_release(struct watch_units *units)
{
    work_release(&units->work);
    plan_release(&units->plan);
    platform_release(&units->platform);
    *units = (struct watch_units){.units = 0};
}
