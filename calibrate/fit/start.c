#include "calibrate/fit/start.h"

#include <math.h>

#include "calibrate/fit/student.h"

/* Starts of one program differ by so much, relative: what they were seen to differ by counts beside
 * it as what so many more timings would say, for a few that happened to agree say little of how far
 * the next one is off. */
static const double usual_deviation = 0.01;
enum { USUAL_FREEDOM = 2 };
/* A first package takes longer than others by cold memory alone; a start is longer than this, and
 * than this part of computing the package. */
static const double start_least_s = 0.01, start_least = 0.2;
/* And its mean is longer than what later packages are off their fit by chance: where core tasks are
 * unlike each other, a first one that is long tells nothing of a start. */
static const double deviations_least = 3;

struct moments {
    double sum_s, squares_s2; /* the latter of deviations from the mean */
    int n;
};

static bool is_of(const struct sample *sample, int setting, const struct worker_class *class,
                  enum operation operation)
{
    return sample->setting == setting && sample->operation == operation &&
           sample->rank >= class->least && sample->rank <= class->greatest;
}

static const struct costs *compute_of(const struct worker_class *class)
{
    int k = 0;
    while (class_operations[k] != OPERATION_COMPUTE)
        k++;
    return &class->costs[k];
}

static double expected_s(const struct worker_class *class, const struct sample *sample)
{
    const double tasks = (double)sample->tasks;
    return cost_of(costs_find(compute_of(class), tasks)->cost.cost, tasks);
}

/* Of a worker's first package since it was begun anew: what it took beyond computing; 0: nothing
 * to speak of. */
static double beyond_s(const struct worker_class *class, const struct sample *first)
{
    const double compute_s = expected_s(class, first);
    const double more_s = first->seconds - compute_s;
    return more_s > fmax(start_least_s, start_least * compute_s) ? more_s : 0;
}

/* What later packages are off by, as the standard deviation of one core task, of which a package is
 * a sum, seconds; 0: there are none. */
static double chance_s(const struct samples *samples, int setting, const struct worker_class *class)
{
    double squares_s2 = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        if (sample->fresh || !is_of(sample, setting, class, OPERATION_COMPUTE))
            continue;
        const double off_s = sample->seconds - expected_s(class, sample);
        squares_s2 += off_s * off_s / (double)sample->tasks;
        count++;
    }
    return count > 0 ? sqrt(squares_s2 / (double)count) : 0;
}

/* Welford, Note on a method for calculating corrected sums of squares, 1962. */
static void moments_add(struct moments *moments, double seconds)
{
    const double before_s = moments->n > 0 ? moments->sum_s / moments->n : seconds;
    moments->sum_s += seconds;
    moments->n++;
    moments->squares_s2 += (seconds - before_s) * (seconds - moments->sum_s / moments->n);
}

/* Relative, and wide enough for so few. */
static double deviation_of(const struct moments *moments, double mean_s)
{
    const double freedom = moments->n - 1 + USUAL_FREEDOM;
    const double squares =
        moments->squares_s2 / (mean_s * mean_s) + USUAL_FREEDOM * usual_deviation * usual_deviation;
    return student_widening(freedom) * sqrt(squares / freedom);
}

static struct measured_cost latency_of(const struct moments *moments)
{
    const double mean_s = moments->sum_s / moments->n;
    const double deviation = deviation_of(moments, mean_s);
    return (struct measured_cost){.cost = {mean_s, 0},
                                  .fit = {.stderr_latency_s = deviation * mean_s / sqrt(moments->n),
                                          .deviation = deviation,
                                          .n = moments->n}};
}

struct measured_cost start_fit(const struct samples *samples, int setting,
                               const struct worker_class *class)
{
    struct moments told = {0, 0, 0}, beyond = {0, 0, 0};
    int64_t fresh_tasks = 0;
    int fresh = 0;
    for (int64_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        if (is_of(sample, setting, class, OPERATION_START) && sample->seconds > 0)
            moments_add(&told, sample->seconds);
        if (!sample->fresh || !is_of(sample, setting, class, OPERATION_COMPUTE))
            continue;
        const double more_s = beyond_s(class, sample);
        fresh++;
        fresh_tasks += sample->tasks;
        if (more_s > 0)
            moments_add(&beyond, more_s);
    }
    const struct moments *most = told.n >= beyond.n ? &told : &beyond;
    const double chance = chance_s(samples, setting, class) * sqrt((double)fresh_tasks);
    if (most->n == 0 || 2 * most->n < fresh ||
        (most == &beyond && beyond.sum_s < deviations_least * chance))
        return (struct measured_cost){.cost = {0, 0}};
    return latency_of(most);
}
