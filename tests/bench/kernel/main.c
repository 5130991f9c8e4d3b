/*
 * bench-kernel: everything, or one part of it, in turns on one machine, and at the end the ratios
 * that matter with what they are to be. Times of one thread are its processor time, those of two
 * the wall's clock.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/vector/isa.h"
#include "tests/bench/kernel/bench.h"
#include "tests/bench/kernel/choice.h"
#include "tests/bench/kernel/goals.h"
#include "tests/bench/kernel/once.h"
#include "tests/bench/kernel/prices.h"
#include "tests/bench/kernel/works.h"
#include "tests/usage.h"

static const char usage[] =
    "usage: bench-kernel [--quick] [--json FILE] [--isa NAME] [--only PART]\n"
    "       bench-kernel --once METHOD --work WORK [--isa NAME] [--edge N] [--passes N]\n"
    "\n"
    "The first measures everything: about 12 minutes, with --quick (512^2 alone,\n"
    "fewer rounds) about a minute and a half. PART is one of source, orientations, tiles,\n"
    "single, sum, threads, packages, chaudhuri, reference, prices, choice.\n"
    "The second is for profilers. It runs one method (direct, orbit, fft, auto, reference,\n"
    "opencv, onednn, fftw) on one work (source, orientations, chaudhuri, sum, or a number: one\n"
    "filter of so many taps a side) and prints how many multiply-adds the work is. Without\n"
    "more, one pass over 512^2 pixels.\n";

enum { PACKAGE_BLOCK = 64 };

struct options {
    bool quick;
    const char *json, *isa, *only;
    const char *method; /* NULL: no --once */
    struct once once;
};

/* What is recorded of all comparisons. */
struct record {
    struct options options;
    FILE *json; /* NULL: none wanted */
    bool first;
    double peak, fed_peak, bandwidth;
    struct goals goals;
};

static const struct method *const everybody[] = {&method_fft,
                                                 &method_auto,
                                                 &method_direct,
                                                 &method_orbit,
#ifdef BENCH_OPENCV
                                                 &method_opencv,
#endif
#ifdef BENCH_ONEDNN
                                                 &method_onednn,
#endif
#ifdef BENCH_FFTW
                                                 &method_fftw,
#endif
                                                 NULL};
static const struct method *const ourselves[] = {&method_fft, &method_auto, &method_direct,
                                                 &method_orbit, NULL};
static const struct method *const small[] = {&method_fft, &method_reference, NULL};
static const struct method *const sums[] = {&method_fft, &method_auto, &method_direct,
                                            &method_passes, NULL};
static const struct method *const pairs[] = {&method_alone, &method_auto, NULL};

static void compare(struct record *record, struct comparison *comparison, const struct work *work,
                    int tile, int threads, const struct method *const *methods)
{
    const struct setting setting = {.tile = tile, .threads = threads};
    const bool quick = record->options.quick;
    const struct limits limits = {
        .least = 3, .rounds = quick ? 5 : 15, .budget_s = quick ? 1.5 : 10, .peaks = true};
    int count = 0;
    while (methods[count])
        count++;
    comparison_make(comparison, work, &setting, methods, count, &limits);
    comparison_print(comparison);
    record->peak = fmax(record->peak, comparison->peak);
    record->fed_peak = fmax(record->fed_peak, comparison->fed_peak);
    if (record->json) {
        comparison_json(comparison, record->json, record->first);
        record->first = false;
    }
}

static double ratio(const struct comparison *comparison, const char *other, const char *ours)
{
    return comparison_least(comparison, other) / comparison_least(comparison, ours);
}

/* In naive multiply-adds of one thread; NAN: there was no comparison. */
static double part_of_peak(const struct comparison *comparison, const char *method)
{
    if (!comparison)
        return (double)NAN;
    const struct work *work = comparison->work;
    return work->taps * work->edge * work->edge / comparison_least(comparison, method) /
           comparison->peak;
}

/* One bank on images of several sizes, with everybody. */
enum { EDGES = 3 };
static const int edges[EDGES] = {512, 1024, 2048};

struct comparisons {
    struct comparison at[EDGES];
    struct work works[EDGES];
    int count;
};

static void comparisons_make(struct record *record, struct comparisons *comparisons,
                             const char *name, const struct bank *bank)
{
    const int limit = record->options.quick ? 512 : 2048;
    comparisons->count = 0;
    for (int i = 0; i < EDGES && edges[i] <= limit; i++) {
        work_init(&comparisons->works[i], name, bank, edges[i]);
        compare(record, &comparisons->at[i], &comparisons->works[i], 256, 1, everybody);
        comparisons->count++;
    }
}

/* The one on images of edges[i]; NULL: was left out. */
static const struct comparison *comparisons_find(const struct comparisons *comparisons, int i)
{
    return i < comparisons->count ? &comparisons->at[i] : NULL;
}

