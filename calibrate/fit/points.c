#include "calibrate/fit/points.h"

#include <math.h>
#include <stdlib.h>

/* What the clock can tell, seconds. */
static const double CLOCK = 5e-8;
/* A timing may be this many standard deviations of a difference above its twin, and always twice
 * it: whatever else disturbs a run is part of its mean. */
static const double BOUND_DEVIATIONS = 6, BOUND_LEAST = 2;
/* A size's own deviation counts as so many degrees of freedom beside the smooth one. */
static const double SMOOTH_FREEDOM = 12;

/* ---- groups: the timings of one package ------------------------------------------------------ */

static double group_least(const struct sample *group, int64_t length)
{
    double least = group[0].seconds;
    for (int64_t i = 1; i < length; i++)
        least = fmin(least, group[i].seconds);
    return least;
}

/* ---- outliers ------------------------------------------------------------------------------ */

static int ascending(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* Of the logarithm of one timing's ratio to another of the same package, robustly: the median of
 * absolute differences is 0.954 standard deviations. `room` for count numbers. */
static double ratio_deviation(const struct sample *samples, int64_t count, double *room)
{
    int64_t pairs = 0;
    for (int64_t at = 0, length; at < count; at += length) {
        length = sample_package_length(samples + at, count - at);
        for (int64_t i = 1; i < length; i++)
            room[pairs++] = fabs(
                log((samples[at + i].seconds + CLOCK) / (samples[at + i - 1].seconds + CLOCK)));
    }
    if (pairs == 0)
        return 0;
    qsort(room, (size_t)pairs, sizeof *room, ascending);
    return (room[(pairs - 1) / 2] + room[pairs / 2]) / 2 / 0.954;
}

static void outliers_cut(struct sample *samples, int64_t count, struct points *points)
{
    double *room = malloc(((size_t)count + 1) * sizeof *room);
    double sum_s = 0, cut_s = 0;
    points->bound = HUGE_VAL;
    points->kept = 1;
    if (!room) /* a bound is a comfort */
        return;
    points->bound =
        fmax(BOUND_LEAST, exp(BOUND_DEVIATIONS * sqrt(2) * ratio_deviation(samples, count, room)));
    free(room);
    for (int64_t at = 0, length; at < count; at += length) {
        length = sample_package_length(samples + at, count - at);
        const double most = points->bound * (group_least(samples + at, length) + CLOCK);
        for (int64_t i = at; i < at + length; i++) {
            sum_s += samples[i].seconds;
            if (samples[i].seconds > most) {
                cut_s += samples[i].seconds - most;
                samples[i].seconds = most;
                points->outliers++;
            }
        }
    }
    if (cut_s > 0)
        points->kept = 1 - cut_s / sum_s;
}

/* ---- one size ------------------------------------------------------------------------------ */

/* Sums over the places of one size. */
struct places {
    double sum_s, squares_s2; /* of the places' means, and of their squares about the first one */
    double first_s;
    int64_t count, timings;
};

static void places_add(struct places *places, const struct sample *group, int64_t length)
{
    const double mean = sample_package_mean(group, length);
    if (places->count == 0)
        places->first_s = mean;
    places->sum_s += mean - places->first_s;
    places->squares_s2 += (mean - places->first_s) * (mean - places->first_s);
    places->timings += length;
    places->count++;
}

/* Between the means of places, noise included; 0 with one place. */
static double places_variance(const struct places *places)
{
    const double n = (double)places->count, mean = places->sum_s / n;
    return places->count > 1 ? fmax(0, places->squares_s2 - n * mean * mean) / (n - 1) : 0;
}

/* ---- one size, pass by pass ---------------------------------------------------------------- */

/* Of one size. Timings of one pass have the hour in common, so that their number says little. */
struct hours {
    double sum_s[PASSES_MOST];
    int64_t timings[PASSES_MOST];
};

static void hours_add(struct hours *hours, const struct sample *group, int64_t length)
{
    for (int64_t i = 0; i < length; i++) {
        const int pass = group[i].pass % PASSES_MOST;
        hours->sum_s[pass] += group[i].seconds;
        hours->timings[pass]++;
    }
}

/* Between the means of passes, how many there were in *passes; 0 with one. */
static double hours_variance(const struct hours *hours, double mean_s, int *passes)
{
    double squares = 0;
    *passes = 0;
    for (int pass = 0; pass < PASSES_MOST; pass++) {
        if (hours->timings[pass] == 0)
            continue;
        const double off = hours->sum_s[pass] / (double)hours->timings[pass] - mean_s;
        squares += off * off;
        ++*passes;
    }
    return *passes > 1 ? squares / (*passes - 1) : 0;
}

/* The mean's variance is what places make of it, or passes, whichever is more. */
static void point_add(struct points *points, const struct places *places, const struct hours *hours,
                      double tasks)
{
    if (points->count == POINTS_MOST)
        return;
    const double mean = places->first_s + places->sum_s / (double)places->count;
    int passes;
    const double by_pass = hours_variance(hours, mean, &passes) / passes;
    const double by_place = places_variance(places) / (double)places->count;
    points->items[points->count++] = (struct point){
        .tasks = tasks,
        .mean_s = mean,
        .error_s = sqrt(fmax(by_pass, by_place)),
        .freedom = by_pass > by_place ? passes - 1 : (double)places->count - 1,
        .timings = places->timings,
        .places = places->count,
    };
}

/* ---- smooth errors ------------------------------------------------------------------------- */

/* Deviations go with a power of the size (Harvey, Estimating Regression Models with Multiplicative
 * Heteroscedasticity, Econometrica 44, 1976): ln variance = a + b ln tasks, 0 <= b <= 4. Not of
 * the mean: means that happened to be low would seem to be sure. The variance is that of one unit,
 * a place or a pass, whichever the point's error comes from: sizes that were timed once or twice
 * are not as sure as their neighbours. */
struct power {
    double a, b;
};

static double point_units(const struct point *point)
{
    return point->freedom + 1;
}

/* The mean of ln(chi square / freedom). */
static double logarithm_bias(double freedom)
{
    return -1 / freedom - 1 / (3 * freedom * freedom);
}

static struct power power_fit(const struct points *points)
{
    double sw = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < points->count; i++) {
            const struct point *point = &points->items[i];
            if (point->freedom < 1)
                continue;
            const double w = point->freedom, x = log(point->tasks);
            const double y =
                log((point->error_s * point->error_s + CLOCK * CLOCK) * point_units(point)) -
                logarithm_bias(w);
            if (pass == 0) {
                sw += w;
                sx += w * x;
                sy += w * y;
            } else {
                sxx += w * (x - sx / sw) * (x - sx / sw);
                sxy += w * (x - sx / sw) * (y - sy / sw);
            }
        }
    if (sw <= 0) { /* nothing is known: a tenth of the mean */
        const struct point *last = &points->items[points->count - 1];
        return (struct power){log(0.01) + 2 * log(last->mean_s / last->tasks + CLOCK), 2};
    }
    const double b = sxx > 0.1 ? fmin(4, fmax(0, sxy / sxx)) : 2;
    return (struct power){(sy - b * sx) / sw, b};
}

