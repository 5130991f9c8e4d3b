#include "calibrate/fit/few_places.h"

#include <math.h>
#include <stdlib.h>

#include "calibrate/fit/student.h"

/* A package is unlike another one where no fewer core tasks took less, on the same worker, by this
 * factor. */
static const double UNLIKE = 1.5;
/* And by more than the machine's whims and, of packages that found it cold, more than that takes:
 * seconds. */
static const double WHIM_S = 0.001, COLD_S = 0.05;
/* With 95 %, what share of the job nothing was timed of: the rule of three. */
static const double RULE_OF_THREE = 3;
/* And by how much more than the mean core tasks may take there, where all others were alike. */
static const double UNSEEN_MORE = 1;

/* ---- packages ------------------------------------------------------------------------------ */

/* A package's quickest timing: stalls are no cost. */
struct place {
    int64_t first, tasks;
    int rank;
    bool cold; /* all its timings */
    double seconds;
};

struct places {
    struct place *items; /* owned; by their first core task */
    size_t count;
    int64_t sampled; /* core tasks that are in any of them */
};

static int by_first(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    if (p->first != q->first)
        return p->first < q->first ? -1 : 1;
    return (p->tasks > q->tasks) - (p->tasks < q->tasks);
}

static bool is_computing(const struct sample *sample, int setting)
{
    return sample->setting == setting && sample->operation == OPERATION_COMPUTE && !sample->fresh &&
           sample->seconds > 0;
}

/* Each package once. */
static void places_merge(struct places *places)
{
    size_t kept = 0;
    int64_t end = 0;
    for (size_t k = 0; k < places->count; k++) {
        const struct place place = places->items[k];
        struct place *last = &places->items[kept > 0 ? kept - 1 : 0];
        if (kept > 0 && last->first == place.first && last->tasks == place.tasks) {
            last->seconds = fmin(last->seconds, place.seconds);
            last->cold = last->cold && place.cold;
            continue;
        }
        const int64_t from = place.first > end ? place.first : end;
        const int64_t behind = place.first + place.tasks;
        places->sampled += behind > from ? behind - from : 0;
        end = behind > end ? behind : end;
        places->items[kept++] = place;
    }
    places->count = kept;
}

static bool places_find(const struct samples *samples, int setting, struct places *places)
{
    *places = (struct places){.items = calloc((size_t)samples->count + 1, sizeof *places->items)};
    if (!places->items)
        return false;
    for (int64_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        if (is_computing(sample, setting))
            places->items[places->count++] = (struct place){
                sample->first, sample->tasks, sample->rank, sample->cold, sample->seconds};
    }
    qsort(places->items, places->count, sizeof *places->items, by_first);
    places_merge(places);
    return true;
}

/* Did the worker take clearly less for as many core tasks as in `a`, or for more? */
static bool is_unlike(const struct place *a, const struct place *b)
{
    return a->rank == b->rank && a->tasks <= b->tasks && a->seconds > UNLIKE * b->seconds &&
           a->seconds - b->seconds > (a->cold ? COLD_S : WHIM_S);
}

static bool are_unlike(const struct places *places)
{
    for (size_t i = 0; i < places->count; i++)
        for (size_t k = 0; k < places->count; k++)
            if (is_unlike(&places->items[i], &places->items[k]))
                return true;
    return false;
}

/* ---- what they tell ------------------------------------------------------------------------ */

/* By their core tasks. */
struct ratio {
    double mean_s;  /* of a core task */
    double task_s2; /* variance of one, where they are independent */
    double error;   /* standard error of the mean, relative */
};

static struct ratio ratio_of(const struct places *places, int64_t tasks)
{
    struct ratio ratio = {0, 0, 0};
    double all_s = 0, all = 0;
    for (size_t k = 0; k < places->count; k++) {
        all_s += places->items[k].seconds;
        all += (double)places->items[k].tasks;
    }
    ratio.mean_s = all_s / all;
    for (size_t k = 0; k < places->count; k++) {
        const double own = (double)places->items[k].tasks;
        const double off_s = places->items[k].seconds - ratio.mean_s * own;
        ratio.task_s2 += off_s * off_s / own;
    }
    const double freedom = fmax(1, (double)places->count - 1);
    const double untimed = 1 - (double)places->sampled / (double)tasks;
    ratio.task_s2 /= freedom;
    ratio.error = student_widening(freedom) * sqrt(untimed * ratio.task_s2 / all) / ratio.mean_s;
    return ratio;
}

static double heaviest_of(const struct places *places)
{
    double heaviest_s = 0;
    for (size_t k = 0; k < places->count; k++)
        heaviest_s = fmax(heaviest_s, places->items[k].seconds / (double)places->items[k].tasks);
    return heaviest_s;
}

/* All workers alike, and no latency: nothing tells them from places. How sure that is, the map
 * says for all of them together. */
static void rates_put(struct profile_setting *fitted, const struct ratio *ratio)
{
    for (size_t w = 0; w < fitted->window_count; w++)
        for (size_t k = 0; k < fitted->windows[w].worker_count; k++) {
            struct measured_cost *compute = &fitted->windows[w].workers[k].compute;
            compute->cost = (struct cost){0, ratio->mean_s};
            compute->fit.stderr_latency_s = compute->fit.stderr_s_per_task = 0;
            compute->fit.correlation = 0;
        }
    for (size_t k = 0; k < fitted->spread_count; k++) {
        struct spread *spread = &fitted->spreads[k];
        const double told = sqrt(ratio->task_s2 / (double)spread->tasks) / ratio->mean_s;
        spread->deviation = fmax(spread->deviation, told);
    }
}

static void unlike_heed(const struct places *places, struct profile_setting *fitted)
{
    struct cost_map *map = &fitted->map;
    const struct ratio ratio = ratio_of(places, map->work.tasks);
    const double share =
        (1 - (double)places->sampled / (double)map->work.tasks) / (double)places->sampled;
    rates_put(fitted, &ratio);
    map->error = ratio.error;
    map->unseen = fmax(0, share * (heaviest_of(places) / ratio.mean_s - 1));
}

static void alike_heed(const struct places *places, struct cost_map *map)
{
    const double sampled = (double)places->sampled;
    map->unseen =
        (1 - sampled / (double)map->work.tasks) * UNSEEN_MORE * fmin(1, RULE_OF_THREE / sampled);
}

bool few_places_apply(const struct samples *samples, int setting, int64_t tasks,
                      struct profile_setting *fitted, struct failure *failure)
{
    struct places places;
    if (fitted->map.work.tasks > 0)
        return true;
    if (!places_find(samples, setting, &places))
        return failure_memory(failure, "fitting what core tasks differ by");
    if (places.sampled > 0 && places.sampled < FEW_PLACES_ENOUGH && places.sampled < tasks) {
        fitted->map = (struct cost_map){.work = {.tasks = tasks}, .sampled = places.sampled};
        if (are_unlike(&places))
            unlike_heed(&places, fitted);
        else
            alike_heed(&places, &fitted->map);
    }
    free(places.items);
    return true;
}
