#include "planner/studies/advice.h"

#include <inttypes.h>
#include <math.h>

/* Launching ranks, reading plan and image, creating the output file. */
static const double STARTUP_S = 30;
static const double MARGIN_LEAST = 0.2;

double advice_walltime(const struct plan_prediction *predicted, const struct robustness *robustness,
                       double *margin)
{
    *margin = MARGIN_LEAST;
    if (robustness)
        *margin = fmax(*margin, robustness->p95_s / predicted->makespan_s - 1);
    return 60 * ceil((STARTUP_S + (1 + *margin) * predicted->makespan_s) / 60);
}

double advice_memory(const struct plan *plan, const struct memory *memory)
{
    return memory->bytes + memory->bytes_per_task * plan_largest_load(plan);
}

void advice_text(const struct plan *plan, const struct memory *memory,
                 const struct robustness *robustness, struct text *text)
{
    double margin;
    double seconds = advice_walltime(&plan->predicted, robustness, &margin);
    int64_t minutes = (int64_t)(seconds / 60);
    text_add(text,
             "walltime    %02" PRId64 ":%02" PRId64
             ":00, the prediction, %.0f s of start-up and a margin of "
             "%.0f %%\n",
             (minutes / 60), (minutes % 60), STARTUP_S, 100 * margin);
    if (advice_memory(plan, memory) > 0)
        text_add(text, "memory      %.1f MB per worker, for packages and results\n",
                 advice_memory(plan, memory) / 1e6);
}

/* Enough to tell a median, and no more packages than are played in a second or so. */
enum { SEEDS = 50, PACKAGES_PLAYED = 20000000 };
static const double DEVIATION_TOLD = 0.05;

bool advice_unequal(const struct plan *plan, const struct platform *platform,
                    const struct profile_setting *setting, struct text *text,
                    struct failure *failure)
{
    const int64_t packages = plan_packages(plan);
    const double size = plan->tasks / (double)packages;
    const struct decision decision = {plan, NULL};
    struct scenario scenario = SCENARIO_INIT;
    struct robustness robustness;
    scenario.noise = profile_setting_deviation(setting, size);
    if (scenario.noise <= DEVIATION_TOLD || plan->real_valued)
        return true;
    text_add(text, "unequal     packages of %.4g core tasks differ by %.0f %%: ", size,
             100 * scenario.noise);
    if (packages > PACKAGES_PLAYED / SEEDS) {
        text_add(text, "a fixed plan cannot know; see --noise\n");
        return true;
    }
    if (!robustness_measure(platform, &decision, &scenario, SEEDS, &robustness, failure))
        return false;
    text_add(text, "this plan will be about %+.0f %% off, 95 %% of runs within %+.0f %%\n",
             100 * (robustness.median_s / plan->predicted.makespan_s - 1),
             100 * (robustness.p95_s / plan->predicted.makespan_s - 1));
    return true;
}