static void errors_smooth(struct points *points)
{
    if (points->count == 0)
        return;
    const struct power power = power_fit(points);
    for (int i = 0; i < points->count; i++) {
        struct point *point = &points->items[i];
        const double smooth = exp(power.a + power.b * log(point->tasks)) / point_units(point);
        const double freedom = point->freedom;
        const double own = point->error_s * point->error_s + CLOCK * CLOCK;
        const double variance =
            (freedom * own + SMOOTH_FREEDOM * smooth) / (freedom + SMOOTH_FREEDOM);
        point->error_s = sqrt(variance);
    }
}

/* ---- noise and drift over all sizes -------------------------------------------------------- */

/* Timings of packages that were timed more than once, pass by pass. */
struct pass_sums {
    double off_s;    /* deviations from the packages' means */
    double mean_s;   /* those means */
    double noise_s2; /* what noise alone would make of off_s, squared */
};

/* From a mean that it is part of, a timing is off by less than from the true one. */
static void group_sum(const struct sample *group, int64_t length, struct pass_sums *sums)
{
    const double mean = sample_package_mean(group, length);
    const double noise = sample_package_squares(group, length) / (double)(length - 1);
    const double part = sqrt((double)length / (double)(length - 1));
    for (int64_t i = 0; i < length; i++) {
        struct pass_sums *sum = &sums[group[i].pass % PASSES_MOST];
        sum->off_s += part * (group[i].seconds - mean);
        sum->mean_s += mean;
        sum->noise_s2 += noise;
    }
}

