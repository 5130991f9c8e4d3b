#include "planner/dispatch/survey_timings.h"

#include <math.h>
#include <stddef.h>

/* Packages that are all latency take about the same time, whatever their size. */
static const double LIKE_LATENCY = 0.9;

void survey_timings_init(struct survey_timings *timings, int64_t tasks, int strata)
{
    *timings = (struct survey_timings){.tasks = tasks, .strata = strata};
    for (int k = 0; k < strata; k++)
        timings->stratum_s[k] = (double)NAN;
}

int survey_timings_stratum(const struct survey_timings *timings, int64_t task)
{
    int low = 0, high = timings->strata - 1;
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        if (strata_equal(timings->tasks, middle, timings->strata).first <= task)
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
    for (int k = 0; k < timings->strata; k++) {
        const struct task_range own = strata_equal(timings->tasks, k, timings->strata);
        if (!isnan(timings->stratum_s[k])) {
            const int64_t first = count == 0 ? 0 : own.first;
            strata[count++] = (struct stratum){first,
                                               own.first + own.count - first,
                                               {timings->place[k], 1},
                                               timings->stratum_s[k]};
        } else if (count > 0) {
            strata[count - 1].count += own.count;
        }
    }
    return count;
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

/* Of the mean; one alone says nothing of that, and is taken to be off by half. */
static double error_of(const struct survey_size *size)
{
    const double count = (double)size->reported, mean = mean_of(size);
    return count > 1 ? sqrt(fmax(0, size->squares / count - mean * mean) / (count - 1)) : mean / 2;
}

double survey_timings_latency(const struct survey_timings *timings)
{
    const struct survey_size *single = &timings->sizes[0];
    if (timings->size_count == 0 || single->reported == 0)
        return 0;
    for (int k = 1; k < timings->size_count; k++)
        if (timings->sizes[k].reported > 0 &&
            mean_of(&timings->sizes[k]) < LIKE_LATENCY * mean_of(single))
            return 0;
    return fmax(0, survey_timings_cost(timings).latency_s - 2 * error_of(single));
}
