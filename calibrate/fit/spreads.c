#include "calibrate/fit/spreads.h"

#include <math.h>
#include <stdbool.h>

/* What the clock can tell, seconds. */
static const double CLOCK = 5e-8;
/* A size's own variance counts as so many degrees of freedom beside the smooth one. */
static const double SMOOTH_FREEDOM = 12;
/* The variance of places must be so many standard errors above 0. */
static const double TOLD_DEVIATIONS = 4;
/* A size with fewer places does not say how loud the noise is, unless none has more. */
enum { PLACES_ENOUGH = 8, PLACES_LEAST = 4 };
/* Passes that drift are alike in their packages: differences must be so many times as large. */
static const double TOLD_DRIFTS = 2;
enum { STEPS = 1000 };

/* ---- one size ------------------------------------------------------------------------------ */

/* Variances are relative to the squared mean. */
struct size {
    double tasks;
    double between; /* of places, without the noise: an estimate, which may be below 0 */
    double noise;   /* of one timing of a package */
    double inverse; /* the mean over places of 1 / timings: so much of it is in a place's mean */
    double places;  /* timed more than once */
};

struct sizes {
    struct size items[SPREADS_MOST];
    int count;
};

static int64_t size_length(const struct sample *samples, int64_t count)
{
    int64_t length = 1;
    while (length < count && samples[length].tasks == samples[0].tasks)
        length++;
    return length;
}

/* The mean over places that were timed more than once, and how many there are. */
static double places_mean(const struct sample *samples, int64_t count, double *places)
{
    double mean_s = 0;
    *places = 0;
    for (int64_t at = 0, length; at < count; at += length) {
        double sum_s = 0;
        length = sample_package_length(samples + at, count - at);
        for (int64_t i = at; i < at + length; i++)
            sum_s += samples[i].seconds;
        if (length > 1)
            mean_s += (sum_s / (double)length - mean_s) / ++*places;
    }
    return mean_s;
}

/* One place's part of the sums over places: of the mean product of two timings' deviations, and of
 * the variance about the place's own mean. */
static void place_add(struct size *size, const struct sample *samples, int64_t length,
                      double mean_s)
{
    const double n = (double)length;
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < length; i++) {
        const double off = samples[i].seconds / mean_s - 1;
        sum += off;
        squares += off * off;
    }
    size->between += (sum * sum - squares) / (n * (n - 1));
    size->noise += (squares - sum * sum / n) / (n - 1);
    size->inverse += 1 / n;
}

/* False: too few places to say anything. */
static bool size_make(const struct sample *samples, int64_t count, struct size *size)
{
    double places;
    const double mean_s = places_mean(samples, count, &places);
    *size = (struct size){.tasks = (double)samples[0].tasks, .places = places};
    if (places < 2 || !(mean_s > 0))
        return false;
    for (int64_t at = 0, length; at < count; at += length) {
        length = sample_package_length(samples + at, count - at);
        if (length > 1)
            place_add(size, samples + at, length, mean_s);
    }
    size->between /= places - 1; /* deviations are from the places' own mean */
    size->noise = size->noise / places + CLOCK * CLOCK / (mean_s * mean_s);
    size->inverse /= places;
    return true;
}

static void sizes_make(const struct sample *samples, int64_t count, struct sizes *sizes)
{
    sizes->count = 0;
    for (int64_t at = 0, length; at < count && sizes->count < SPREADS_MOST; at += length) {
        length = size_length(samples + at, count - at);
        sizes->count += size_make(samples + at, length, &sizes->items[sizes->count]);
    }
}

/* ---- do packages differ? ------------------------------------------------------------------- */

/* Without a difference, the product of two timings' deviations has the mean 0 and the squared
 * noise for its variance, whatever their distribution. */
static bool are_told(const struct sizes *sizes)
{
    double sum = 0, places = 0, most = 0;
    for (int i = 0; i < sizes->count; i++)
        most = fmax(most, sizes->items[i].places);
    const double enough = most >= PLACES_ENOUGH ? PLACES_ENOUGH : PLACES_LEAST;
    for (int i = 0; i < sizes->count; i++) {
        const struct size *size = &sizes->items[i];
        if (size->places < enough)
            continue;
        sum += size->places * size->between / size->noise;
        places += size->places;
    }
    return sum > TOLD_DEVIATIONS * sqrt(places);
}

/* ---- the law ------------------------------------------------------------------------------- */

/* Relative variances: of one task for itself, and of what neighbouring tasks have in common. */
struct law {
    double task, region;
};

static double law_at(const struct law *law, double tasks)
{
    return law->task / tasks + law->region;
}

/* Each component times the root of what pulls it up over what pulls it down: the deviance of chi
 * square distributed variances falls with every step, and no component leaves its sign (Fevotte,
 * Bertin, Durrieu, Neural Comput. 21(3), 2009). */
static void law_step(const struct sizes *sizes, struct law *law)
{
    struct law up = {0, 0}, down = {0, 0};
    for (int i = 0; i < sizes->count; i++) {
        const struct size *size = &sizes->items[i];
        const double noise = size->noise * size->inverse;
        const double observed = fmax(0, size->between + noise);
        const double expected = law_at(law, size->tasks) + noise;
        const double weight = (size->places - 1) / expected;
        up.task += weight * observed / expected / size->tasks;
        up.region += weight * observed / expected;
        down.task += weight / size->tasks;
        down.region += weight;
    }
    law->task *= down.task > 0 ? sqrt(up.task / down.task) : 0;
    law->region *= down.region > 0 ? sqrt(up.region / down.region) : 0;
}

/* The components by maximum likelihood; the variances of sizes are taken to be independent. */
static struct law law_fit(const struct sizes *sizes)
{
    struct law law = {0, 0};
    for (int i = 0; i < sizes->count; i++) {
        law.task = fmax(law.task, sizes->items[i].between * sizes->items[i].tasks);
        law.region = fmax(law.region, sizes->items[i].between);
    }
    for (int step = 0; step < STEPS; step++)
        law_step(sizes, &law);
    return law;
}

/* Where timings are loud, a size's own places say less than their number. */
static double deviation_of(const struct size *size, const struct law *law)
{
    const double smooth = law_at(law, size->tasks);
    const double clear = smooth / (smooth + size->noise * size->inverse);
    const double freedom = (size->places - 1) * clear * clear;
    const double both =
        (freedom * size->between + SMOOTH_FREEDOM * smooth) / (freedom + SMOOTH_FREEDOM);
    return sqrt(fmax(0, both));
}

size_t spreads_find(const struct sample *samples, int64_t count, double drift,
                    struct spread *spreads)
{
    struct sizes sizes;
    sizes_make(samples, count, &sizes);
    const struct law law = law_fit(&sizes);
    const double least = sizes.count > 0 ? sizes.items[0].tasks : 1;
    const bool told = sqrt(law_at(&law, least)) > TOLD_DRIFTS * drift && are_told(&sizes);
    for (int i = 0; i < sizes.count; i++)
        spreads[i] = (struct spread){(int64_t)sizes.items[i].tasks,
                                     told ? deviation_of(&sizes.items[i], &law) : 0};
    return (size_t)sizes.count;
}
