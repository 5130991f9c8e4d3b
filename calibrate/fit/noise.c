#include "calibrate/fit/noise.h"

#include <math.h>

enum { SIZES_MOST = 96 };
/* Of the variance of the greatest size, what jitter may be: from this to 1 in so many steps. */
static const double SHARE_LEAST = 1e-9;
enum { SHARE_STEPS = 90 };
/* Twice the logarithm of the likelihood that one parameter more is to gain: chi square of one
 * degree, 95 %. */
static const double GAIN_LEAST = 3.84;

/* Packages of one size. */
struct size {
    double mean_s, variance_s2; /* variance: of timings about their package's mean */
    double freedom;
};

struct sizes {
    struct size items[SIZES_MOST];
    int count;
    double greatest_s; /* mean */
};

/* Sums, first. */
static void size_add(struct size *size, const struct sample *package, int64_t length)
{
    if (length < 2)
        return;
    size->mean_s += (double)(length - 1) * sample_package_mean(package, length);
    size->variance_s2 += sample_package_squares(package, length);
    size->freedom += (double)(length - 1);
}

static void sizes_find(const struct sample *samples, int64_t count, struct sizes *sizes)
{
    *sizes = (struct sizes){.count = 0};
    for (int64_t at = 0; at < count && sizes->count < SIZES_MOST;) {
        const int64_t tasks = samples[at].tasks;
        struct size *size = &sizes->items[sizes->count];
        *size = (struct size){0, 0, 0};
        for (int64_t length; at < count && samples[at].tasks == tasks; at += length) {
            length = sample_package_length(samples + at, count - at);
            size_add(size, samples + at, length);
        }
        if (!(size->freedom > 0 && size->mean_s > 0))
            continue;
        size->mean_s /= size->freedom;
        size->variance_s2 /= size->freedom;
        sizes->greatest_s = fmax(sizes->greatest_s, size->mean_s);
        sizes->count++;
    }
}

/* The variance of a size but for a factor that all have in common; `share` of the greatest size's
 * is jitter. */
static double shape(const struct sizes *sizes, const struct size *size, double share)
{
    const double relative = size->mean_s / sizes->greatest_s;
    return share + (1 - share) * relative * relative;
}

/* Variances are chi square about theirs. Returns minus twice the logarithm of the likelihood, but
 * for a constant, with the best common factor, which is left in *factor. */
static double misfit(const struct sizes *sizes, double share, double *factor)
{
    double freedom = 0, sum = 0, logarithms = 0;
    for (int i = 0; i < sizes->count; i++) {
        const struct size *size = &sizes->items[i];
        const double expected = shape(sizes, size, share);
        freedom += size->freedom;
        sum += size->freedom * size->variance_s2 / expected;
        logarithms += size->freedom * log(expected);
    }
    *factor = sum / freedom;
    return *factor > 0 ? logarithms + freedom * log(*factor) : 0;
}

static double share_find(const struct sizes *sizes)
{
    double factor, best = 0, least = misfit(sizes, 0, &factor) - GAIN_LEAST;
    for (int step = 0; factor > 0 && step <= SHARE_STEPS; step++) {
        const double tried = pow(SHARE_LEAST, 1 - (double)step / SHARE_STEPS);
        const double other = misfit(sizes, tried, &factor);
        if (other < least) {
            least = other;
            best = tried;
        }
    }
    return best;
}

static double together(const struct sizes *sizes)
{
    double squares = 0, means = 0;
    for (int i = 0; i < sizes->count; i++) {
        const struct size *size = &sizes->items[i];
        squares += size->freedom * size->variance_s2;
        means += size->freedom * size->mean_s * size->mean_s;
    }
    return sqrt(squares / means);
}

struct noise noise_find(const struct sample *samples, int64_t count)
{
    struct sizes sizes;
    struct noise noise = {0, 0, 0};
    double factor;
    sizes_find(samples, count, &sizes);
    if (sizes.count == 0)
        return noise;
    const double share = share_find(&sizes);
    misfit(&sizes, share, &factor);
    noise.together = together(&sizes);
    noise.jitter_s = sqrt(factor * share);
    noise.deviation = sqrt(factor * (1 - share)) / sizes.greatest_s;
    return noise;
}
