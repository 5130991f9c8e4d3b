/*
 * The proof of bound.c knows how long the core tasks of a package take by their number. Where they
 * differ, a slow worker may get many light ones and a fast one few heavy ones, and only two things
 * are certain of a schedule that ends at T:
 *
 *  - All computing, X mean core tasks' worth, is done. A package of x core tasks that are worth v
 *    takes at least q v (q as in bound.c, of computing alone, and Q >= 0), so worker i, which
 * begins not before its start s_i, works off no more than (T - s_i) / q_i: X <= sum max(0, T - s_i)
 * / q_i. That is the sum of all costs, shared perfectly.
 *  - All core tasks pass master, port and workers, and are written, however light they are: the
 *    bound of equal core tasks whose computing costs only its latencies.
 *  - Where whole core tasks are known one by one, the heaviest of them is somewhere: it takes q
 *    times its weight after its worker's start and the first arrival of any package.
 *
 * Where what is sent of core tasks differs, too, little is certain of a single package: all of them
 * pass as if transfers only cost their latencies, and the master and, in the model single-port, its
 * port have all of what is sent to work off, X mean core tasks' worth, by the least q of any link.
 */
#include "planner/schedulers/bounds/bound_unequal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/schedulers/bounds/bound.h"
#include "planner/schedulers/bounds/bound_lines.h"

/* Equal workers. */
struct computer {
    int64_t count;
    double start_s, s_per_task;
};

struct computers {
    struct computer *items; /* owned */
    int64_t count;
};

/* Goes through all windows' classes side by side. `at` and `costs` have one entry for each
 * window. */
static void computers_fill(struct computers *computers, const struct platform *platform,
                           double beyond, int64_t *at, struct cost *costs)
{
    for (int64_t first = 0; first < platform->worker_count;) {
        const int64_t count = workers_alike(platform, at, first);
        for (int64_t k = 0; k < platform->window_count; k++)
            costs[k] = platform->windows[k].classes[at[k]].compute;
        computers->items[computers->count++] =
            (struct computer){count, platform->windows[0].classes[at[0]].start_s,
                              fmax(0, lines_of(platform, costs, beyond).s_per_task)};
        first += count;
        for (int64_t k = 0; k < platform->window_count; k++) {
            const struct platform_class *class = &platform->windows[k].classes[at[k]];
            at[k] += first == class->first + class->count;
        }
    }
}

/* Can the workers have computed so many mean core tasks by then? */
static bool computers_suffice(const struct computers *computers, double tasks, double until_s)
{
    double done = 0;
    for (int64_t k = 0; k < computers->count; k++) {
        const struct computer *computer = &computers->items[k];
        const double busy_s = fmax(0, until_s - computer->start_s);
        if (busy_s > 0 && !(computer->s_per_task > 0))
            return true;
        if (busy_s > 0)
            done += (double)computer->count * busy_s / computer->s_per_task;
    }
    return done >= tasks;
}

/* The least such time, rounded down. */
static double computers_time(const struct computers *computers, double tasks)
{
    double low_s = 0, high_s = 1e-12;
    while (!computers_suffice(computers, tasks, high_s)) {
        low_s = high_s;
        high_s *= 2;
    }
    for (int step = 0; step < 60; step++) {
        const double middle_s = low_s + (high_s - low_s) / 2;
        *(computers_suffice(computers, tasks, middle_s) ? &high_s : &low_s) = middle_s;
    }
    return low_s;
}

/* The bound by the worker that would first end the heaviest core task. */
static bool heaviest_bound(const struct platform *platform, const struct computers *computers,
                           double *bound_s, struct failure *failure)
{
    const double heaviest = work_greatest(&platform->work);
    struct bound_lines lines;
    *bound_s = HUGE_VAL;
    if (!bound_lines_init(&lines, platform, false, failure))
        return false;
    const double arrived_s = work_differs(&platform->bytes)
                                 ? 0 /* with the least bytes of any core task */
                                 : lines.master.least_s + lines.link_least_s;
    for (int64_t k = 0; k < computers->count; k++)
        *bound_s = fmin(*bound_s, fmax(computers->items[k].start_s, arrived_s) +
                                      computers->items[k].s_per_task * heaviest);
    bound_lines_release(&lines);
    return true;
}

/* Are weights known for each core task of this job? */
static bool tasks_known(const struct platform *platform, double tasks, bool real_valued)
{
    return work_differs(&platform->work) && !real_valued && (double)platform->work.tasks == tasks;
}

