/*
 * Lower bounds where results return, and for operating models other than single-port.
 *
 * Each is the bound of a single-port platform without results on which every schedule could run at
 * least as fast.
 *  - multi-port: links take no time on the master's port, because each has a port of its own.
 *  - Where the master's processor sends, envelope, send and link are one operation, in which only
 *    it takes part: link' = e + s + l, e' = s' = 0.
 *  - Where the worker's processor receives, the link is a part of its work: r' = r + l; the port
 *    gives a second bound, with r' = r.
 *  - Where the worker's processor sends each package's results, they are a part of its work, too:
 *    w' = w + q.
 * In the other cases the last result returns after all computing; its cost is at least the least
 * one of all. On one incoming port, all results follow the earliest end of a first package:
 * q(x) >= Q + q x by lines below the costs of all windows, with Q once. The master prepares all
 * packages and collects all results.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/schedulers/bounds/bound.h"
#include "planner/schedulers/bounds/bound_lines.h"

/* What changes in the costs. */
struct reduction {
    bool link_free;   /* links take nothing */
    bool master_link; /* envelope and send are parts of the link */
    bool work_link;   /* the link is a part of the work */
    bool work_result; /* results are a part of the work */
};

static const struct cost nothing = {0, 0};

static void class_reduce(struct platform_class *class, struct cost master,
                         const struct reduction *reduction)
{
    if (reduction->work_link)
        class->receive = cost_sum(class->receive, class->link);
    if (reduction->work_result)
        class->compute = cost_sum(class->compute, class->result);
    if (reduction->master_link)
        class->link = cost_sum(class->link, master);
    if (reduction->link_free || reduction->work_link)
        class->link = nothing;
    class->result = nothing;
}

/* False: out of memory. */
static bool window_reduce(struct platform_window *window, const struct platform_window *from,
                          const struct reduction *reduction)
{
    const size_t count = (size_t)from->class_count;
    const struct cost master = cost_sum(from->envelope, from->send);
    *window = *from;
    window->classes = malloc(count * sizeof *window->classes);
    if (!window->classes)
        return false;
    memcpy(window->classes, from->classes, count * sizeof *window->classes);
    for (size_t k = 0; k < count; k++)
        class_reduce(&window->classes[k], master, reduction);
    if (reduction->master_link)
        window->envelope = window->send = nothing;
    window->collect = nothing;
    return true;
}

static bool reduced_bound(const struct platform *from, const struct reduction *reduction,
                          double tasks, bool real_valued, double *bound_s, struct failure *failure)
{
    struct platform made = {.worker_count = from->worker_count,
                            .buffers = from->buffers,
                            .write_behind = from->write_behind};
    double found_s = 0;
    made.windows = calloc((size_t)from->window_count, sizeof *made.windows);
    bool good = made.windows != NULL;
    for (int64_t k = 0; good && k < from->window_count; k++) {
        made.window_count++;
        good = window_reduce(&made.windows[k], &from->windows[k], reduction);
    }
    good = good ? bound_single_port(&made, tasks, real_valued, &found_s, failure)
                : failure_memory(failure, "bounding the makespan");
    platform_release(&made);
    *bound_s = fmax(*bound_s, found_s);
    return good;
}

/* ---- results ------------------------------------------------------------------------------- */

enum part { PART_MASTER, PART_LINK, PART_WORK, PART_RESULT, PART_COLLECT };

static struct cost part_of(const struct platform_window *window, const struct platform_class *class,
                           enum part part)
{
    switch (part) {
    case PART_MASTER:
        return cost_sum(window->envelope, window->send);
    case PART_LINK:
        return class->link;
    case PART_WORK:
        return cost_sum(class->receive, class->compute);
    case PART_RESULT:
        return class->result;
    case PART_COLLECT:
        break;
    }
    return window->collect;
}

/* Lines below the costs of an operation in all windows and classes: the least slope, then the least
 * intercept for it. */
