#include "calibrate/fit/strata_fit.h"

#include <math.h>
#include <stdlib.h>

/* A timing of a place counts as no more than so many times its quickest one: stalls are no cost. */
static const double BOUND = 2;
/* At most so much of a package is its latency. */
static const double LATENCY_MOST = 0.9;
/* Core tasks differ where the variance of places is so many standard errors above that of timings,
 * and by so much at least: relative. */
static const double TOLD_DEVIATIONS = 3, DEVIATION_LEAST = 0.02;
/* The deviation of timings where it is not known: relative. */
static const double NOISE_MOST = 0.2;
/* What timings of one place say of noise says nothing with fewer degrees, nor fewer strata of
 * places. */
enum { FREEDOM_LEAST = 4, STRATA_LEAST = 8 };

/* ---- strata from samples ------------------------------------------------------------------- */

static bool is_placed(const struct sample *sample, int setting)
{
    return sample->setting == setting && sample->operation == OPERATION_COMPUTE &&
           sample->stratum.count > 0 && !sample->fresh && sample->seconds > 0;
}

static int by_place(const void *a, const void *b)
{
    const struct sample *p = a, *q = b;
    return (p->first > q->first) - (p->first < q->first);
}

static int ascending(const void *a, const void *b)
{
    const int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
    return (p > q) - (p < q);
}

/* Timings in strata, by place; and where strata begin, or end. */
struct placed {
    struct sample *items; /* owned */
    int64_t *edges;       /* owned, sorted */
    size_t count, edge_count;
};

static void placed_release(struct placed *placed)
{
    free(placed->items);
    free(placed->edges);
}

static bool placed_make(const struct samples *samples, int setting, struct placed *placed)
{
    *placed = (struct placed){.count = 0};
    placed->items = calloc((size_t)samples->count + 1, sizeof *placed->items);
    placed->edges = calloc(2 * (size_t)samples->count + 1, sizeof *placed->edges);
    if (!placed->items || !placed->edges)
        return false;
    for (int64_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        if (!is_placed(sample, setting))
            continue;
        placed->items[placed->count++] = *sample;
        placed->edges[placed->edge_count++] = sample->stratum.first;
        placed->edges[placed->edge_count++] = sample->stratum.first + sample->stratum.count;
    }
    qsort(placed->items, placed->count, sizeof *placed->items, by_place);
    qsort(placed->edges, placed->edge_count, sizeof *placed->edges, ascending);
    return true;
}

/* Timings of the place that begins with item `at`. */
static size_t place_length(const struct placed *placed, size_t at)
{
    size_t length = 1;
    while (at + length < placed->count &&
           placed->items[at + length].first == placed->items[at].first)
        length++;
    return length;
}

/* The last edge from `least` to `most`, or `least` where there is none: between two places, of
 * strata that were halved time and again. */
static int64_t edge_between(const struct placed *placed, int64_t least, int64_t most)
{
    size_t low = 0, high = placed->edge_count; /* the first edge above `most` */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (placed->edges[middle] <= most)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && placed->edges[low - 1] >= least ? placed->edges[low - 1] : least;
}

/* A place's cost from its timings, each of which counts exp(-term) times: the mean of those that
 * are warm, if there are any, bounded. `terms` may be NULL. */
static double place_s(const struct placed *placed, size_t at, size_t length, const double *terms)
{
    double least_s[2] = {HUGE_VAL, HUGE_VAL}, sum_s = 0;
    int64_t counted = 0;
    for (size_t i = at; i < at + length; i++) {
        const struct sample *sample = &placed->items[i];
        const double own_s = sample->seconds * (terms ? exp(-terms[sample->rank - 1]) : 1);
        least_s[sample->cold] = fmin(least_s[sample->cold], own_s);
    }
    const bool cold = !(least_s[0] < HUGE_VAL);
    for (size_t i = at; i < at + length; i++) {
        const struct sample *sample = &placed->items[i];
        if (sample->cold != cold)
            continue;
        const double own_s = sample->seconds * (terms ? exp(-terms[sample->rank - 1]) : 1);
        sum_s += fmin(own_s, BOUND * least_s[cold]);
        counted++;
    }
    return sum_s / (double)counted;
}

