#include "planner/dispatch/survey_timings.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* Where larger packages take less than this share of a single core task's time, that time is not
 * latency. */
static const double LIKE_LATENCY = 0.9;
/* The least cost, relative to the mean, that remains of a core task that took far less than its
 * weight says. */
static const double LEAST_LEFT = 0.01;

void survey_timings_init(struct survey_timings *timings, int64_t tasks, int strata)
{
    *timings = (struct survey_timings){.tasks = tasks, .stratum_count = strata};
    for (int k = 0; k < strata; k++)
        timings->strata[k] = (struct survey_stratum){.range = strata_equal(tasks, k, strata),
                                                     .seconds = (double)NAN};
}

int survey_timings_stratum(const struct survey_timings *timings, int64_t task)
{
    int low = 0, high = timings->stratum_count - 1;
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        if (timings->strata[middle].range.first <= task)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

size_t survey_timings_strata(const struct survey_timings *timings,
                             struct stratum strata[SURVEY_STRATA_MOST])
{
    size_t count = 0;
    for (int k = 0; k < timings->stratum_count; k++) {
        const struct survey_stratum *own = &timings->strata[k];
        const struct task_range range = own->range;
        if (!isnan(own->seconds)) {
            const int64_t first = count == 0 ? 0 : range.first;
            strata[count++] = (struct stratum){
                first, range.first + range.count - first, {own->place, 1}, own->seconds};
        } else if (count > 0) {
            strata[count - 1].count += range.count;
        }
    }
    return count;
}

void survey_timings_level(struct survey_timings *timings, const double *factors)
{
    for (int k = 0; k < timings->stratum_count; k++) {
        struct survey_stratum *own = &timings->strata[k];
        if (!isnan(own->seconds))
            own->seconds /= factors[own->worker];
    }
}

void survey_timings_weigh(struct survey_timings *timings, const struct work *work,
                          double s_per_task)
{
    const double tasks = (double)timings->tasks;
    for (int k = 0; k < timings->stratum_count; k++) {
        struct survey_stratum *own = &timings->strata[k];
        const double more = work_mean_cost(work, tasks, (double)own->place, 1) - 1;
        if (!isnan(own->seconds))
            own->seconds = fmax(LEAST_LEFT * s_per_task, own->seconds - s_per_task * more);
    }
}

/* A stratum that is not timed gets the cost of a neighbour. No half may lie outside its stratum. */
int survey_timings_halves(const struct survey_timings *timings, struct task_range halves[2])
{
    struct stratum strata[SURVEY_STRATA_MOST];
    bool chosen[SURVEY_STRATA_MOST];
    const int count = timings->stratum_count;
    double cost_s = survey_timings_cost(timings).s_per_task;
    int found = 0;
    for (int k = 0; k < count; k++) {
        const struct survey_stratum *own = &timings->strata[k];
        const bool timed = !isnan(own->seconds);
        cost_s = timed ? own->seconds : cost_s;
        strata[k] = (struct stratum){own->range.first, own->range.count, own->range, cost_s};
        if (timed)
            strata[k].place = (struct task_range){own->place, 1};
    }
    if (strata_halve(strata, (size_t)count, 1, 2, chosen) < 0)
        return 0;
    for (int k = 0; k < count; k++)
        if (chosen[k])
            halves[found++] = strata_other_half(&strata[k]);
    return found;
}

void survey_timings_divide(struct survey_timings *timings, struct task_range half)
{
    const int k = survey_timings_stratum(timings, half.first);
    const struct survey_stratum fresh = {.range = half, .seconds = (double)NAN};
    struct survey_stratum *own = &timings->strata[k];
    const bool behind = half.first > own->range.first;
    for (int i = timings->stratum_count++; i > k; i--)
        timings->strata[i] = timings->strata[i - 1];
    own->range.count -= half.count;
    if (!behind)
        own[1].range = (struct task_range){half.first + half.count, own->range.count};
    own[behind ? 1 : 0] = fresh;
}

struct survey_size *survey_timings_size(struct survey_timings *timings, int64_t tasks)
{
    int k = 0;
    while (k < timings->size_count && timings->sizes[k].tasks < tasks)
        k++;
    if (k < timings->size_count && timings->sizes[k].tasks == tasks)
        return &timings->sizes[k];
    if (timings->size_count == SURVEY_SIZES_MOST)
        return &timings->sizes[timings->size_count - 1];
    for (int j = timings->size_count++; j > k; j--)
        timings->sizes[j] = timings->sizes[j - 1];
    timings->sizes[k] = (struct survey_size){.tasks = tasks};
    return &timings->sizes[k];
}

int survey_timings_known(const struct survey_timings *timings)
{
    int known = 0;
    for (int k = 0; k < timings->size_count; k++)
        known += timings->sizes[k].reported > 0;
    return known;
}

static double mean_of(const struct survey_size *size)
{
    return size->seconds / (double)size->reported;
}

struct cost survey_timings_cost(const struct survey_timings *timings)
{
    const struct survey_size *least = NULL, *most = NULL;
    for (int k = 0; k < timings->size_count; k++)
        if (timings->sizes[k].reported > 0) {
            most = &timings->sizes[k];
            least = least ? least : most;
        }
    if (!least)
        return (struct cost){0, 0};
    const double small_s = mean_of(least), large_s = mean_of(most);
    if (least == most)
        return (struct cost){0, small_s / (double)least->tasks};
    const double rate = fmin(fmax(0, large_s - small_s) / (double)(most->tasks - least->tasks),
                             small_s / (double)least->tasks);
    return (struct cost){small_s - rate * (double)least->tasks, rate};
}

/* The relative error of the mean; a single timing says nothing about it, and is taken to be off by
 * half. */
static double error_of(const struct survey_size *size)
{
    const double count = (double)size->reported, mean = mean_of(size);
    return count > 1 ? sqrt(fmax(0, size->squares / count - mean * mean) / (count - 1)) : mean / 2;
}

static int ascending(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* The median over the strata: a few heavy core tasks must not be taken for latency. */
static double single_s(const struct survey_timings *timings)
{
    double seconds[SURVEY_STRATA_MOST];
    size_t count = 0;
    for (int k = 0; k < timings->stratum_count; k++)
        if (!isnan(timings->strata[k].seconds))
            seconds[count++] = timings->strata[k].seconds;
    qsort(seconds, count, sizeof *seconds, ascending);
    return count > 0 ? seconds[count / 2] : mean_of(&timings->sizes[0]);
}

double survey_timings_latency(const struct survey_timings *timings)
{
    const struct survey_size *single = &timings->sizes[0];
    if (timings->size_count == 0 || single->reported == 0)
        return 0;
    const double one_s = single_s(timings);
    double latency_s = one_s;
    for (int k = 1; k < timings->size_count; k++) {
        const struct survey_size *size = &timings->sizes[k];
        const double tasks = (double)size->tasks;
        if (size->reported == 0)
            continue;
        if (mean_of(size) < LIKE_LATENCY * one_s)
            return 0;
        latency_s = fmin(latency_s, (tasks * one_s - mean_of(size)) / (tasks - 1));
    }
    return latency_s < one_s ? fmax(0, latency_s - 2 * error_of(single)) : 0;
}