static bool computing_bound(const struct platform *platform, double tasks, bool real_valued,
                            double *bound_s, struct failure *failure)
{
    const double beyond = real_valued ? 1 : 0;
    const size_t windows = (size_t)platform->window_count;
    int64_t classes = 1; /* one more than needed */
    for (int64_t k = 0; k < platform->window_count; k++)
        classes += platform->windows[k].class_count;
    struct computers computers = {calloc((size_t)classes, sizeof *computers.items), 0};
    int64_t *at = calloc(windows, sizeof *at);
    struct cost *costs = calloc(windows, sizeof *costs);
    double heaviest_s = 0;
    bool good = computers.items && at && costs;
    if (good) {
        computers_fill(&computers, platform, beyond, at, costs);
        good = !tasks_known(platform, tasks, real_valued) ||
               heaviest_bound(platform, &computers, &heaviest_s, failure);
        *bound_s = good ? fmax(computers_time(&computers, tasks), heaviest_s) : 0;
    }
    free(computers.items);
    free(at);
    free(costs);
    return good || failure_memory(failure, "bounding the makespan");
}

static struct cost latency_of(struct cost cost)
{
    return (struct cost){fmax(0, cost.latency_s), 0};
}

/* A copy of a window in which computing costs only its latency and, if transfers differ, so do
 * these. */
static bool window_lighten(const struct platform_window *from, bool differ,
                           struct platform_window *window)
{
    const size_t count = (size_t)from->class_count;
    *window = *from;
    window->classes = malloc(count * sizeof *window->classes);
    if (!window->classes)
        return false;
    memcpy(window->classes, from->classes, count * sizeof *window->classes);
    for (size_t k = 0; k < count; k++)
        window->classes[k].compute = latency_of(window->classes[k].compute);
    if (!differ)
        return true;
    window->envelope = latency_of(window->envelope);
    window->send = latency_of(window->send);
    for (size_t k = 0; k < count; k++) {
        window->classes[k].link = latency_of(window->classes[k].link);
        window->classes[k].receive = latency_of(window->classes[k].receive);
    }
    return true;
}

static bool passing_bound(const struct platform *platform, double tasks, bool real_valued,
                          double *bound_s, struct failure *failure)
{
    struct platform light = {.worker_count = platform->worker_count,
                             .buffers = platform->buffers,
                             .write_behind = platform->write_behind,
                             .results = platform->results,
                             .operating = platform->operating};
    light.windows = calloc((size_t)platform->window_count, sizeof *light.windows);
    bool good = light.windows != NULL;
    for (int64_t k = 0; good && k < platform->window_count; k++) {
        light.window_count++;
        good = window_lighten(&platform->windows[k], work_differs(&platform->bytes),
                              &light.windows[k]);
    }
    good = good ? bound_makespan(&light, tasks, real_valued, bound_s, failure)
                : failure_memory(failure, "bounding the makespan");
    platform_release(&light);
    return good;
}

/* The bound by all bytes that are sent, where these differ; 0 otherwise, where the other bound
 * knows more. */
static bool sending_bound(const struct platform *platform, double tasks, double *bound_s,
                          struct failure *failure)
{
    const bool single = platform->operating == OPERATING_SINGLE_PORT;
    double link = single ? HUGE_VAL : 0;
    struct bound_lines lines;
    *bound_s = 0;
    if (!work_differs(&platform->bytes))
        return true;
    if (!bound_lines_init(&lines, platform, false, failure))
        return false;
    for (int64_t k = 0; single && k < lines.count; k++)
        link = fmin(link, lines.workers[k].link.s_per_task);
    *bound_s = tasks * fmax(0, fmax(lines.master.cost.s_per_task, link));
    bound_lines_release(&lines);
    return true;
}

bool bound_unequal(const struct platform *platform, double tasks, bool real_valued, double *bound_s,
                   struct failure *failure)
{
    double computing_s = 0, passing_s = 0, sending_s = 0;
    if (!computing_bound(platform, tasks, real_valued, &computing_s, failure) ||
        !passing_bound(platform, tasks, real_valued, &passing_s, failure) ||
        !sending_bound(platform, tasks, &sending_s, failure))
        return false;
    *bound_s = fmax(fmax(computing_s, passing_s), sending_s);
    return true;
}