static void comparisons_release(struct comparisons *comparisons)
{
    for (int i = 0; i < comparisons->count; i++)
        work_release(&comparisons->works[i]);
}

static void bench_source(struct record *record)
{
    struct goals *goals = &record->goals;
    struct bank *bank = bank_of_source();
    struct comparisons comparisons;
    comparisons_make(record, &comparisons, "210 filters", bank);
    for (int i = 0; i < EDGES; i++)
        goals_at_least(goals, part_of_peak(comparisons_find(&comparisons, i), "auto"), 3,
                       "210 filters, %d^2: part of peak, in naive taps", edges[i]);
    for (int i = 0; i < 2; i++)
        goals_at_least(goals, ratio(comparisons_find(&comparisons, i), "opencv", "auto"), 16,
                       "210 filters, %d^2: OpenCV / ours", edges[i]);
    for (int i = 0; i < EDGES; i++)
        goals_at_least(goals, ratio(comparisons_find(&comparisons, i), "fftw", "auto"), 1.6,
                       "210 filters, %d^2: FFTW / ours", edges[i]);
    comparisons_release(&comparisons);
    bank_free(&bank);
}

static void bench_orientations(struct record *record)
{
    struct bank *bank = bank_of_orientations();
    struct comparisons comparisons;
    comparisons_make(record, &comparisons, "30 orientations of 15", bank);
    goals_at_least(&record->goals, ratio(comparisons_find(&comparisons, 1), "opencv", "auto"), 20,
                   "30 orientations of 15, %d^2: OpenCV / ours", edges[1]);
    comparisons_release(&comparisons);
    bank_free(&bank);
}

/* Measured on tiles of all sizes and on two threads; with --quick only the first ones are. */
static const struct subject {
    const char *name;
    struct bank *(*bank)(void); /* NULL: one filter of so many taps a side */
    int taps;
} subjects[] = {{"210 filters", bank_of_source, 0},
                {"one filter of 31", NULL, 31},
                {"30 orientations of 15", bank_of_orientations, 0},
                {"chaudhuri", bank_of_chaudhuri, 0},
                {"one filter of 21", NULL, 21},
                {"one filter of 11", NULL, 11},
                {"one filter of 7", NULL, 7}};
enum { SUBJECTS = sizeof subjects / sizeof *subjects, SUBJECTS_QUICK = 2 };

static int subject_count(const struct record *record)
{
    return record->options.quick ? SUBJECTS_QUICK : SUBJECTS;
}

static struct bank *subject_bank(const struct subject *subject)
{
    return subject->bank ? subject->bank() : bank_of_random(1, subject->taps);
}

/* Of the first subject, direct's share of the peak is wanted. */
static void bench_tiles_of(struct record *record, const struct subject *subject)
{
    struct bank *bank = subject_bank(subject);
    struct work work;
    work_init(&work, subject->name, bank, record->options.quick ? 512 : 1024);
    for (int tile = 16; tile <= 1024; tile *= 2) {
        struct comparison comparison;
        const bool fits = tile <= work.edge;
        if (fits)
            compare(record, &comparison, &work, tile, 1, ourselves);
        if (subject == subjects)
            goals_at_least(&record->goals, part_of_peak(fits ? &comparison : NULL, "direct"), 0.9,
                           "%s, %d^2, tile %d: direct, part of peak", work.name, work.edge, tile);
    }
    work_release(&work);
    bank_free(&bank);
}

static void bench_tiles(struct record *record)
{
    for (int i = 0; i < subject_count(record); i++)
        bench_tiles_of(record, &subjects[i]);
}

/* One filter of so many taps a side; zero: nothing in particular is wanted. */
struct single {
    const char *name;
    int taps;
    double part_of_peak, opencv;
};

static void bench_single(struct record *record, const struct single *single)
{
    struct bank *bank = bank_of_random(1, single->taps);
    struct comparisons comparisons;
    comparisons_make(record, &comparisons, single->name, bank);
    for (int i = 0; i < EDGES && single->part_of_peak > 0; i++)
        goals_at_least(&record->goals, part_of_peak(comparisons_find(&comparisons, i), "direct"),
                       single->part_of_peak, "%s, %d^2: direct, part of peak", single->name,
                       edges[i]);
    if (single->opencv > 0)
        goals_at_least(&record->goals, ratio(comparisons_find(&comparisons, 2), "opencv", "auto"),
                       single->opencv, "%s, %d^2: OpenCV / ours", single->name, edges[2]);
    comparisons_release(&comparisons);
    bank_free(&bank);
}