static struct lines lines_below(const struct platform *platform, enum part part, double beyond)
{
    struct lines lines = {.fixed_s = HUGE_VAL, .least_s = HUGE_VAL, .s_per_task = HUGE_VAL};
    for (int pass = 0; pass < 2; pass++)
        for (int64_t w = 0; w < platform->window_count; w++) {
            const struct platform_window *window = &platform->windows[w];
            const double least = fmax((double)window->least - beyond, 0);
            for (int64_t k = 0; k < window->class_count; k++) {
                const struct cost cost = part_of(window, &window->classes[k], part);
                const double at_least_s = fmax(cost.latency_s + cost.s_per_task * least, 0);
                lines.least_s = fmin(lines.least_s, at_least_s);
                if (pass == 0)
                    lines.s_per_task = fmin(lines.s_per_task, cost.s_per_task);
                else
                    lines.fixed_s = fmin(lines.fixed_s, at_least_s - lines.s_per_task * least);
            }
        }
    return lines;
}

/* The least seconds for all core tasks together, in packages of at most `most`. An intercept below
 * 0 counts for one package only, because the number of packages is not known. */
static double all_least(const struct lines *lines, double tasks, double most)
{
    const double packages = fmax(ceil(tasks / most), 1);
    return fmax(packages * lines->least_s, lines->fixed_s >= 0 ? lines->s_per_task * tasks : 0);
}

static double greatest_of(const struct platform *platform)
{
    return (double)platform->windows[platform->window_count - 1].greatest + 1;
}

static void results_bound(const struct platform *platform, double tasks, bool real_valued,
                          double *bound_s)
{
    const struct operating_traits *traits = operating_traits(platform->operating);
    const double beyond = real_valued ? 1 : 0, most = greatest_of(platform);
    const struct lines master = lines_below(platform, PART_MASTER, beyond);
    const struct lines link = lines_below(platform, PART_LINK, beyond);
    const struct lines work = lines_below(platform, PART_WORK, beyond);
    const struct lines result = lines_below(platform, PART_RESULT, beyond);
    const struct lines collect = lines_below(platform, PART_COLLECT, beyond);
    const bool each = platform->results == RESULTS_PACKAGE;
    const double returned_s = each ? all_least(&result, tasks, most) : result.least_s;
    const double collected_s = each ? all_least(&collect, tasks, most) : collect.least_s;
    if (!(each && traits->worker_returns))
        *bound_s += result.least_s;
    *bound_s += collect.least_s;
    if (!traits->port_each)
        *bound_s = fmax(*bound_s, master.least_s + link.least_s + work.least_s + returned_s +
                                      collect.least_s);
    *bound_s = fmax(*bound_s, all_least(&master, tasks, most) + collected_s);
}

/* ---- whole --------------------------------------------------------------------------------- */

bool bound_makespan(const struct platform *platform, double tasks, bool real_valued,
                    double *bound_s, struct failure *failure)
{
    static const double ROUNDING = 1e-12;
    const struct operating_traits *traits = operating_traits(platform->operating);
    const bool returns = results_return(platform->results);
    const struct reduction port = {.link_free = traits->port_each,
                                   .master_link = traits->master_sends,
                                   .work_result = traits->worker_returns &&
                                                  platform->results == RESULTS_PACKAGE};
    const struct reduction worker = {.work_link = true, .work_result = port.work_result};
    if (!returns && platform->operating == OPERATING_SINGLE_PORT)
        return bound_single_port(platform, tasks, real_valued, bound_s, failure);
    *bound_s = 0;
    if (!reduced_bound(platform, &port, tasks, real_valued, bound_s, failure) ||
        (traits->worker_takes &&
         !reduced_bound(platform, &worker, tasks, real_valued, bound_s, failure)))
        return false;
    if (returns) {
        results_bound(platform, tasks, real_valued, bound_s);
        *bound_s *= 1 - ROUNDING;
    }
    return true;
}