/* The variance of passes beyond that of noise, relative, summed over those there are; their number
 * is added to *passes. */
static double drift_variances(const struct pass_sums *sums, int *passes)
{
    double variances = 0;
    for (int pass = 0; pass < PASSES_MOST; pass++) {
        const struct pass_sums *sum = &sums[pass];
        if (sum->mean_s <= 0)
            continue;
        variances += (sum->off_s * sum->off_s - sum->noise_s2) / (sum->mean_s * sum->mean_s);
        ++*passes;
    }
    return variances;
}

/* With n workers that have S in common and O each for itself, passes over all of them vary by S +
 * O/n, and those over each by S + O. One worker cannot tell: half of it is taken for its own. */
static void drift_divide(struct points *points, double all, double each, int ranks)
{
    const double n = (double)ranks;
    const double own = ranks > 1 ? fmax(0, each - fmax(0, all)) * n / (n - 1) : fmax(0, all) / 2;
    const double shared = ranks > 1 ? fmax(0, all - own / n) : own;
    points->drift = sqrt(shared);
    points->drift_own = sqrt(fmin(own, fmax(0, each)));
}

static void sums_add(struct pass_sums *to, const struct pass_sums *sums)
{
    for (int pass = 0; pass < PASSES_MOST; pass++) {
        to[pass].off_s += sums[pass].off_s;
        to[pass].mean_s += sums[pass].mean_s;
        to[pass].noise_s2 += sums[pass].noise_s2;
    }
}

/* Of one rank's packages that were timed more than once. */
static void rank_sum(const struct sample *samples, int64_t count, int rank,
                     struct pass_sums sums[PASSES_MOST])
{
    for (int64_t at = 0, length; at < count; at += length) {
        length = sample_package_length(samples + at, count - at);
        if (samples[at].rank == rank && length > 1)
            group_sum(samples + at, length, sums);
    }
}

/* Ranks beyond so many are not looked at one by one. */
enum { RANKS_MOST = 64 };

static void drift_find(const struct sample *samples, int64_t count, struct points *points)
{
    struct pass_sums all[PASSES_MOST] = {{0}};
    double each = 0;
    int ranks = 0, passes = 0, passes_each = 0, greatest = 0;
    for (int64_t i = 0; i < count; i++)
        greatest = samples[i].rank > greatest ? samples[i].rank : greatest;
    for (int rank = greatest < RANKS_MOST ? 0 : greatest - RANKS_MOST; rank <= greatest; rank++) {
        struct pass_sums sums[PASSES_MOST] = {{0}};
        int found = 0;
        rank_sum(samples, count, rank, sums);
        each += drift_variances(sums, &found);
        passes_each += found;
        ranks += found > 0;
        sums_add(all, sums);
    }
    for (int pass = 0; pass < PASSES_MOST; pass++)
        points->off[pass] = all[pass].mean_s > 0 ? all[pass].off_s / all[pass].mean_s : (double)NAN;
    const double together = drift_variances(all, &passes);
    points->drift_freedom = passes / 2.0;
    if (passes > 1)
        drift_divide(points, together / passes, each / passes_each, ranks);
    if (greatest == 0) { /* the master's */
        points->drift = passes > 1 ? sqrt(fmax(0, together / passes)) : 0;
        points->drift_own = 0;
    }
}

void points_make(struct sample *samples, int64_t count, struct points *points)
{
    *points = (struct points){.timings = count,
                              .grows = count > 0 && samples[0].operation == OPERATION_COMPUTE};
    outliers_cut(samples, count, points);
    for (int64_t at = 0; at < count;) {
        const int64_t tasks = samples[at].tasks;
        struct places places = {0};
        struct hours hours = {{0}, {0}};
        while (at < count && samples[at].tasks == tasks) {
            const int64_t length = sample_package_length(samples + at, count - at);
            places_add(&places, samples + at, length);
            hours_add(&hours, samples + at, length);
            at += length;
        }
        point_add(points, &places, &hours, (double)tasks);
    }
    errors_smooth(points);
    points->noise = noise_find(samples, count);
    drift_find(samples, count, points);
}

struct points points_loosen(const struct points *points, double share)
{
    struct points loose = *points;
    for (int i = 0; i < loose.count; i++)
        loose.items[i].error_s = hypot(loose.items[i].error_s, share * loose.items[i].mean_s);
    return loose;
}
