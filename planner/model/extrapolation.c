#include "planner/model/extrapolation.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The relative uncertainty of the rate grows by this for every doubling of the size. */
static const double UNSURE_EACH = 0.05;
/* The standard deviation of the uniform distribution on [0, 1]. */
static const double UNIFORM_DEVIATION = 0.28867513459481287;

static void rate_loosen(struct fit *fit, double error_s)
{
    const double before_s = fit->stderr_s_per_task;
    fit->stderr_s_per_task = hypot(before_s, error_s);
    if (fit->stderr_s_per_task > 0)
        fit->correlation *= before_s / fit->stderr_s_per_task;
}

static void cost_loosen(struct measured_cost *cost, double doublings)
{
    if (cost->fit.n > 0)
        rate_loosen(&cost->fit, UNSURE_EACH * doublings * cost->cost.s_per_task);
}

/* Packages of one core task do not show how much of their time is latency: it may be any part. */
static void cost_divide(struct measured_cost *cost)
{
    const double single_s = cost_of(cost->cost, 1);
    struct fit *fit = &cost->fit;
    fit->stderr_latency_s = hypot(fit->stderr_latency_s, UNIFORM_DEVIATION * single_s);
    fit->stderr_s_per_task = hypot(fit->stderr_s_per_task, UNIFORM_DEVIATION * single_s);
    fit->correlation = -1;
    cost->cost = (struct cost){single_s / 2, single_s / 2};
}

static void window_loosen(struct profile_window *window, double doublings, bool single)
{
    cost_loosen(&window->envelope, doublings);
    cost_loosen(&window->send, doublings);
    for (size_t k = 0; k < window->worker_count; k++) {
        struct profile_worker *worker = &window->workers[k];
        cost_loosen(&worker->link, doublings);
        cost_loosen(&worker->receive, doublings);
        cost_loosen(&worker->output, doublings);
        if (single)
            cost_divide(&worker->compute);
        else
            cost_loosen(&worker->compute, doublings);
    }
}

/* Copies the names, too; false: out of memory, and nothing is to be released. */
static bool window_copy(const struct profile_window *from, struct profile_window *to)
{
    bool good = true;
    *to = *from;
    to->workers = calloc(from->worker_count, sizeof *to->workers);
    for (size_t k = 0; to->workers && k < from->worker_count; k++) {
        to->workers[k] = from->workers[k];
        to->workers[k].name = from->workers[k].name ? strdup(from->workers[k].name) : NULL;
        good = good && (to->workers[k].name || !from->workers[k].name);
    }
    if (to->workers && good)
        return true;
    for (size_t k = 0; to->workers && k < from->worker_count; k++)
        free(to->workers[k].name);
    free(to->workers);
    return false;
}

bool extrapolation_add(struct profile_setting *setting, int64_t most, double budget_s,
                       struct failure *failure)
{
    const int64_t above = setting->windows[setting->window_count - 1].greatest;
    if (most <= above)
        return true;
    struct profile_window *windows =
        realloc(setting->windows, (setting->window_count + 1) * sizeof *windows);
    if (!windows)
        return failure_memory(failure, "writing the profile");
    setting->windows = windows;
    struct profile_window *last = &windows[setting->window_count - 1], *added = last + 1;
    if (!window_copy(last, added))
        return failure_memory(failure, "writing the profile");
    added->least = above + 1;
    added->greatest = most;
    window_loosen(added, log2((double)most / (double)above), above == 1);
    setting->window_count++;
    setting->extrapolation = (struct extrapolation){above, budget_s};
    return true;
}

/* Rounds up to a number that is easy to read. */
static double budget_round(double seconds)
{
    const double step = seconds < 60 ? 5 : seconds < 600 ? 30 : 300;
    return ceil(seconds / step) * step;
}

void extrapolation_describe(const struct extrapolation *extrapolation, struct text *text)
{
    if (extrapolation->above == 0)
        return;
    text_add(text,
             "not timed   packages of more than %" PRId64 " core task%s: what they cost is "
             "extrapolated",
             extrapolation->above, extrapolation->above == 1 ? "" : "s");
    if (extrapolation->budget_s > 0)
        text_add(text, "; scow calibrate --budget %.0fs times them",
                 budget_round(extrapolation->budget_s));
    text_add(text, "\n");
}
