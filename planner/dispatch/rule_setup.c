#include <math.h>
#include <stdlib.h>

#include "planner/dispatch/dispatch.h"

static const double ROUNDING = 1e-12;

static double package_overhead(const struct platform_window *window)
{
    const struct platform_class *class = &window->classes[0];
    return window->envelope.latency_s + window->send.latency_s + class->link.latency_s +
           class->receive.latency_s + class->compute.latency_s +
           (class->holds == PLATFORM_HOLDS_COMPUTE ? 0 : class->output.latency_s) +
           class->request.latency_s;
}

/* The most that a worker gets if all end together: a larger package would take core tasks from
 * others. */
static int64_t share_most(const struct dispatch_setup *setup, const double *weights)
{
    const int64_t even = (setup->tasks + setup->workers - 1) / setup->workers;
    double sum = 0, fastest = 0;
    for (int64_t k = 0; k < setup->workers; k++) {
        sum += weights[k];
        fastest = fmax(fastest, weights[k]);
    }
    const double share = ceil((double)setup->tasks * fastest / sum * (1 - ROUNDING));
    return share > (double)even ? (int64_t)share : even;
}

double *dispatch_setup_platform(struct dispatch_setup *setup, const struct platform *platform)
{
    const struct platform_window *window = &platform->windows[platform->window_count - 1];
    double *weights = malloc(2 * (size_t)setup->workers * sizeof *weights);
    double *latencies_s = weights ? weights + setup->workers : NULL;
    for (int64_t k = 0; weights && k < setup->workers; k++) {
        /* Workers beyond those of the platform are like its last one. */
        const int64_t known = k < platform->worker_count ? k : platform->worker_count - 1;
        const struct platform_class *class = platform_worker(window, known);
        const double s_per_task = platform_class_work(class).s_per_task;
        weights[k] = s_per_task > 0 ? 1 / s_per_task : 1;
        latencies_s[k] = fmax(0, platform_class_whole(class).latency_s);
    }
    setup->weights = weights;
    setup->latencies_s = latencies_s;
    setup->overhead_s = fmax(0, package_overhead(window)); /* latencies may be below 0 */
    setup->least = platform->windows[0].least;
    const int64_t share = weights ? share_most(setup, weights) : setup->tasks;
    setup->most = window->greatest < share ? window->greatest : share;
    setup->least = setup->least < setup->most ? setup->least : setup->most;
    setup->work =
        platform->weighed && platform->work.tasks >= setup->tasks ? &platform->work : NULL;
    return weights;
}
