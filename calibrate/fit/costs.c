#include "calibrate/fit/costs.h"

#include <math.h>
#include <stdlib.h>

#include "calibrate/fit/student.h"

/* Means below this are the clock's, not the operation's: seconds. */
static const double FLOOR = 2e-7;
/* Coefficients smaller than so many standard errors cannot be told from 0, unless doing without
 * them raises chi square by more than the square of it. */
static const double TOLD_DEVIATIONS = 2;

/* No machine is affine to the last digit. */
static const double LINE_TOLERANCE = 0.005;

static bool is_positive(const struct line *line, const struct segment *segment,
                        const struct points *points)
{
    const struct point *first = &points->items[segment->first];
    const bool rises = points->grows ? line->s_per_task > 0 : line->s_per_task >= 0;
    return rises && line_at(line, first->tasks) > 0;
}

/* What grows by its nature, and so little that it was not seen to: as much as it may, by one
 * standard error of the rate, about the points' centre of gravity. */
static struct line line_grow(const struct line *affine)
{
    const double centre = -affine->covariance / affine->rate_variance;
    struct line line = *affine;
    line.s_per_task = sqrt(affine->rate_variance);
    line.latency_s += (affine->s_per_task - line.s_per_task) * centre;
    return line;
}

/* One coefficient, where two say no more or cannot be. */
static struct line line_settle(const struct segment *segment, const struct points *points)
{
    const struct point *items = points->items + segment->first;
    const struct line *affine = &segment->line;
    const bool possible = is_positive(affine, segment, points);
    const bool told = fabs(affine->latency_s) > TOLD_DEVIATIONS * sqrt(affine->latency_variance) &&
                      affine->s_per_task > TOLD_DEVIATIONS * sqrt(affine->rate_variance);
    if (possible && told)
        return *affine;
    const struct line a = line_proportional(items, segment->count);
    const struct line b = line_constant(items, segment->count);
    const struct line *single = points->grows || a.chi2 <= b.chi2 ? &a : &b;
    const bool enough = single->chi2 <= affine->chi2 + TOLD_DEVIATIONS * TOLD_DEVIATIONS;
    if (points->grows && !enough && b.chi2 < a.chi2 && affine->s_per_task <= 0)
        return line_grow(affine);
    return possible && !enough ? *affine : *single;
}

static double determination(const struct line *line, const struct point *points, int count)
{
    const double total = line_constant(points, count).chi2;
    double left = 0;
    for (int i = 0; i < count; i++) {
        const double off = (points[i].mean_s - line_at(line, points[i].tasks)) / points[i].error_s;
        left += off * off;
    }
    return total > 0 ? fmax(0, 1 - left / total) : 1;
}

/* The errors are those of both coefficients, also where one is 0; larger ones where points lie
 * farther from the line than their own errors say. */
static struct fit fit_of(const struct line *line, const struct segment *segment,
                         const struct points *points)
{
    const struct point *items = points->items + segment->first;
    const struct line *affine = &segment->line;
    const int freedom = segment->count - 2;
    const double excess = freedom > 0 ? fmax(1, affine->chi2 / freedom) : 1;
    const double widening = student_widening(points->drift_freedom);
    const double both = sqrt(affine->latency_variance * affine->rate_variance);
    int64_t timings = 0;
    for (int i = 0; i < segment->count; i++)
        timings += items[i].timings;
    return (struct fit){
        .stderr_latency_s = sqrt(affine->latency_variance * excess),
        .stderr_s_per_task = sqrt(affine->rate_variance * excess),
        .correlation = both > 0 ? fmax(-1, fmin(1, affine->covariance / both)) : 0,
        .deviation = points->noise.deviation,
        .jitter_s = points->noise.jitter_s,
        .drift = points->drift * widening,
        .drift_own = points->drift_own * widening,
        .r2 = determination(line, items, segment->count),
        .n = (int)timings,
        .outliers = (int)points->outliers,
    };
}

static struct piece piece_of(const struct segment *segment, const struct points *points)
{
    const struct line line = line_settle(segment, points);
    return (struct piece){
        .least = points->items[segment->first].tasks,
        .greatest = points->items[segment->first + segment->count - 1].tasks,
        .cost = {{line.latency_s, line.s_per_task}, fit_of(&line, segment, points)},
        .gain = segment->gain,
    };
}

static bool is_visible(const struct points *points)
{
    for (int i = 0; i < points->count; i++)
        if (points->items[i].mean_s > FLOOR)
            return true;
    return false;
}

bool costs_from_points(const struct points *points, struct costs *costs, struct failure *failure)
{
    struct segment segments[SEGMENTS_MOST];
    const struct points loose = points_loosen(points, LINE_TOLERANCE);
    *costs = (struct costs){.points = *points, .count = 1};
    if (!is_visible(points)) {
        costs->pieces[0].greatest = points->count > 0 ? points->items[points->count - 1].tasks : 0;
        costs->pieces[0].cost.fit.n = (int)points->timings;
        return true;
    }
    if (!segments_find(&loose, segments, &costs->count))
        return failure_memory(failure, "fitting costs");
    for (int k = 0; k < costs->count; k++)
        costs->pieces[k] = piece_of(&segments[k], &loose);
    return true;
}

bool costs_fit(const struct samples *samples, const struct sample_choice *choice,
               struct costs *costs, struct failure *failure)
{
    int64_t count = 0;
    struct points points;
    struct sample *chosen = samples_choose(samples, choice, &count);
    if (!chosen)
        return failure_memory(failure, "fitting costs");
    points_make(chosen, count, &points);
    free(chosen);
    return costs_from_points(&points, costs, failure);
}

const struct piece *costs_find(const struct costs *costs, double tasks)
{
    int at = 0;
    while (at + 1 < costs->count &&
           tasks * tasks > costs->pieces[at].greatest * costs->pieces[at + 1].least)
        at++;
    return &costs->pieces[at];
}
