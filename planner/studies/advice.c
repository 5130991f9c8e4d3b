#include "planner/studies/advice.h"

#include <inttypes.h>
#include <math.h>

/* Launching ranks, reading plan and image, creating the output file. */
static const double STARTUP_S = 30;
static const double MARGIN_LEAST = 0.2;
static const double PIXEL_BYTES = 4;

double advice_walltime(const struct plan_prediction *predicted, const struct robustness *robustness,
                       double *margin)
{
    *margin = MARGIN_LEAST;
    if (robustness)
        *margin = fmax(*margin, robustness->p95_s / predicted->makespan_s - 1);
    return 60 * ceil((STARTUP_S + (1 + *margin) * predicted->makespan_s) / 60);
}

double advice_memory(const struct plan *plan, int buffers)
{
    double pixels = (double)plan->block * (double)plan->block * plan_largest_load(plan);
    return pixels * PIXEL_BYTES * (buffers + 1) + pixels * PIXEL_BYTES;
}

void advice_text(const struct plan *plan, int buffers, const struct robustness *robustness,
                 struct text *text)
{
    double margin;
    double seconds = advice_walltime(&plan->predicted, robustness, &margin);
    int64_t minutes = (int64_t)(seconds / 60);
    text_add(text,
             "walltime    %02" PRId64 ":%02" PRId64
             ":00, the prediction, %.0f s of start-up and a margin of "
             "%.0f %%\n",
             (minutes / 60), (minutes % 60), STARTUP_S, 100 * margin);
    if (plan->block > 0)
        text_add(text, "memory      %.1f MB of packages and results per worker\n",
                 advice_memory(plan, buffers) / 1e6);
}
