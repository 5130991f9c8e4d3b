#include "planner/schedulers/bounds/bound_lines.h"

#include <math.h>
#include <stdlib.h>

static void lines_window(struct lines *lines, struct cost cost,
                         const struct platform_window *window, double beyond)
{
    const double least = fmax((double)window->least - beyond, 0);
    /* The seconds per core task are least in the largest package or, where the latency is negative,
     * in the smallest. */
    const double size = cost.latency_s < 0 ? least : (double)window->greatest + beyond;
    const double packed = size > 0 ? fmax(cost.s_per_task + cost.latency_s / size, 0) : 0;
    lines->s_per_task = fmin(lines->s_per_task, cost.s_per_task);
    lines->s_per_task_packed = fmin(lines->s_per_task_packed, packed);
    lines->least_s = fmin(lines->least_s, fmax(cost.latency_s + cost.s_per_task * least, 0));
}

/* Called once s_per_task is known. */
static void lines_fixed(struct lines *lines, struct cost cost, const struct platform_window *window,
                        double beyond)
{
    const double least = fmax((double)window->least - beyond, 0);
    double fixed = cost.latency_s + (cost.s_per_task - lines->s_per_task) * least;
    lines->fixed_s = fmin(lines->fixed_s, fixed);
}

struct lines lines_of(const struct platform *platform, const struct cost *costs, double beyond)
{
    struct lines lines = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
    for (int64_t k = 0; k < platform->window_count; k++)
        lines_window(&lines, costs[k], &platform->windows[k], beyond);
    for (int64_t k = 0; k < platform->window_count; k++)
        lines_fixed(&lines, costs[k], &platform->windows[k], beyond);
    /* The number of packages has no upper limit here, so a package must not count less than 0. */
    if (lines.fixed_s < 0) {
        lines.fixed_s = 0;
        lines.s_per_task = lines.s_per_task_packed;
    }
    return lines;
}

double beside_least(const struct platform *platform, double beyond)
{
    double least_s = platform->write_behind ? HUGE_VAL : 0;
    for (int64_t w = 0; platform->write_behind && w < platform->window_count; w++) {
        const struct platform_window *window = &platform->windows[w];
        const double least = fmax((double)window->least - beyond, 0);
        for (int64_t k = 0; k < window->class_count; k++) {
            const struct cost beside = platform_class_beside(&window->classes[k]);
            least_s = fmin(least_s, fmax(beside.latency_s + beside.s_per_task * least, 0));
        }
    }
    return least_s;
}

int64_t workers_alike(const struct platform *platform, const int64_t *at, int64_t first)
{
    int64_t end = platform->worker_count;
    for (int64_t k = 0; k < platform->window_count; k++) {
        const struct platform_class *class = &platform->windows[k].classes[at[k]];
        if (class->first + class->count < end)
            end = class->first + class->count;
    }
    return end - first;
}

static struct cost line_cost(const struct lines *lines)
{
    const double least = 1e-15; /* formulas divide by it, so it must not be 0 */
    return (struct cost){lines->fixed_s, fmax(lines->s_per_task, least)};
}

/* Adds a class of equal workers; `costs` is scratch memory, one entry for each window. */
static void worker_add(struct bound_lines *made, const struct platform *platform, const int64_t *at,
                       struct cost *costs, double beyond)
{
    struct bound_worker *worker = &made->workers[made->count++];
    for (int64_t w = 0; w < platform->window_count; w++)
        costs[w] = platform_class_work(&platform->windows[w].classes[at[w]]);
    const struct lines work = lines_of(platform, costs, beyond);
    for (int64_t w = 0; w < platform->window_count; w++)
        costs[w] = platform->windows[w].classes[at[w]].link;
    const struct lines link = lines_of(platform, costs, beyond);
    worker->work = line_cost(&work);
    worker->link = (struct cost){link.fixed_s, link.s_per_task};
    worker->start_s = platform->windows[0].classes[at[0]].start_s;
    made->worker_least_s = fmin(made->worker_least_s, work.least_s);
    made->link_least_s = fmin(made->link_least_s, link.least_s);
}

static void workers_add(struct bound_lines *made, const struct platform *platform, int64_t *at,
                        struct cost *costs, double beyond)
{
    for (int64_t first = 0; first < platform->worker_count;) {
        const int64_t count = workers_alike(platform, at, first);
        worker_add(made, platform, at, costs, beyond);
        made->workers[made->count - 1].count = count;
        first += count;
        for (int64_t w = 0; w < platform->window_count; w++) {
            const struct platform_class *class = &platform->windows[w].classes[at[w]];
            at[w] += first == class->first + class->count;
        }
    }
    for (int64_t w = 0; w < platform->window_count; w++)
        costs[w] = cost_sum(platform->windows[w].envelope, platform->windows[w].send);
    const struct lines master = lines_of(platform, costs, beyond);
    made->master.cost = (struct cost){master.fixed_s, master.s_per_task};
    made->master.least_s = master.least_s;
}

bool bound_lines_init(struct bound_lines *lines, const struct platform *platform, bool real_valued,
                      struct failure *failure)
{
    int64_t classes = 0;
    for (int64_t w = 0; w < platform->window_count; w++)
        classes += platform->windows[w].class_count;
    *lines = (struct bound_lines){.link_least_s = HUGE_VAL, .worker_least_s = HUGE_VAL};
    lines->workers = calloc((size_t)classes + 1, sizeof *lines->workers);
    int64_t *at = calloc((size_t)platform->window_count, sizeof *at);
    struct cost *costs = calloc((size_t)platform->window_count, sizeof *costs);
    const bool good = lines->workers != NULL && at != NULL && costs != NULL;
    lines->beside_least_s = beside_least(platform, real_valued ? 1 : 0);
    if (good)
        workers_add(lines, platform, at, costs, real_valued ? 1 : 0);
    free(at);
    free(costs);
    if (good)
        return true;
    bound_lines_release(lines);
    return failure_memory(failure, "planning");
}

void bound_lines_release(struct bound_lines *lines)
{
    free(lines->workers);
    *lines = (struct bound_lines){.workers = NULL};
}
