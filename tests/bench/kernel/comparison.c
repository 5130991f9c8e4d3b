#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/kernel/bench.h"

/* A method made ready. */
struct entry {
    const struct method *method;
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

static void entry_pass(void *context)
{
    const struct entry *entry = context;
    entry->method->run(entry->state, entry->result);
}

/* Entries end with one without a method, outcomes are in their order. */
static void comparison_round(struct comparison *comparison, struct entry *entries, bool peaks)
{
    for (struct entry *entry = entries; entry->method; entry++) {
        const struct turn turn = {entry_pass, entry, comparison->setting.threads};
        samples_add(&comparison->outcomes[entry - entries].samples, turn_take(&turn));
        if (peaks) {
            comparison->peak = fmax(comparison->peak, machine_peak());
            comparison->fed_peak = fmax(comparison->fed_peak, machine_fed_peak());
        }
    }
}

static void entries_release(struct entry *entries)
{
    for (struct entry *entry = entries; entry->method; entry++)
        entry->method->end(entry->state);
}

/* One image after the other, each from the start of a page, as a run's results are: otherwise tiles
 * side by side, done by different threads, would share cache lines. */
static float *results_new(const struct work *work)
{
    const size_t page = 4096, bytes = result_count(work) * METHODS_MOST * sizeof(float);
    float *results = aligned_alloc(page, (bytes + page - 1) / page * page);
    if (results)
        memset(results, 0, bytes);
    return results;
}

/* Nothing, if that method cannot do this work. */
static void entry_add(struct entry *entries, struct comparison *comparison,
                      const struct method *method, float *results)
{
    struct setting setting = comparison->setting;
    if (method->alone)
        setting.threads = 1;
    void *state = method->begin(comparison->work, &setting);
    if (!state)
        return;
    const int i = comparison->count++;
    comparison->outcomes[i].method = method->name;
    comparison->outcomes[i].threads = setting.threads;
    entries[i] =
        (struct entry){method, state, results + (size_t)i * result_count(comparison->work)};
}

static bool comparison_goes_on(const struct comparison *comparison, const struct limits *limits,
                               double elapsed_s)
{
    const int round = comparison->outcomes[0].samples.count;
    if (comparison->count == 0 || round == SAMPLES_MOST)
        return false;
    return round < limits->least || (round < limits->rounds && elapsed_s < limits->budget_s);
}

void comparison_make(struct comparison *comparison, const struct work *work,
                     const struct setting *setting, const struct method *const *methods, int count,
                     const struct limits *limits)
{
    struct entry entries[METHODS_MOST + 1] = {{0}};
    *comparison = (struct comparison){.work = work, .setting = *setting};
    float *results = results_new(work);
    if (!results)
        abort();
    for (int i = 0; i < count && i < METHODS_MOST; i++)
        entry_add(entries, comparison, methods[i], results);
    const double start = clock_now(0);
    while (comparison_goes_on(comparison, limits, clock_now(0) - start))
        comparison_round(comparison, entries, limits->peaks);
    for (const struct entry *entry = entries; entry->method; entry++)
        comparison->outcomes[entry - entries].difference =
            difference(work, entries->result, entry->result);
    entries_release(entries);
    free(results);
}

const struct outcome *comparison_find(const struct comparison *comparison, const char *method)
{
    for (int i = 0; i < comparison->count; i++)
        if (strcmp(comparison->outcomes[i].method, method) == 0)
            return &comparison->outcomes[i];
    return NULL;
}

double comparison_least(const struct comparison *comparison, const char *method)
{
    const struct outcome *outcome = comparison ? comparison_find(comparison, method) : NULL;
    return outcome ? samples_least(&outcome->samples) : (double)NAN;
}

static double naive_rate(const struct comparison *comparison, double seconds)
{
    return comparison->work->taps * (double)result_count(comparison->work) / seconds;
}

void comparison_print(const struct comparison *comparison)
{
    const double first = samples_least(&comparison->outcomes[0].samples);
    printf("\n%s, %d x %d, tile %d, %d thread%s; peak %.1f, fed %.1f G multiply-adds/s a thread\n",
           comparison->work->name, comparison->work->edge, comparison->work->edge,
           comparison->setting.tile, comparison->setting.threads,
           comparison->setting.threads == 1 ? "" : "s", comparison->peak / 1e9,
           comparison->fed_peak / 1e9);
    printf("  %-10s %10s %10s %10s %9s %9s %8s %10s\n", "", "least ms", "median ms", "G taps/s",
           "% of peak", "% of fed", "x first", "difference");
    for (int i = 0; i < comparison->count; i++) {
        const struct outcome *outcome = &comparison->outcomes[i];
        const double least = samples_least(&outcome->samples);
        const double rate = naive_rate(comparison, least);
        printf("  %-10s %10.3f %10.3f %10.1f %9.1f %9.1f %8.2f %10.1e\n", outcome->method,
               1e3 * least, 1e3 * samples_median(&outcome->samples), rate / 1e9,
               100 * rate / comparison->peak / outcome->threads,
               100 * rate / comparison->fed_peak / outcome->threads, least / first,
               outcome->difference);
    }
    fflush(stdout);
}

void comparison_json(const struct comparison *comparison, FILE *file, bool first)
{
    for (int i = 0; i < comparison->count; i++) {
        const struct outcome *outcome = &comparison->outcomes[i];
        const double least = samples_least(&outcome->samples);
        const double rate = naive_rate(comparison, least);
        fprintf(file,
                "%s    {\"work\": \"%s\", \"edge\": %d, \"tile\": %d, \"threads\": %d, "
                "\"method\": \"%s\", \"least_s\": %.9g, \"median_s\": %.9g, \"samples\": %d, "
                "\"naive_taps_per_s\": %.6g, \"part_of_peak\": %.4f, \"part_of_fed_peak\": %.4f, "
                "\"difference\": %.3g}",
                first && i == 0 ? "" : ",\n", comparison->work->name, comparison->work->edge,
                comparison->setting.tile, outcome->threads, outcome->method, least,
                samples_median(&outcome->samples), outcome->samples.count, rate,
                rate / comparison->peak / outcome->threads,
                rate / comparison->fed_peak / outcome->threads, outcome->difference);
    }
}
