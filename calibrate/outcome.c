#include "calibrate/outcome.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "planner/model/extrapolation.h"
#include "planner/model/trace.h"

/* Errors below this share of a package's time are not worth a line. */
static const double TOLD = 0.03;
/* A smaller share of timings that were cut off as outliers is not worth a line either. */
static const double OUTLIERS_TOLD = 0.02;

enum { OPERATIONS = OPERATION_IDLE, CLASSES_TOLD = 4 };

static double error_at(const struct measured_cost *cost, double tasks)
{
    const struct fit *fit = &cost->fit;
    const double a = fit->stderr_latency_s, b = fit->stderr_s_per_task * tasks;
    return sqrt(fmax(0, a * a + b * b + 2 * fit->correlation * a * b));
}

static void unsure_describe(const struct profile_window *window,
                            const struct profile_worker *worker, struct text *text)
{
    const struct profile_costs operations = profile_costs(window, worker);
    const double tasks = (double)window->greatest;
    double package_s = 0;
    for (int k = 0; k < OPERATIONS; k++)
        package_s += cost_of(operations.items[k]->cost, tasks);
    for (int k = 0; k < OPERATIONS; k++) {
        const double error_s = error_at(operations.items[k], tasks);
        if (error_s > TOLD * package_s)
            text_add(text,
                     "unsure: %s on %s, by %.0f %% of a package's time: more --budget, or a "
                     "quieter machine, would narrow the predictions\n",
                     operation_name((enum operation)k), worker->name ? worker->name : "a worker",
                     100 * error_s / package_s);
    }
}

/* In one line, what the fit is worth. */
static void score_describe(const struct profile_setting *setting, const struct fit *compute,
                           struct text *text)
{
    const struct score *score = &setting->score;
    if (score->held_out > 0)
        text_add(text,
                 "packages that were left out of the fit are predicted with an error of %.3g %% "
                 "(root mean square), of which noise %.3g %%; passes differ by %.3g %%\n",
                 100 * score->held_out, 100 * score->noise,
                 100 * hypot(compute->drift, compute->drift_own));
    else
        text_add(text, "too few packages to score the fit with: more --budget would help\n");
}

/* Timings that were cut, of all that a class and the master had. */
static void outliers_describe(const struct profile_window *window,
                              const struct profile_worker *worker, struct text *text)
{
    const struct profile_costs operations = profile_costs(window, worker);
    for (int k = 0; k < OPERATIONS; k++) {
        const struct fit *fit = &operations.items[k]->fit;
        if (fit->outliers > OUTLIERS_TOLD * fit->n && fit->outliers > 1)
            text_add(
                text,
                "outliers: %d timings of %s on %s took more than twice as long as others of the "
                "same package and were cut: something else ran there\n",
                fit->outliers, operation_name((enum operation)k),
                worker->name ? worker->name : "a worker");
    }
}

static void weighing_describe(const struct weighing *weighing, struct text *text)
{
    if (weighing->packages == 0)
        return;
    if (weighing->constant < 1)
        text_add(text,
                 "weights explain %.0f %% of what packages of a size differ by; %.0f %% of a mean "
                 "core task is the same for all\n",
                 100 * weighing->explained, 100 * weighing->constant);
    else
        text_add(text, "weights do not tell what packages differ by: plans will ignore them\n");
}

void outcome_describe(const struct profile_setting *setting, struct text *text)
{
    const size_t measured = setting->window_count - (setting->extrapolation.above > 0);
    const struct profile_window *window = &setting->windows[measured - 1];
    score_describe(setting, &window->workers[0].compute.fit, text);
    weighing_describe(&setting->weighing, text);
    extrapolation_describe(&setting->extrapolation, text);
    for (size_t k = 0; k < window->worker_count && k < CLASSES_TOLD; k++)
        unsure_describe(window, &window->workers[k], text);
    for (size_t k = 0; k < window->worker_count && k < CLASSES_TOLD; k++)
        outliers_describe(window, &window->workers[k], text);
}

void outcome_lines(const char *lines)
{
    for (const char *line = lines, *end; (end = strchr(line, '\n')); line = end + 1)
        fprintf(stderr, "scow calibrate: %.*s\n", (int)(end - line), line);
}
