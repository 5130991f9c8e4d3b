#include "calibrate/fit/score.h"

#include <math.h>
#include <stdlib.h>

#include "calibrate/fit/costs.h"

enum { HELD_OUT = 10, PACKAGES_LEAST = 20 };

/* Packages held out go behind the others, which keep their order. Returns how many timings stay;
 * the held out ones are in `held`. */
static int64_t samples_divide(struct sample *samples, int64_t count, struct sample *held,
                              int64_t *held_count)
{
    int64_t package = -1, kept = 0;
    struct sample last = {.tasks = -1};
    *held_count = 0;
    for (int64_t i = 0; i < count; i++) {
        if (!sample_same_package(&last, &samples[i]))
            package++;
        last = samples[i];
        if (package % HELD_OUT == HELD_OUT / 2)
            held[(*held_count)++] = last;
        else
            samples[kept++] = last;
    }
    return package + 1 < PACKAGES_LEAST ? 0 : kept;
}

static double held_out_error(const struct costs *costs, const struct sample *held, int64_t count)
{
    double squares = 0, seen = 0;
    for (int64_t i = 0; i < count; i++) {
        const double tasks = (double)held[i].tasks;
        const double expected = cost_of(costs_find(costs, tasks)->cost.cost, tasks);
        if (expected <= 0)
            continue;
        const double off = held[i].seconds - expected;
        squares += off * off;
        seen += expected * expected;
    }
    return seen > 0 ? sqrt(squares / seen) : 0;
}

bool score_make(struct sample *samples, int64_t count, double *held_out, double *noise,
                struct failure *failure)
{
    int64_t held_count = 0;
    struct points points;
    struct costs costs;
    *held_out = *noise = 0;
    struct sample *held = malloc(((size_t)count + 1) * sizeof *held);
    if (!held)
        return failure_memory(failure, "scoring the fit");
    const int64_t kept = samples_divide(samples, count, held, &held_count);
    bool good = true;
    if (kept > 0) {
        points_make(samples, kept, &points);
        good = costs_from_points(&points, &costs, failure);
        *noise = points.noise.together;
        *held_out = good ? held_out_error(&costs, held, held_count) : 0;
    }
    free(held);
    return good;
}