static struct stratum *strata_collect(const struct placed *placed, const double *terms,
                                      size_t *count)
{
    struct stratum *strata = calloc(placed->count + 1, sizeof *strata);
    *count = 0;
    for (size_t at = 0, length; strata && at < placed->count; at += length) {
        const struct sample *sample = &placed->items[at];
        struct stratum *stratum = &strata[*count];
        length = place_length(placed, at);
        *stratum = (struct stratum){.place = {sample->first, sample->tasks}};
        stratum->cost_s = place_s(placed, at, length, terms) / (double)sample->tasks;
        if (*count == 0)
            stratum->first = placed->edges[0];
        else {
            const struct stratum *last = stratum - 1;
            stratum->first =
                edge_between(placed, last->place.first + last->place.count, sample->first);
            strata[*count - 1].count = stratum->first - last->first;
        }
        stratum->count = placed->edges[placed->edge_count - 1] - stratum->first;
        ++*count;
    }
    return strata;
}

struct stratum *strata_of(const struct samples *samples, int setting, size_t *count)
{
    struct placed placed;
    struct stratum *strata =
        placed_make(samples, setting, &placed) ? strata_collect(&placed, NULL, count) : NULL;
    placed_release(&placed);
    return strata;
}

/* ---- workers and places -------------------------------------------------------------------- */

static bool workers_fit(const struct placed *placed, int workers, struct two_way *fit)
{
    struct two_way_timing *timings = calloc(placed->count + 1, sizeof *timings);
    int64_t place = -1, count = 0;
    for (size_t i = 0; timings && i < placed->count; i++) {
        const struct sample *sample = &placed->items[i];
        place += i == 0 || placed->items[i - 1].first != sample->first;
        timings[count++] = (struct two_way_timing){sample->rank - 1, place, log(sample->seconds)};
    }
    const bool good = timings && two_way_fit(timings, count, workers, place + 1, fit);
    free(timings);
    return good;
}

/* Of the logarithms of strata's costs. */
static double variance_of(const struct stratum *strata, size_t count)
{
    double mean = 0, squares = 0;
    for (size_t k = 0; k < count; k++) {
        const double off = log(strata[k].cost_s) - mean;
        mean += off / (double)(k + 1);
        squares += off * (log(strata[k].cost_s) - mean);
    }
    return squares / ((double)count - 1);
}

/* Where hardly any place was timed twice, nothing is known of workers, and of noise that it is not
 * as large as that. */
static void noise_suppose(struct two_way *workers)
{
    workers->noise = NOISE_MOST;
    for (int k = 0; k < workers->workers; k++) {
        workers->terms[k] = 0;
        workers->errors[k] = 1;
    }
}

static bool do_differ(const struct strata_fit *fit)
{
    const struct two_way *workers = &fit->workers;
    const double freedom = fmax(FREEDOM_LEAST, (double)workers->freedom);
    if (fit->count < STRATA_LEAST)
        return false;
    const double noise = workers->noise * workers->noise;
    const double variance = variance_of(fit->strata, fit->count);
    const double error = sqrt(2 / ((double)fit->count - 1) + 2 / freedom);
    return variance > noise * (1 + TOLD_DEVIATIONS * error) &&
           variance - noise > DEVIATION_LEAST * DEVIATION_LEAST;
}

/* ---- the map ------------------------------------------------------------------------------- */

static bool map_make(struct strata_fit *fit)
{
    size_t count = 0;
    struct region *regions = strata_regions(fit->strata, fit->count, &count);
    if (!regions)
        return false;
    const struct strata_total total = strata_total(fit->strata, fit->count, regions, count);
    fit->map = (struct cost_map){
        .work = {.tasks = total.tasks}, .sampled = total.sampled, .unseen = fmax(0, total.unseen)};
    if (count > 1)
        fit->map.work.regions = calloc(count, sizeof *fit->map.work.regions);
    for (size_t k = 0; regions && fit->map.work.regions && k < count; k++)
        fit->map.work.regions[k] =
            (struct work_region){.tasks = regions[k].count, .cost = regions[k].cost_s};
    const bool good = count == 1 || fit->map.work.regions;
    if (good && count > 1) { /* else rates say how sure the total is */
        fit->map.work.region_count = count;
        fit->map.error = total.error;
        work_settle(&fit->map.work);
    }
    free(regions);
    return good;
}

