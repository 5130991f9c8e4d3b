#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/kernel/bench.h"

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

static void starter_pass(void *context)
{
    const struct starter *starter = context;
    starter->rival->run(starter->state, starter->result);
}

/* Starters end with one without a rival, outcomes are in their order. */
static void contest_round(struct contest *contest, struct starter *starters, bool peaks)
{
    for (struct starter *starter = starters; starter->rival; starter++) {
        const struct turn turn = {starter_pass, starter, contest->setting.threads};
        samples_add(&contest->outcomes[starter - starters].samples, turn_take(&turn));
        if (peaks) {
            contest->peak = fmax(contest->peak, machine_peak());
            contest->fed_peak = fmax(contest->fed_peak, machine_fed_peak());
        }
    }
}

static void starters_release(struct starter *starters)
{
    for (struct starter *starter = starters; starter->rival; starter++)
        starter->rival->end(starter->state);
}

/* One image after the other, each from the start of a page, as a run's results are: otherwise tiles
 * side by side, done by different threads, would share cache lines. */
static float *results_new(const struct work *work)
{
    const size_t page = 4096, bytes = result_count(work) * RIVALS_MOST * sizeof(float);
    float *results = aligned_alloc(page, (bytes + page - 1) / page * page);
    if (results)
        memset(results, 0, bytes);
    return results;
}

/* Nothing, if that rival cannot do this work. */
static void starter_enter(struct starter *starters, struct contest *contest,
                          const struct rival *rival, float *results)
{
    struct setting setting = contest->setting;
    if (rival->alone)
        setting.threads = 1;
    void *state = rival->begin(contest->work, &setting);
    if (!state)
        return;
    const int i = contest->count++;
    contest->outcomes[i].rival = rival->name;
    contest->outcomes[i].threads = setting.threads;
    starters[i] = (struct starter){rival, state, results + (size_t)i * result_count(contest->work)};
}

static bool contest_goes_on(const struct contest *contest, const struct patience *patience,
                            double elapsed_s)
{
    const int round = contest->outcomes[0].samples.count;
    if (contest->count == 0 || round == SAMPLES_MOST)
        return false;
    return round < patience->least || (round < patience->rounds && elapsed_s < patience->budget_s);
}

void contest_hold(struct contest *contest, const struct work *work, const struct setting *setting,
                  const struct rival *const *rivals, int count, const struct patience *patience)
{
    struct starter starters[RIVALS_MOST + 1] = {{0}};
    *contest = (struct contest){.work = work, .setting = *setting};
    float *results = results_new(work);
    if (!results)
        abort();
    for (int i = 0; i < count && i < RIVALS_MOST; i++)
        starter_enter(starters, contest, rivals[i], results);
    const double start = clock_now(0);
    while (contest_goes_on(contest, patience, clock_now(0) - start))
        contest_round(contest, starters, patience->peaks);
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
    const struct outcome *outcome = contest ? contest_find(contest, rival) : NULL;
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
    printf("  %-10s %10s %10s %10s %9s %9s %8s %10s\n", "", "least ms", "median ms", "G taps/s",
           "% of peak", "% of fed", "x first", "difference");
    for (int i = 0; i < contest->count; i++) {
        const struct outcome *outcome = &contest->outcomes[i];
        const double least = samples_least(&outcome->samples);
        const double rate = naive_rate(contest, least);
        printf("  %-10s %10.3f %10.3f %10.1f %9.1f %9.1f %8.2f %10.1e\n", outcome->rival,
               1e3 * least, 1e3 * samples_median(&outcome->samples), rate / 1e9,
               100 * rate / contest->peak / outcome->threads,
               100 * rate / contest->fed_peak / outcome->threads, least / first,
               outcome->difference);
    }
    fflush(stdout);
}

void contest_json(const struct contest *contest, FILE *file, bool first)
{
    for (int i = 0; i < contest->count; i++) {
        const struct outcome *outcome = &contest->outcomes[i];
        const double least = samples_least(&outcome->samples);
        const double rate = naive_rate(contest, least);
        fprintf(file,
                "%s    {\"work\": \"%s\", \"edge\": %d, \"tile\": %d, \"threads\": %d, "
                "\"rival\": \"%s\", \"least_s\": %.9g, \"median_s\": %.9g, \"samples\": %d, "
                "\"naive_taps_per_s\": %.6g, \"part_of_peak\": %.4f, \"part_of_fed_peak\": %.4f, "
                "\"difference\": %.3g}",
                first && i == 0 ? "" : ",\n", contest->work->name, contest->work->edge,
                contest->setting.tile, outcome->threads, outcome->rival, least,
                samples_median(&outcome->samples), outcome->samples.count, rate,
                rate / contest->peak / outcome->threads,
                rate / contest->fed_peak / outcome->threads, outcome->difference);
    }
}
