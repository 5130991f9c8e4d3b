#include "calibrate/fit/worker_factors.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "calibrate/fit/two_way.h"

/* Workers are told apart by so many standard errors, and by so much of what they take. */
static const double TOLD_DEVIATIONS = 3, TOLD_LEAST = 0.1;
/* Of a worker that hardly any timing connects with the others. */
static const double ERROR_MOST = 0.5;
/* With fewer degrees of freedom, chance itself is not known. */
enum { FREEDOM_LEAST = 8, PLACES_MOST = 256 };

/* ---- timings ------------------------------------------------------------------------------- */

/* Packages that are alike. */
struct place {
    size_t region;
    int64_t tasks;
};

struct places {
    struct place items[PLACES_MOST];
    int64_t count;
};

/* The region that holds the task; 0 where there are none. */
static size_t region_at(const struct worker_timings *timings, int64_t task)
{
    size_t k = 0;
    while (k + 1 < timings->region_count && timings->regions[k + 1].first <= task)
        k++;
    return k;
}

static bool is_timing(const struct worker_timings *timings, const struct sample *sample)
{
    return sample->setting == timings->setting && sample->operation == OPERATION_COMPUTE &&
           !sample->cold && sample->seconds > 0 && sample->rank >= 1 &&
           sample->rank <= timings->workers &&
           region_at(timings, sample->first) ==
               region_at(timings, sample->first + sample->tasks - 1);
}

/* The index of that place, made where there is none; -1: there is no room. */
static int64_t place_index(struct places *places, struct place place)
{
    for (int64_t k = 0; k < places->count; k++)
        if (places->items[k].region == place.region && places->items[k].tasks == place.tasks)
            return k;
    if (places->count == PLACES_MOST)
        return -1;
    places->items[places->count] = place;
    return places->count++;
}

/* Returns how many there are. */
static int64_t timings_fill(const struct worker_timings *timings, struct two_way_timing *filled,
                            struct places *places)
{
    const struct samples *samples = timings->samples;
    int64_t count = 0;
    places->count = 0;
    for (int64_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        if (!is_timing(timings, sample))
            continue;
        const struct place own = {region_at(timings, sample->first), sample->tasks};
        const int64_t place = place_index(places, own);
        if (place >= 0)
            filled[count++] =
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

/* Each worker's own error: what its group has in common comes out of it in the mean. Errors of
 * terms are above 0. */
static void groups_make(struct term *terms, struct worker_factors *found)
{
    const int workers = found->workers;
    qsort(terms, (size_t)workers, sizeof *terms, by_term);
    for (int at = 0; at < workers;) {
        double mean = 0;
        const int length = group_length(terms + at, workers - at, &mean);
        for (int k = at; length < workers && k < at + length; k++) {
            found->factors[terms[k].worker] = exp(mean);
            found->errors[terms[k].worker] = fmin(terms[k].error, ERROR_MOST);
        }
        at += length;
    }
}

/* Of mean 1: the mean worker is what costs are fitted for. */
static void factors_scale(struct worker_factors *found)
{
    double sum = 0;
    for (int k = 0; k < found->workers; k++)
        sum += found->factors[k];
    for (int k = 0; k < found->workers; k++)
        found->factors[k] *= found->workers / sum;
}

/* ---- whole --------------------------------------------------------------------------------- */

static void terms_take(const struct two_way *fit, struct term *terms)
{
    static const double error_least = 1e-6;
    for (int k = 0; k < fit->workers; k++)
        terms[k] = (struct term){fit->terms[k], fmax(fit->errors[k], error_least), k};
}

static bool factors_fit(const struct two_way_timing *timings, int64_t count, int64_t places,
                        struct term *terms, struct worker_factors *found)
{
    struct two_way fit = {.terms = NULL};
    bool good = true;
    if (count > places + found->workers + FREEDOM_LEAST) {
        good = two_way_fit(timings, count, found->workers, places, &fit);
        if (good && fit.freedom >= FREEDOM_LEAST) {
            terms_take(&fit, terms);
            groups_make(terms, found);
            factors_scale(found);
        }
        two_way_release(&fit);
    }
    return good;
}

bool worker_factors_find(const struct worker_timings *timings, struct worker_factors *found)
{
    const size_t workers = (size_t)timings->workers;
    struct two_way_timing *filled = calloc((size_t)timings->samples->count + 1, sizeof *filled);
    struct places *places = malloc(sizeof *places);
    struct term *terms = calloc(workers, sizeof *terms);
    *found = (struct worker_factors){.workers = timings->workers};
    found->factors = calloc(workers, sizeof *found->factors);
    found->errors = calloc(workers, sizeof *found->errors);
    bool good = filled && places && terms && found->factors && found->errors;
    for (size_t k = 0; good && k < workers; k++)
        found->factors[k] = 1;
    if (good) {
        const int64_t count = timings_fill(timings, filled, places);
        good = factors_fit(filled, count, places->count, terms, found);
    }
    free(filled);
    free(places);
    free(terms);
    return good;
}

void worker_factors_release(struct worker_factors *factors)
{
    free(factors->factors);
    free(factors->errors);
    *factors = (struct worker_factors){.factors = NULL};
}
