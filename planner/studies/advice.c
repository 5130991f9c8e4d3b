#include "planner/studies/advice.h"

#include <inttypes.h>
#include <math.h>

#include "planner/model/platform.h"
#include "planner/studies/feeding.h"
#include "planner/studies/planning.h"

/* For a profile that does not say how sure it is. */
static const double MARGIN = 0.2;

double advice_walltime(const struct advice *advice, double *most_s)
{
    *most_s = advice->interval ? interval_quantile(advice->interval, 1 - advice->risk)
                               : (1 + MARGIN) * advice->plan->predicted.makespan_s;
    if (advice->robustness)
        *most_s = fmax(*most_s, advice->robustness->p95_s);
    *most_s *= fmax(advice->pace, 1);
    return 60 * ceil((ADVICE_STARTUP_S + *most_s) / 60);
}

double advice_memory(const struct plan *plan, const struct memory *memory)
{
    const double bytes = memory->bytes + memory->bytes_per_task * plan_largest_load(plan);
    const double more = (plan_buffers(plan) + 1) / (PLATFORM_BUFFERS + 1.0);
    return bytes * fmax(1, more);
}

void advice_text(const struct advice *advice, struct text *text)
{
    const double memory = advice_memory(advice->plan, &advice->setting->memory);
    double most_s;
    const int64_t minutes = (int64_t)(advice_walltime(advice, &most_s) / 60);
    text_add(text, "walltime    %02" PRId64 ":%02" PRId64 ":00, ", minutes / 60, minutes % 60);
    if (advice->interval) {
        text_add(text, "exceeded by %.3g %% of runs: ", 100 * advice->risk);
        text_add_seconds(text, most_s);
        text_add(text, " and %.0f s of start-up\n", ADVICE_STARTUP_S);
    } else {
        text_add(text,
                 "the prediction, %.0f s of start-up and a margin of %.0f %%: the profile does not "
                 "say how sure it is\n",
                 ADVICE_STARTUP_S, 100 * (most_s / advice->plan->predicted.makespan_s - 1));
    }
    if (advice->pace > 1)
        text_add(text,
                 "pace        %.3g times as long as predicted so far, which is reckoned with\n",
                 advice->pace);
    if (memory > 0)
        text_add(text, "memory      %.1f MB per worker, for packages and results\n", memory / 1e6);
}

bool advice_unequal(const struct advice *advice, struct text *text, struct failure *failure)
{
    const struct plan *plan = advice->plan;
    const struct profile_setting *setting = advice->setting;
    const double size = plan->tasks / (double)plan_packages(plan);
    const double deviation = profile_setting_deviation(setting, size);
    const struct interval_request request = {.profile = advice->profile,
                                             .setting = setting,
                                             .plan = plan,
                                             .packages_only = true,
                                             .workers = advice->workers};
    struct interval interval;
    if (deviation <= PLANNING_UNEQUAL)
        return true;
    if (!interval_draw(&request, &interval, failure))
        return false;
    text_add(text, "unequal     ");
    if (setting->spreads[0].tasks == 1)
        text_add(text, "tasks differ by %.0f %%, ", 100 * setting->spreads[0].deviation);
    text_add(text, "packages of %.4g by %.0f %%: a %s will be about %.2g %% off; see --noise\n",
             size, 100 * deviation,
             plan->tail && !interval.without_tail ? "plan with this tail" : "fixed plan",
             100 * interval_typical(&interval, plan->predicted.makespan_s));
    interval_release(&interval);
    return true;
}

bool advice_feeding(const struct advice *advice, int64_t worker_most, bool input, struct text *text,
                    struct failure *failure)
{
    const struct parameter *staged = parameter_list_find(&advice->plan->parameters, "staged");
    int64_t fed = 0, there = 0;
    if (!feeding_find(advice->setting, worker_most, plan_largest_load(advice->plan), &fed, &there,
                      failure))
        return false;
    if (fed >= there)
        return true;
    text_add(text,
             "feeding     one master keeps %" PRId64 " of %" PRId64
             " workers busy with packages of %.0f",
             fed, there, plan_largest_load(advice->plan));
    if (input && !staged)
        text_add(text, ": where all see the input, calibrate --staged-too may do better");
    text_add(text, "\n");
    return true;
}