static void latency_take(struct strata_fit *fit, double latency_s)
{
    for (size_t k = 0; k < fit->count; k++) {
        struct stratum *stratum = &fit->strata[k];
        const double tasks = (double)stratum->place.count;
        stratum->cost_s -= fmin(latency_s / tasks, LATENCY_MOST * stratum->cost_s);
    }
}

bool strata_fit_make(const struct samples *samples, int setting, int workers, double latency_s,
                     struct strata_fit *fit, struct failure *failure)
{
    struct placed placed;
    *fit = (struct strata_fit){.strata = NULL};
    bool good = placed_make(samples, setting, &placed);
    if (good && placed.count > 0) {
        good = workers_fit(&placed, workers, &fit->workers);
        if (good && fit->workers.freedom < FREEDOM_LEAST)
            noise_suppose(&fit->workers);
        fit->strata = good ? strata_collect(&placed, fit->workers.terms, &fit->count) : NULL;
        good = fit->strata != NULL;
        fit->differ = good && do_differ(fit);
    }
    if (fit->differ) {
        latency_take(fit, latency_s);
        good = map_make(fit);
    }
    placed_release(&placed);
    if (good)
        return true;
    strata_fit_release(fit);
    return failure_memory(failure, "fitting what core tasks differ by");
}

bool strata_fit_weigh(struct strata_fit *fit, const struct work *work, struct failure *failure)
{
    work_release(&fit->map.work);
    fit->map = (struct cost_map){.sampled = 0};
    fit->differ = fit->weighed = true;
    return work_copy(&fit->map.work, work) ||
           failure_memory(failure, "fitting what core tasks differ by");
}

void strata_fit_release(struct strata_fit *fit)
{
    free(fit->strata);
    two_way_release(&fit->workers);
    work_release(&fit->map.work);
    *fit = (struct strata_fit){.strata = NULL};
}

double strata_package_s(const struct strata_fit *fit, double latency_s, double *tasks)
{
    const struct strata_total total = strata_total(fit->strata, fit->count, NULL, 0);
    *tasks = (double)total.sampled / (double)fit->count;
    return latency_s + *tasks * total.mean_s;
}

/* ---- levelled samples ---------------------------------------------------------------------- */

/* What is to be done. */
struct levelling {
    const struct strata_fit *fit;
    const struct cost *compute;
    int setting;
    struct samples *level;
};

/* A package is in one region or another where its mean cost changes by more than this, as a factor,
 * when it is moved by a stratum's width. */
static const double UNSURE = 1.25;
/* Places of a size that are enough. */
enum { PLACES_ENOUGH = 6 };

static double mean_at(const struct strata_fit *fit, double first, double count)
{
    const double tasks = (double)fit->map.work.tasks, last = tasks - count;
    return work_mean_cost(&fit->map.work, tasks, fmax(0, fmin(first, last)), count);
}

/* What a levelled package counts: where weights may be far off, a light package that took long says
 * no more than what it took, for all packages together have the weight that they have. */
static double worth_of(const struct strata_fit *fit, const struct sample *sample)
{
    return fit->weighed ? mean_at(fit, (double)sample->first, (double)sample->tasks) : 1;
}

bool strata_pool(const struct samples *level, int setting, int workers, double latency_s,
                 const struct strata_fit *fit, struct strata_total *total)
{
    const struct sample_choice all = {setting, 1, workers, OPERATION_COMPUTE, SAMPLE_BUSY};
    int64_t count;
    struct sample *samples = samples_choose(level, &all, &count);
    double seconds = 0, tasks = 0, squares = 0;
    *total = (struct strata_total){.mean_s = 0};
    for (int pass = 0; samples && pass < 2; pass++)
        for (int64_t at = 0, length; at < count; at += length) {
            length = sample_package_length(samples + at, count - at);
            const double worth = worth_of(fit, &samples[at]);
            const double own_s = worth * (sample_package_mean(samples + at, length) - latency_s);
            const double own = worth * (double)samples[at].tasks,
                         off_s = own_s - total->mean_s * own;
            seconds += pass == 0 ? own_s : 0;
            tasks += pass == 0 ? own : 0;
            squares += pass == 1 ? off_s * off_s : 0;
            total->mean_s = pass == 0 && tasks > 0 ? fmax(0, seconds / tasks) : total->mean_s;
        }
    if (seconds > 0)
        total->error = sqrt(squares) / seconds;
    free(samples);
    return samples != NULL;
}

