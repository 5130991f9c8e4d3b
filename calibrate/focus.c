#include "calibrate/focus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "calibrate/fit/assemble.h"
#include "planner/model/plan.h"
#include "planner/model/platform.h"
#include "planner/schedulers/scheduler.h"

enum { FOCUS_LOADS = 4, FOCUS_BREAKS = 3 };
/* With more workers than this, one scheduler has to do. */
enum { WORKERS_ALL_SCHEDULERS = 32 };

/* How many core tasks travel in packages of one size. */
struct load {
    int64_t tasks;
    double total;
};

struct loads {
    struct load items[FOCUS_LOADS]; /* the heaviest, heaviest first */
    int count;
};

static void loads_add(struct loads *loads, int64_t tasks, double total)
{
    int at = 0;
    for (int i = 0; i < loads->count; i++)
        if (loads->items[i].tasks == tasks) {
            total += loads->items[i].total;
            for (loads->count--; i < loads->count; i++)
                loads->items[i] = loads->items[i + 1];
        }
    while (at < loads->count && loads->items[at].total >= total)
        at++;
    if (at == FOCUS_LOADS)
        return;
    if (loads->count < FOCUS_LOADS)
        loads->count++;
    for (int i = loads->count - 1; i > at; i--)
        loads->items[i] = loads->items[i - 1];
    loads->items[at] = (struct load){tasks, total};
}

static struct loads loads_of(const struct plan *plan)
{
    struct loads loads = {.count = 0};
    for (size_t r = 0; r < plan->round_count; r++)
        for (int64_t i = 0; i < plan->worker_count; i++) {
            const double load = plan->rounds[r].loads[i];
            if (load > 0)
                loads_add(&loads, (int64_t)load, load * (double)plan->rounds[r].repeat);
        }
    return loads;
}

/* To be released. False: there is none, for whatever reason, and probes do without. */
static bool plan_find(const struct profile_setting *setting, double tasks, int workers,
                      struct plan *plan)
{
    struct failure reason = FAILURE_INIT;
    struct platform platform;
    if (!platform_init(&platform, setting, 0, &reason))
        return false;
    const struct schedule_request request = {.platform = &platform, .tasks = tasks};
    *plan = (struct plan){0};
    const bool planned =
        workers > WORKERS_ALL_SCHEDULERS
            ? scheduler_make(scheduler_find(SCHEDULER_QUICK), &request, plan, &reason)
            : schedule_auto(&request, plan, NULL, &reason);
    platform_release(&platform);
    return planned;
}

double focus_makespan(const struct profile_setting *setting, int64_t tasks, int workers)
{
    struct plan plan;
    if (!plan_find(setting, (double)tasks, workers, &plan))
        return HUGE_VAL;
    const double makespan_s = plan.predicted.makespan_s;
    plan_release(&plan);
    return makespan_s;
}

double focus_load(const struct profile_setting *setting, int64_t tasks, int workers)
{
    struct plan plan;
    double loads = 0, squares = 0;
    if (!plan_find(setting, (double)tasks, workers, &plan))
        return 0;
    for (size_t r = 0; r < plan.round_count; r++)
        for (int64_t i = 0; i < plan.worker_count; i++) {
            const double load = plan.rounds[r].loads[i], times = (double)plan.rounds[r].repeat;
            loads += times * load;
            squares += times * load * load;
        }
    plan_release(&plan);
    return loads > 0 ? squares / loads : 0;
}

static void focus_add(struct focus *focus, int64_t tasks)
{
    if (focus->count < FOCUS_MOST)
        focus->tasks[focus->count++] = tasks;
}

/* As a plan would have it. To be released also on failure. */
static bool setting_fit(const struct samples *samples, const struct focus_job *job,
                        struct profile_setting *fitted, struct failure *failure)
{
    char blank[] = "";
    char **names = calloc((size_t)job->workers + 1, sizeof *names);
    for (int i = 0; names && i < job->workers; i++)
        names[i] = blank;
    *fitted = (struct profile_setting){.window_count = 0};
    const bool good = names ? assemble_setting(samples, job->setting, job->largest, job->workers,
                                               names, fitted, failure)
                            : failure_memory(failure, "choosing what to probe");
    free(names);
    return good && (!job->write_behind ||
                    parameter_list_add(&fitted->parameters, PLATFORM_WRITE_BEHIND, "yes", 0) ||
                    failure_memory(failure, "choosing what to probe"));
}

bool focus_find(const struct samples *samples, const struct focus_job *job, struct focus *focus,
                struct failure *failure)
{
    struct profile_setting fitted;
    struct plan plan;
    *focus = (struct focus){.count = 0};
    const bool good = setting_fit(samples, job, &fitted, failure);
    if (good && plan_find(&fitted, job->tasks, job->workers, &plan)) {
        const struct loads loads = loads_of(&plan);
        for (int k = 0; k < loads.count; k++)
            focus_add(focus, loads.items[k].tasks);
        plan_release(&plan);
    }
    for (size_t k = 0; good && k + 1 < fitted.window_count && k < FOCUS_BREAKS; k++)
        focus_add(focus, fitted.windows[k].greatest);
    profile_setting_release(&fitted);
    return good;
}
