#include "planner/replan/replan_platform.h"

#include <stdlib.h>

/* A worker that is lost gets nothing from a scheduler. */
static const double lost_factor = 1e6;

struct rest_wanted {
    const struct watch_remaining *remaining;
    int64_t largest;
};

static struct cost cost_times(struct cost cost, double factor)
{
    return (struct cost){cost.latency_s * factor, cost.s_per_task * factor};
}

static bool window_measure(const struct rest_wanted *wanted, const struct platform_window *from,
                           struct platform_window *window)
{
    const int64_t workers = wanted->remaining->workers;
    const struct platform_class *final = &from->classes[from->class_count - 1];
    const int64_t last = final->first + final->count - 1;
    *window = *from;
    window->greatest = from->greatest < wanted->largest ? from->greatest : wanted->largest;
    window->class_count = workers;
    window->classes = calloc((size_t)workers, sizeof *window->classes);
    for (int64_t k = 0; window->classes && k < workers; k++) {
        const struct watch_state *state = &wanted->remaining->states[k];
        const double factor = state->lost ? lost_factor : state->factor;
        struct platform_class *class = &window->classes[k];
        *class = *platform_worker(from, k < last ? k : last);
        class->first = k;
        class->count = 1;
        class->receive = cost_times(class->receive, factor);
        class->compute = cost_times(class->compute, factor);
        class->output = cost_times(class->output, factor);
        class->start_s = 0; /* what is left of it is in when the worker is ready */
    }
    return window->classes != NULL;
}

bool replan_platform(const struct platform *platform, const struct watch_remaining *remaining,
                     int64_t largest, struct platform *measured)
{
    const struct rest_wanted wanted = {remaining, largest};
    bool good = true;
    *measured = (struct platform){.worker_count = remaining->workers,
                                  .buffers = platform->buffers,
                                  .write_behind = platform->write_behind};
    measured->windows = calloc((size_t)platform->window_count, sizeof *measured->windows);
    if (!measured->windows)
        return false;
    for (int64_t w = 0; good && w < platform->window_count; w++)
        if (platform->windows[w].least <= largest)
            good = window_measure(&wanted, &platform->windows[w],
                                  &measured->windows[measured->window_count++]);
    return good;
}