static bool is_sure(const struct strata_fit *fit, const struct sample *sample)
{
    const double width = (double)fit->map.work.tasks / (double)fit->count;
    const double first = (double)sample->first, count = (double)sample->tasks;
    const double here = mean_at(fit, first, count);
    const double before = mean_at(fit, first - width, count);
    const double behind = mean_at(fit, first + width, count);
    return fmax(here, fmax(before, behind)) < UNSURE * fmin(here, fmin(before, behind));
}

static bool is_levelled(const struct levelling *levelling, const struct sample *sample)
{
    return sample->setting == levelling->setting && sample->operation == OPERATION_COMPUTE;
}

static struct sample sample_level(const struct levelling *levelling, const struct sample *sample)
{
    const struct strata_fit *fit = levelling->fit;
    const double tasks = (double)sample->tasks;
    struct sample level = *sample;
    const double mean = mean_at(fit, (double)sample->first, tasks);
    const double rate_s = levelling->compute->s_per_task * tasks;
    const double latency_s = levelling->compute->latency_s;
    level.seconds *= fit->workers.terms ? exp(-fit->workers.terms[sample->rank - 1]) : 1;
    if (rate_s > 0)
        level.seconds *= (latency_s + rate_s) / (latency_s + rate_s * mean);
    else
        level.seconds /= mean;
    return level;
}

/* Timings of one size: all of them, and those of a region that is known. */
struct size_count {
    int64_t tasks, all, sure;
};

static int by_tasks(const void *a, const void *b)
{
    const struct size_count *p = a, *q = b;
    return (p->tasks > q->tasks) - (p->tasks < q->tasks);
}

/* Sorted by size, each once; owned. NULL: out of memory. */
static struct size_count *sizes_count(const struct levelling *levelling,
                                      const struct samples *samples, size_t *count)
{
    struct size_count *sizes = calloc((size_t)samples->count + 1, sizeof *sizes);
    size_t found = 0;
    *count = 0;
    for (int64_t i = 0; sizes && i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        if (is_levelled(levelling, sample) && sample->stratum.count == 0)
            sizes[found++] = (struct size_count){sample->tasks, 1, is_sure(levelling->fit, sample)};
    }
    if (sizes)
        qsort(sizes, found, sizeof *sizes, by_tasks);
    for (size_t k = 0; k < found; k++) {
        if (*count > 0 && sizes[*count - 1].tasks == sizes[k].tasks) {
            sizes[*count - 1].all++;
            sizes[*count - 1].sure += sizes[k].sure;
        } else {
            sizes[(*count)++] = sizes[k];
        }
    }
    return sizes;
}

static bool is_wanted(const struct levelling *levelling, const struct sample *sample,
                      const struct size_count *sizes, size_t count)
{
    if (levelling->fit->map.work.region_count == 0 || levelling->fit->weighed)
        return true;
    if (sample->stratum.count > 0)
        return count == 0; /* nothing else was timed */
    const struct size_count key = {.tasks = sample->tasks};
    const struct size_count *size = bsearch(&key, sizes, count, sizeof *sizes, by_tasks);
    return !size || size->sure < PLACES_ENOUGH || is_sure(levelling->fit, sample);
}

bool strata_level(const struct samples *samples, int setting, const struct strata_fit *fit,
                  const struct cost *compute, struct samples *level)
{
    const struct levelling levelling = {fit, compute, setting, level};
    size_t count;
    struct size_count *sizes = sizes_count(&levelling, samples, &count);
    bool good = sizes != NULL;
    *level = (struct samples){.count = 0};
    for (int64_t i = 0; good && i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        const bool own = is_levelled(&levelling, sample);
        if (own && !is_wanted(&levelling, sample, sizes, count))
            continue;
        const struct sample next = own ? sample_level(&levelling, sample) : *sample;
        good = samples_add(level, &next);
    }
    free(sizes);
    return good;
}
