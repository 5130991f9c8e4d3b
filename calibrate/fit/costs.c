#include "calibrate/fit/costs.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

#include "calibrate/fit/student.h"

/* ---- line ---------------------------------------------------------------------------------- */

static double chi2_of(const struct point *points, int count, const struct line *line)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        const double off = (points[i].mean_s - line_at(line, points[i].tasks)) / points[i].error_s;
        sum += off * off;
    }
    return sum;
}

struct line line_proportional(const struct point *points, int count)
{
    double xx = 0, xy = 0;
    for (int i = 0; i < count; i++) {
        const double w = 1 / (points[i].error_s * points[i].error_s);
        xx += w * points[i].tasks * points[i].tasks;
        xy += w * points[i].tasks * points[i].mean_s;
    }
    struct line line = {.s_per_task = xy / xx, .rate_variance = 1 / xx};
    line.chi2 = chi2_of(points, count, &line);
    return line;
}

struct line line_constant(const struct point *points, int count)
{
    double sum = 0, weights = 0;
    for (int i = 0; i < count; i++) {
        const double w = 1 / (points[i].error_s * points[i].error_s);
        weights += w;
        sum += w * points[i].mean_s;
    }
    struct line line = {.latency_s = sum / weights, .latency_variance = 1 / weights};
    line.chi2 = chi2_of(points, count, &line);
    return line;
}

/* Rows 1/error, tasks/error; their QR factor R gives (R^T R)^-1, the coefficients' covariance. */
static void covariance_of(const double *rows, int count, struct line *line)
{
    const double r11 = rows[0], r12 = rows[count], r22 = rows[count + 1];
    const double i11 = 1 / r11, i22 = 1 / r22, i12 = -r12 / (r11 * r22);
    line->latency_variance = i11 * i11 + i12 * i12;
    line->rate_variance = i22 * i22;
    line->covariance = i12 * i22;
}

bool line_fit(const struct point *points, int count, struct line *line)
{
    double rows[2 * POINTS_MOST], targets[POINTS_MOST];
    if (count < 2) {
        *line = line_proportional(points, count);
        return true;
    }
    for (int i = 0; i < count; i++) {
        rows[i] = 1 / points[i].error_s;
        rows[count + i] = points[i].tasks / points[i].error_s;
        targets[i] = points[i].mean_s / points[i].error_s;
    }
    if (LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', count, 2, 1, rows, count, targets, count) != 0)
        return false;
    *line = (struct line){.latency_s = targets[0], .s_per_task = targets[1]};
    covariance_of(rows, count, line);
    line->chi2 = chi2_of(points, count, line);
    return true;
}

/* ---- segments ------------------------------------------------------------------------------ */

enum { SEGMENT_LEAST = 3 };
static const double WIDTH_LEAST = 2;
/* No machine is affine to the last digit: what a line misses by this share of a cost is no break;
 * nor is it where the machine itself drifts by as much. */
static const double BREAK_TOLERANCE = 0.03;

/* Best segmentations of the first so many points. */
struct best {
    double score;
    int last;   /* first point of the last segment */
    int pieces; /* so far */
};

static bool may_stand(const struct points *points, int first, int end)
{
    const struct point *items = points->items;
    const bool whole = first == 0 && end == points->count;
    return whole || (end - first >= SEGMENT_LEAST &&
                     items[end - 1].tasks >= WIDTH_LEAST * items[first].tasks);
}

static double break_penalty(const struct points *points)
{
    return 3 * log(fmax(2, (double)points->timings));
}

/* The best way to end a segment before point `end`. */
static bool best_extend(const struct points *points, int end, struct best *best)
{
    best[end] = (struct best){HUGE_VAL, 0, 0};
    for (int first = 0; first < end; first++) {
        struct line line;
        if (!may_stand(points, first, end) || best[first].pieces == SEGMENTS_MOST ||
            !isfinite(best[first].score))
            continue;
        if (!line_fit(points->items + first, end - first, &line))
            return false;
        const double score =
            best[first].score + line.chi2 + (first > 0 ? break_penalty(points) : 0);
        if (score < best[end].score)
            best[end] = (struct best){score, first, best[first].pieces + 1};
    }
    return true;
}

/* How much worse one line for two neighbours would be. */
static bool gain_find(const struct points *points, const struct segment *before,
                      struct segment *segment)
{
    struct line joined;
    if (!line_fit(points->items + before->first, before->count + segment->count, &joined))
        return false;
    segment->gain = joined.chi2 - before->line.chi2 - segment->line.chi2;
    return true;
}

/* At least three points and a factor of two in size to a piece, where there is more than one.
 * False: out of memory. */
static bool segments_find(const struct points *points, struct segment segments[SEGMENTS_MOST],
                          int *count)
{
    struct best best[POINTS_MOST + 1] = {{0, 0, 0}};
    const struct points rough =
        points_loosen(points, hypot(BREAK_TOLERANCE, hypot(points->drift, points->drift_own) / 2));
    for (int end = 1; end <= rough.count; end++)
        if (!best_extend(&rough, end, best))
            return false;
    *count = best[rough.count].pieces;
    for (int end = rough.count, k = *count - 1; k >= 0; end = best[end].last, k--) {
        segments[k] = (struct segment){.first = best[end].last, .count = end - best[end].last};
        if (!line_fit(points->items + segments[k].first, segments[k].count, &segments[k].line))
            return false;
    }
    for (int k = 1; k < *count; k++)
        if (!gain_find(points, &segments[k - 1], &segments[k]))
            return false;
    return true;
}

/* ---- costs --------------------------------------------------------------------------------- */

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
