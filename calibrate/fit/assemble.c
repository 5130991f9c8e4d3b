#include "calibrate/fit/assemble.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/fit/classes.h"
#include "calibrate/fit/score.h"
#include "calibrate/fit/spreads.h"
#include "calibrate/fit/windows.h"

enum { MASTER_OPERATIONS = 2 };
static const enum operation master_operations[MASTER_OPERATIONS] = {OPERATION_ENVELOPE,
                                                                    OPERATION_SEND};

/* Everything fitted of one setting. */
struct assembly {
    struct costs master[MASTER_OPERATIONS];
    struct costs answer;          /* breaks of requests make no windows: no plan has them */
    struct worker_class *classes; /* owned */
    int class_count;
    struct windows windows;
};

/* ---- fits ---------------------------------------------------------------------------------- */

/* Where any operation breaks. */
static bool windows_find(struct assembly *assembly, int64_t largest, struct failure *failure)
{
    const int count = MASTER_OPERATIONS + assembly->class_count * CLASS_OPERATIONS;
    const struct costs **all = calloc((size_t)count, sizeof(const struct costs *));
    int at = 0;
    if (!all)
        return failure_memory(failure, "fitting costs");
    for (int k = 0; k < MASTER_OPERATIONS; k++)
        all[at++] = &assembly->master[k];
    for (int i = 0; i < assembly->class_count; i++)
        for (int k = 0; k < CLASS_OPERATIONS; k++)
            all[at++] = &assembly->classes[i].costs[k];
    windows_make(all, count, largest, &assembly->windows);
    free(all);
    return true;
}

static bool assembly_fit(struct assembly *assembly, const struct samples *samples, int setting,
                         int64_t largest, int workers, struct failure *failure)
{
    bool good = true;
    for (int k = 0; good && k < MASTER_OPERATIONS; k++) {
        const struct sample_choice choice = {setting, 0, 0, master_operations[k], SAMPLE_BUSY};
        good = costs_fit(samples, &choice, &assembly->master[k], failure);
    }
    const struct sample_choice answers = {setting, 0, 0, OPERATION_ANSWER, SAMPLE_ANY};
    if (!good || !costs_fit(samples, &answers, &assembly->answer, failure))
        return false;
    assembly->classes = classes_make(samples, setting, workers, &assembly->class_count, failure);
    return assembly->classes && windows_find(assembly, largest, failure);
}

/* Seconds per task: no plan can be made for workers that compute in no time at all. */
static const double COMPUTE_LEAST = 1e-9;

/* ---- the profile --------------------------------------------------------------------------- */

/* Of the window's middle; a break that moved when it was merged may let a latency below 0 outweigh
 * the rate at the window's edge: then half the rate's part is left there. */
static struct measured_cost cost_in(const struct costs *costs, const struct profile_window *window)
{
    const double least = (double)window->least, greatest = (double)window->greatest;
    struct measured_cost cost = costs_find(costs, sqrt(least * greatest))->cost;
    if (cost_of(cost.cost, least) <= 0 && cost.cost.latency_s < 0)
        cost.cost.latency_s = -cost.cost.s_per_task * least / 2;
    return cost;
}

/* Owned: "node:1", and of several "node:1 to node:4". */
static char *class_name(const struct worker_class *class, char *const *names)
{
    const char *first = names[class->least - 1], *last = names[class->greatest - 1];
    if (class->least == class->greatest)
        return strdup(first);
    const size_t size = strlen(first) + strlen(last) + sizeof " to ";
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s to %s", first, last);
    return name;
}

static bool worker_fill(const struct worker_class *class, char *const *names,
                        const struct profile_window *window, struct profile_worker *worker,
                        struct failure *failure)
{
    struct measured_cost *const costs[CLASS_OPERATIONS] = {&worker->link, &worker->receive,
                                                           &worker->compute, &worker->output};
    worker->count = class->greatest - class->least + 1;
    worker->name = class_name(class, names);
    for (int k = 0; k < CLASS_OPERATIONS; k++)
        *costs[k] = cost_in(&class->costs[k], window);
    worker->request = cost_in(&class->request, window);
    worker->compute.cost.s_per_task = fmax(worker->compute.cost.s_per_task, COMPUTE_LEAST);
    return worker->name || failure_memory(failure, "writing the profile");
}

static bool window_fill(const struct assembly *assembly, char *const *names,
                        struct profile_window *window, struct failure *failure)
{
    window->envelope = cost_in(&assembly->master[0], window);
    window->send = cost_in(&assembly->master[1], window);
    window->answer = cost_in(&assembly->answer, window);
    window->workers = calloc((size_t)assembly->class_count, sizeof *window->workers);
    if (!window->workers)
        return failure_memory(failure, "writing the profile");
    window->worker_count = (size_t)assembly->class_count;
    bool good = true;
    for (int i = 0; good && i < assembly->class_count; i++)
        good = worker_fill(&assembly->classes[i], names, window, &window->workers[i], failure);
    return good;
}

static bool windows_fill(const struct assembly *assembly, char *const *names,
                         struct profile_setting *setting, struct failure *failure)
{
    setting->windows = calloc((size_t)assembly->windows.count, sizeof *setting->windows);
    if (!setting->windows)
        return failure_memory(failure, "writing the profile");
    setting->window_count = (size_t)assembly->windows.count;
    bool good = true;
    for (int k = 0; good && k < assembly->windows.count; k++) {
        setting->windows[k].least = k > 0 ? assembly->windows.greatest[k - 1] + 1 : 1;
        setting->windows[k].greatest = assembly->windows.greatest[k];
        good = window_fill(assembly, names, &setting->windows[k], failure);
    }
    return good;
}

/* By how much packages differ, and how well the fit foretells them: of all workers together, for
 * places are the same whoever computes them. */
static bool packages_fill(const struct assembly *assembly, const struct samples *samples,
                          int setting, struct profile_setting *fitted, struct failure *failure)
{
    int64_t count = 0;
    struct sample *computing =
        classes_level(samples, setting, assembly->classes, assembly->class_count, &count);
    struct sample *again = computing ? malloc(((size_t)count + 1) * sizeof *again) : NULL;
    struct spread *spreads = calloc(SPREADS_MOST, sizeof *spreads);
    struct points points;
    bool good = again && spreads;
    if (good) {
        memcpy(again, computing, (size_t)count * sizeof *again);
        points_make(again, count, &points);
        fitted->spreads = spreads;
        fitted->spread_count =
            spreads_find(computing, count, hypot(points.drift, points.drift_own), spreads);
        good = score_make(computing, count, &fitted->score.held_out, &fitted->score.noise, failure);
    } else {
        failure_memory(failure, "fitting what packages differ by");
        free(spreads);
    }
    free(again);
    free(computing);
    return good;
}

bool assemble_setting(const struct samples *samples, int setting, int64_t largest, int workers,
                      char *const *names, struct profile_setting *fitted, struct failure *failure)
{
    struct profile_setting made = {.window_count = 0};
    struct assembly assembly = {.classes = NULL};
    const bool good = assembly_fit(&assembly, samples, setting, largest, workers, failure) &&
                      windows_fill(&assembly, names, &made, failure) &&
                      packages_fill(&assembly, samples, setting, &made, failure);
    free(assembly.classes);
    if (good)
        *fitted = made;
    else
        profile_setting_release(&made);
    return good;
}
