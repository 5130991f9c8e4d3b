#include "calibrate/fit/worker_factors.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "calibrate/fit/two_way.h"

/* Workers are told apart by so many standard errors, and by so much of what they take. */
static const double TOLD_DEVIATIONS = 3, TOLD_LEAST = 0.1;
/* With fewer degrees of freedom, chance itself is not known. */
enum { FREEDOM_LEAST = 8, SIZES_MOST = 64 };

/* ---- timings ------------------------------------------------------------------------------- */

/* The index of that size, made where there is none; -1: there is no room. */
static int64_t size_index(int64_t sizes[SIZES_MOST], int64_t *count, int64_t tasks)
{
    for (int64_t k = 0; k < *count; k++)
        if (sizes[k] == tasks)
            return k;
    if (*count == SIZES_MOST)
        return -1;
    sizes[*count] = tasks;
    return (*count)++;
}

/* Returns how many there are; *places: sizes. */
static int64_t timings_fill(const struct samples *samples, int setting, int workers,
                            struct two_way_timing *timings, int64_t *places)
{
    int64_t sizes[SIZES_MOST], count = 0;
    *places = 0;
    for (int64_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        if (sample->setting != setting || sample->operation != OPERATION_COMPUTE || sample->cold ||
            !(sample->seconds > 0) || sample->rank < 1 || sample->rank > workers)
            continue;
        const int64_t place = size_index(sizes, places, sample->tasks);
        if (place >= 0)
            timings[count++] =
                (struct two_way_timing){sample->rank - 1, place, log(sample->seconds)};
    }
    return count;
}

/* ---- groups -------------------------------------------------------------------------------- */

/* Workers in the order of their terms. */
struct term {
    double term, error;
    int worker;
};

static int by_term(const void *a, const void *b)
{
    const struct term *p = a, *q = b;
    return (p->term > q->term) - (p->term < q->term);
}

/* Of sorted terms, how many of the first cannot be told from each other; *mean is theirs. */
static int group_length(const struct term *terms, int count, double *mean)
{
    double weights = 0, sum = 0;
    int length = 0;
    for (; length < count; length++) {
        const struct term *next = &terms[length];
        const double error = hypot(next->error, weights > 0 ? sqrt(1 / weights) : 0);
        if (length > 0 &&
            next->term - sum / weights > fmax(log1p(TOLD_LEAST), TOLD_DEVIATIONS * error))
            break;
        const double weight = 1 / (next->error * next->error);
        weights += weight;
        sum += weight * next->term;
    }
    *mean = sum / weights;
    return length;
}

/* Errors are above 0. */
static void groups_make(struct term *terms, int workers, double *factors)
{
    qsort(terms, (size_t)workers, sizeof *terms, by_term);
    for (int at = 0; at < workers;) {
        double mean = 0;
        const int length = group_length(terms + at, workers - at, &mean);
        for (int k = at; k < at + length; k++)
            factors[terms[k].worker] = length == workers ? 1 : exp(mean);
        at += length;
    }
}

/* ---- whole --------------------------------------------------------------------------------- */

static void terms_take(const struct two_way *fit, struct term *terms)
{
    static const double error_least = 1e-6;
    for (int k = 0; k < fit->workers; k++)
        terms[k] = (struct term){fit->terms[k], fmax(fit->errors[k], error_least), k};
}

bool worker_factors(const struct samples *samples, int setting, int workers, double *factors)
{
    struct two_way_timing *timings = calloc((size_t)samples->count + 1, sizeof *timings);
    struct term *terms = calloc((size_t)workers, sizeof *terms);
    struct two_way fit = {.terms = NULL};
    int64_t places = 0;
    for (int k = 0; k < workers; k++)
        factors[k] = 1;
    bool good = timings && terms;
    const int64_t count = good ? timings_fill(samples, setting, workers, timings, &places) : 0;
    if (good && count > places + workers + FREEDOM_LEAST) {
        good = two_way_fit(timings, count, workers, places, &fit);
        if (good && fit.freedom >= FREEDOM_LEAST) {
            terms_take(&fit, terms);
            groups_make(terms, workers, factors);
        }
        two_way_release(&fit);
    }
    free(timings);
    free(terms);
    return good;
}
