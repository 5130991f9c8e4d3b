#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/bench/kernel/bench.h"

void samples_add(struct samples *samples, double seconds)
{
    if (samples->count < SAMPLES_MOST)
        samples->seconds[samples->count++] = seconds;
}

double samples_least(const struct samples *samples)
{
    double least = samples->count > 0 ? samples->seconds[0] : (double)NAN;
    for (int i = 1; i < samples->count; i++)
        least = fmin(least, samples->seconds[i]);
    return least;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double samples_median(const struct samples *samples)
{
    struct samples sorted = *samples;
    if (sorted.count == 0)
        return (double)NAN;
    qsort(sorted.seconds, (size_t)sorted.count, sizeof *sorted.seconds, ascending);
    const int middle = sorted.count / 2;
    return sorted.count % 2 ? sorted.seconds[middle]
                            : (sorted.seconds[middle - 1] + sorted.seconds[middle]) / 2;
}

double clock_now(int threads)
{
    struct timespec time;
    clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A rival at the start. */
struct starter {
    const struct rival *rival;
    void *state;
    float *result;
};

static size_t result_count(const struct work *work)
{
    return (size_t)work->edge * (size_t)work->edge;
}

static double difference(const struct work *work, const float *one, const float *other)
{
    double largest = 0, most = 0;
    for (size_t i = 0; i < result_count(work); i++) {
        largest = fmax(largest, fabs((double)one[i]));
        most = fmax(most, fabs((double)one[i] - (double)other[i]));
    }
    return most / largest;
}

/* Starters end with one without a rival, outcomes are in their order. */
static void contest_round(struct contest *contest, const struct starter *starters)
{
    for (const struct starter *starter = starters; starter->rival; starter++) {
        const double start = clock_now(contest->setting.threads);
        starter->rival->run(starter->state, starter->result);
        samples_add(&contest->outcomes[starter - starters].samples,
                    clock_now(contest->setting.threads) - start);
        contest->peak = fmax(contest->peak, machine_peak());
        contest->fed_peak = fmax(contest->fed_peak, machine_fed_peak());
    }
}

static void starters_release(struct starter *starters)
{
    for (struct starter *starter = starters; starter->rival; starter++)
        starter->rival->end(starter->state);
}

/* False: that rival cannot do this work. */
static bool starter_init(struct starter *starter, const struct contest *contest,
                         const struct rival *rival)
{
    void *state = rival->begin(contest->work, &contest->setting);
    if (!state)
        return false;
    *starter = (struct starter){.rival = rival, .state = state};
    return true;
}

void contest_hold(struct contest *contest, const struct work *work, const struct setting *setting,
                  const struct rival *const *rivals, int count, int least, int rounds,
                  double budget_s)
{
    struct starter starters[RIVALS_MOST + 1] = {{0}};
    *contest = (struct contest){.work = work, .setting = *setting};
    float *results = calloc(result_count(work) * RIVALS_MOST, sizeof *results);
    if (!results)
        abort();
    for (int i = 0; i < count && i < RIVALS_MOST; i++)
        if (starter_init(&starters[contest->count], contest, rivals[i]))
            contest->outcomes[contest->count++].rival = rivals[i]->name;
    for (int i = 0; i < contest->count; i++)
        starters[i].result = results + (size_t)i * result_count(work);
    const double start = clock_now(0);
    for (int round = 0; round < least || (round < rounds && clock_now(0) - start < budget_s);
         round++)
        contest_round(contest, starters);
    for (const struct starter *starter = starters; starter->rival; starter++)
        contest->outcomes[starter - starters].difference =
            difference(work, starters->result, starter->result);
    starters_release(starters);
    free(results);
}

const struct outcome *contest_find(const struct contest *contest, const char *rival)
{
    for (int i = 0; i < contest->count; i++)
        if (strcmp(contest->outcomes[i].rival, rival) == 0)
            return &contest->outcomes[i];
    return NULL;
}

double contest_least(const struct contest *contest, const char *rival)
{
    const struct outcome *outcome = contest_find(contest, rival);
    return outcome ? samples_least(&outcome->samples) : (double)NAN;
}

static double naive_rate(const struct contest *contest, double seconds)
{
    return contest->work->taps * (double)result_count(contest->work) / seconds;
}

void contest_print(const struct contest *contest)
{
    const double first = samples_least(&contest->outcomes[0].samples);
    printf("\n%s, %d x %d, tile %d, %d thread%s; peak %.1f, fed %.1f G multiply-adds/s a thread\n",
           contest->work->name, contest->work->edge, contest->work->edge, contest->setting.tile,
           contest->setting.threads, contest->setting.threads == 1 ? "" : "s", contest->peak / 1e9,
           contest->fed_peak / 1e9);
    printf("  %-10s %10s %10s %10s %9s %8s %10s\n", "", "least ms", "median ms", "G taps/s",
           "% of peak", "x first", "difference");
    for (int i = 0; i < contest->count; i++) {
        const struct outcome *outcome = &contest->outcomes[i];
        const double least = samples_least(&outcome->samples);
        const double rate = naive_rate(contest, least);
        printf("  %-10s %10.3f %10.3f %10.1f %9.1f %8.2f %10.1e\n", outcome->rival, 1e3 * least,
               1e3 * samples_median(&outcome->samples), rate / 1e9,
               100 * rate / contest->peak / contest->setting.threads, least / first,
               outcome->difference);
    }
    fflush(stdout);
}

void contest_json(const struct contest *contest, FILE *file, bool first)
{
    for (int i = 0; i < contest->count; i++) {
        const struct outcome *outcome = &contest->outcomes[i];
        const double least = samples_least(&outcome->samples);
        fprintf(file,
                "%s    {\"work\": \"%s\", \"edge\": %d, \"tile\": %d, \"threads\": %d, "
                "\"rival\": \"%s\", \"least_s\": %.9g, \"median_s\": %.9g, \"samples\": %d, "
                "\"naive_taps_per_s\": %.6g, \"part_of_peak\": %.4f, \"part_of_fed_peak\": %.4f, "
                "\"difference\": %.3g}",
                first && i == 0 ? "" : ",\n", contest->work->name, contest->work->edge,
                contest->setting.tile, contest->setting.threads, outcome->rival, least,
                samples_median(&outcome->samples), outcome->samples.count,
                naive_rate(contest, least),
                naive_rate(contest, least) / contest->peak / contest->setting.threads,
                naive_rate(contest, least) / contest->fed_peak / contest->setting.threads,
                outcome->difference);
    }
}