static void bench_singles(struct record *record)
{
    static const struct single singles[] = {{"one filter of 31", 31, 0.88, 3.5},
                                            {"one filter of 21", 21, 0.83, 3.5},
                                            {"one filter of 11", 11, 0, 0},
                                            {"one filter of 7", 7, 0.70, 0}};
    for (size_t i = 0; i < sizeof singles / sizeof *singles; i++)
        bench_single(record, &singles[i]);
}

static void bench_chaudhuri(struct record *record)
{
    struct bank *bank = bank_of_chaudhuri();
    struct comparisons comparisons;
    comparisons_make(record, &comparisons, "chaudhuri", bank);
    comparisons_release(&comparisons);
    bank_free(&bank);
}

static void bench_sum(struct record *record)
{
    struct bank *bank = bank_of_sum();
    struct work work;
    struct comparison comparison;
    work_init(&work, "sum of 210", bank, 512);
    compare(record, &comparison, &work, 256, 1, sums);
    goals_at_least(&record->goals, ratio(&comparison, "210 passes", "auto"), 80,
                   "sum of the 210, %d^2: 210 direct passes / ours", work.edge);
    work_release(&work);
    bank_free(&bank);
}

static void bench_reference(struct record *record)
{
    struct bank *bank = bank_of_chaudhuri();
    struct work work;
    struct comparison comparison;
    work_init(&work, "chaudhuri", bank, 256);
    compare(record, &comparison, &work, 256, 1, small);
    work_release(&work);
    bank_free(&bank);
}

/* The first subject with everybody, too. */
static void bench_threads_of(struct record *record, const struct subject *subject)
{
    struct bank *bank = subject_bank(subject);
    struct work work;
    struct comparison comparison;
    work_init(&work, subject->name, bank, record->options.quick ? 512 : 1024);
    if (subject == subjects)
        compare(record, &comparison, &work, 64, 2, everybody);
    compare(record, &comparison, &work, 64, 2, pairs);
    goals_at_least(&record->goals, ratio(&comparison, "auto alone", "auto"), 1.9,
                   "%s, %d^2: 1 thread / 2 threads", work.name, work.edge);
    work_release(&work);
    bank_free(&bank);
}

static void bench_threads(struct record *record)
{
    for (int i = 0; i < subject_count(record); i++)
        bench_threads_of(record, &subjects[i]);
}

static void package_json(struct record *record, const char *bank, int edge, int threads,
                         const char *pixels, const struct samples *samples)
{
    if (!record->json)
        return;
    fprintf(record->json,
            "%s    {\"work\": \"packages of %s\", \"edge\": %d, \"tile\": %d, \"threads\": %d, "
            "\"method\": \"%s\", \"least_s\": %.9g, \"median_s\": %.9g, \"samples\": %d}",
            record->first ? "" : ",\n", bank, edge, PACKAGE_BLOCK, threads, pixels,
            samples_least(samples), samples_median(samples), samples->count);
    record->first = false;
}

static void package_goals(struct goals *goals, const char *bank, int edge,
                          const struct package_times *times)
{
    const double u8 = samples_least(&times->u8), u16 = samples_least(&times->u16);
    const double f32 = samples_least(&times->f32);
    printf("\npackages of %s, %d x %d, block %d: 8 bits %.3f ms, 16 bits %.3f ms, floats %.3f "
           "ms\n",
           bank, edge, edge, PACKAGE_BLOCK, 1e3 * u8, 1e3 * u16, 1e3 * f32);
    goals_at_least(goals, samples_least(&times->one) / samples_least(&times->two), 1.9,
                   "packages of %s, %d^2: 1 thread / 2 threads", bank, edge);
    goals_at_most(goals, u8 / f32, 1.05, "packages of %s, %d^2: 8-bit / float input", bank, edge);
    goals_at_most(goals, u16 / f32, 1.05, "packages of %s, %d^2: 16-bit / float input", bank, edge);
}

static void bench_package(struct record *record, const char *bank)
{
    struct package_times times;
    const int edge = record->options.quick ? 512 : 1024, rounds = record->options.quick ? 5 : 15;
    if (!packages_time(&times, bank, "max", edge, PACKAGE_BLOCK, rounds))
        abort();
    package_goals(&record->goals, bank, edge, &times);
    package_json(record, bank, edge, 1, "8 bits", &times.u8);
    package_json(record, bank, edge, 1, "16 bits", &times.u16);
    package_json(record, bank, edge, 1, "floats", &times.f32);
    package_json(record, bank, edge, 1, "floats, wall", &times.one);
    package_json(record, bank, edge, 2, "floats, wall", &times.two);
}

static void bench_packages(struct record *record)
{
    bench_package(record, "source");
    bench_package(record, "chaudhuri");
}

static void bench_prices(struct record *record)
{
    prices_print(record->options.quick ? 1 : 5);
}

static void bench_choice(struct record *record)
{
    const double worst = choice_measure(record->options.quick ? 3 : 15);
    goals_at_least(&record->goals, 1 / worst, 0.9,
                   "the better algorithm / the chosen one, at the worst");
}

static const struct part {
    const char *name;
    void (*run)(struct record *record);
} parts[] = {{"source", bench_source},
             {"orientations", bench_orientations},
             {"tiles", bench_tiles},
             {"single", bench_singles},
             {"sum", bench_sum},
             {"threads", bench_threads},
             {"packages", bench_packages},
             {"chaudhuri", bench_chaudhuri},
             {"reference", bench_reference},
             {"prices", bench_prices},
             {"choice", bench_choice}};
enum { PARTS = sizeof parts / sizeof *parts };

static const struct part *part_find(const char *name)
{
    for (int i = 0; i < PARTS; i++)
        if (strcmp(parts[i].name, name) == 0)
            return &parts[i];
    return NULL;
}

/* NULL: unknown, or not installed. */
static const struct method *method_find(const char *name)
{
    static const struct method *const others[] = {&method_reference, &method_passes, NULL};
    for (int i = 0; everybody[i]; i++)
        if (strcmp(everybody[i]->name, name) == 0)
            return everybody[i];
    for (int i = 0; others[i]; i++)
        if (strcmp(others[i]->name, name) == 0)
            return others[i];
    return NULL;
}

/* 0: not a number from 1 to 2^14. */
static int count_parse(const char *word)
{
    char *end;
    const long count = strtol(word, &end, 10);
    return *end == '\0' && count >= 1 && count <= 1 << 14 ? (int)count : 0;
}

/* An option that has a value. */
static bool option_set(struct options *options, const char *name, const char *value)
{
    const struct {
        const char *name;
        const char **word;
        int *number;
    } known[] = {{"--json", &options->json, NULL},         {"--isa", &options->isa, NULL},
                 {"--only", &options->only, NULL},         {"--once", &options->method, NULL},
                 {"--work", &options->once.work, NULL},    {"--edge", NULL, &options->once.edge},
                 {"--passes", NULL, &options->once.passes}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].name, name) != 0)
            continue;
        if (known[i].word)
            *known[i].word = value;
        else
            *known[i].number = count_parse(value);
        return true;
    }
    return false;
}

static bool options_check(const struct options *options)
{
    if (!isa_pin(options->isa) || (options->only && !part_find(options->only)))
        return false;
    if (!options->method)
        return !options->once.work;
    return method_find(options->method) && options->once.work && options->once.edge > 0 &&
           options->once.passes > 0;
}

static bool options_parse(struct options *options, int count, char **words)
{
    *options = (struct options){.isa = "auto", .once = {.edge = 512, .passes = 1}};
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--quick") == 0)
            options->quick = true;
        else if (i + 1 < count && option_set(options, words[i], words[i + 1]))
            i++;
        else
            return false;
    }
    return options_check(options);
}

static void results_end(const struct record *record)
{
    fprintf(record->json, "\n  ],\n  \"goals\": ");
    goals_json(&record->goals, record->json);
    fprintf(record->json,
            ",\n  \"peak_multiply_adds_per_s\": %.6g, "
            "\"fed_peak_multiply_adds_per_s\": %.6g, \"memory_bytes_per_s\": %.6g }\n",
            record->peak, record->fed_peak, record->bandwidth);
}

static void bench_all(struct record *record)
{
    printf("ours and the peak: instruction set %s; OpenCV, oneDNN and FFTW use the best they know "
           "here\nmemory %.1f GB/s\n",
           isa_name(isa_current()), record->bandwidth / 1e9);
    if (record->json)
        fprintf(record->json,
                "{ \"schema\": \"scow-bench-kernel-3\", \"isa\": \"%s\",\n"
                "  \"results\": [\n",
                isa_name(isa_current()));
    for (int i = 0; i < PARTS; i++)
        if (!record->options.only || part_find(record->options.only) == &parts[i])
            parts[i].run(record);
    goals_print(&record->goals);
    if (record->json)
        results_end(record);
}

static int profile_run(const struct options *options)
{
    if (once_run(&options->once, method_find(options->method)))
        return 0;
    fprintf(stderr, "bench-kernel: %s cannot do %s, or there is no such work; see the usage\n",
            options->method, options->once.work);
    return 1;
}

int main(int count, char **words)
{
    static struct record record = {.first = true};
    if (usage_asked(count, words, usage))
        return 0;
    if (!options_parse(&record.options, count, words)) {
        fputs(usage, stderr);
        return 2;
    }
    if (record.options.method)
        return profile_run(&record.options);
    if (record.options.json) {
        record.json = fopen(record.options.json, "w");
        if (!record.json) {
            perror(record.options.json);
            return 1;
        }
    }
    record.bandwidth = machine_bandwidth();
    bench_all(&record);
    return record.json && fclose(record.json) != 0 ? 1 : 0;
}
