/*
 * bench-kernel [--quick] [--json FILE] [--isa NAME] [--only PART]: everything, or one part of it,
 * in turns on one machine, and the ratios that matter. Times of one thread are its processor time,
 * those of two the wall's clock.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kernel.h"
#include "tests/bench/kernel/bench.h"
#include "tests/bench/kernel/choice.h"
#include "tests/bench/kernel/works.h"

enum { PACKAGE_BLOCK = 64 };

struct options {
    bool quick;
    const char *json, *isa, *only;
};

/* What is kept of all contests, for the ratios. */
struct record {
    struct options options;
    FILE *json; /* NULL: none wanted */
    bool first;
    double peak, fed_peak, bandwidth;
};

static const struct rival *const everybody[] = {&rival_fft,    &rival_auto,
                                                &rival_direct, &rival_orbit,
#ifdef BENCH_OPENCV
                                                &rival_opencv,
#endif
#ifdef BENCH_ONEDNN
                                                &rival_onednn,
#endif
#ifdef BENCH_FFTW
                                                &rival_fftw,
#endif
                                                NULL};
static const struct rival *const ourselves[] = {&rival_fft, &rival_auto, &rival_direct,
                                                &rival_orbit, NULL};
static const struct rival *const small[] = {&rival_fft, &rival_reference, NULL};
static const struct rival *const sums[] = {&rival_fft, &rival_auto, &rival_direct, &rival_passes,
                                           NULL};

static void hold(struct record *record, struct contest *contest, const struct work *work, int tile,
                 int threads, const struct rival *const *rivals)
{
    const struct setting setting = {.tile = tile, .threads = threads};
    const bool quick = record->options.quick;
    int count = 0;
    while (rivals[count])
        count++;
    contest_hold(contest, work, &setting, rivals, count, quick ? 2 : 3, quick ? 5 : 15,
                 quick ? 0.5 : 4);
    contest_print(contest);
    record->peak = fmax(record->peak, contest->peak);
    record->fed_peak = fmax(record->fed_peak, contest->fed_peak);
    if (record->json) {
        contest_json(contest, record->json, record->first);
        record->first = false;
    }
}

/* A ratio that is wanted to be at least so much. */
static void goal(const char *what, double measured, double wanted)
{
    if (isnan(measured))
        printf("  %-66s        -  (%.2f)\n", what, wanted);
    else
        printf("  %-66s %8.2f  (%.2f)%s\n", what, measured, wanted,
               measured < wanted ? "  short" : "");
}

static double ratio(const struct contest *contest, const char *other, const char *ours)
{
    return contest_least(contest, other) / contest_least(contest, ours);
}

/* Naive multiply-adds a second. */
static double rate_of(const struct contest *contest, const char *rival)
{
    const struct work *work = contest->work;
    return work->taps * work->edge * work->edge / contest_least(contest, rival);
}

static double part_of_peak(const struct contest *contest, const char *rival)
{
    return rate_of(contest, rival) / contest->peak;
}

/* The direct algorithm against what registers alone could do, and what they can when fed. */
static void direct_goals(const char *name, const struct contest *contest, double share)
{
    char what[80];
    snprintf(what, sizeof what, "%s, %d^2: direct, share of peak", name, contest->work->edge);
    goal(what, part_of_peak(contest, "direct"), share);
    snprintf(what, sizeof what, "%s, %d^2: direct, share of fed peak", name, contest->work->edge);
    goal(what, rate_of(contest, "direct") / contest->fed_peak, share);
}

/* One bank on images of several sizes, with everybody; goals go to a list printed at the end. */
struct contests {
    struct contest at[3];
    struct work works[3];
    int count;
};

static const int edges[] = {512, 1024, 2048};

static void contests_hold(struct record *record, struct contests *contests, const char *name,
                          const struct bank *bank, int most_edge)
{
    const int limit = record->options.quick ? 512 : most_edge;
    contests->count = 0;
    for (int i = 0; i < 3 && edges[i] <= limit; i++) {
        work_init(&contests->works[i], name, bank, edges[i]);
        hold(record, &contests->at[i], &contests->works[i], 256, 1, everybody);
        contests->count++;
    }
}

static void contests_release(struct contests *contests)
{
    for (int i = 0; i < contests->count; i++)
        work_release(&contests->works[i]);
}

static void bench_singles(struct record *record)
{
    static const char *const names[] = {"one filter of 7", "one filter of 11", "one filter of 21",
                                        "one filter of 31"};
    static const int sizes[] = {7, 11, 21, 31};
    static const double shares[] = {0.70, 0.75, 0.83, 0.88};
    for (int i = 0; i < 4; i++) {
        struct bank *bank = bank_of_random(1, sizes[i]);
        struct contests contests;
        char what[80];
        contests_hold(record, &contests, names[i], bank, 2048);
        const struct contest *last = &contests.at[contests.count - 1];
        for (int k = 0; k < contests.count; k++)
            direct_goals(names[i], &contests.at[k], shares[i]);
        snprintf(what, sizeof what, "%s, %d^2: OpenCV / ours", names[i], last->work->edge);
        goal(what, ratio(last, "opencv", "auto"), i < 2 ? 1 : 3.5);
        contests_release(&contests);
        bank_free(&bank);
    }
}

static void bench_source(struct record *record)
{
    struct bank *bank = bank_of_source();
    struct contests contests;
    contests_hold(record, &contests, "210 filters", bank, 2048);
    for (int i = 0; i < contests.count; i++) {
        const struct contest *contest = &contests.at[i];
        printf("  %d^2:\n", contest->work->edge);
        goal("210 filters: part of peak in naive taps", part_of_peak(contest, "auto"), 3);
        goal("210 filters: OpenCV / ours", ratio(contest, "opencv", "auto"), 16);
        goal("210 filters: FFTW / ours", ratio(contest, "fftw", "auto"), 1.6);
    }
    contests_release(&contests);
    bank_free(&bank);
}

static void bench_orientations(struct record *record)
{
    struct bank *bank = bank_of_orientations();
    struct contests contests;
    contests_hold(record, &contests, "30 orientations of 15", bank, 2048);
    const struct contest *contest = &contests.at[contests.count > 1 ? 1 : 0];
    goal("30 orientations of 15: OpenCV / ours", ratio(contest, "opencv", "auto"), 20);
    contests_release(&contests);
    bank_free(&bank);
}

static void bench_chaudhuri(struct record *record)
{
    struct bank *bank = bank_of_chaudhuri();
    struct contests contests;
    contests_hold(record, &contests, "chaudhuri", bank, 2048);
    contests_release(&contests);
    bank_free(&bank);
}

static void bench_sum(struct record *record)
{
    struct bank *bank = bank_of_sum();
    struct work work;
    struct contest contest;
    work_init(&work, "sum of 210", bank, 512);
    hold(record, &contest, &work, 256, 1, sums);
    goal("sum of the 210: 210 direct passes / ours", ratio(&contest, "210 passes", "auto"), 80);
    work_release(&work);
    bank_free(&bank);
}

static void bench_reference(struct record *record)
{
    struct bank *bank = bank_of_chaudhuri();
    struct work work;
    struct contest contest;
    work_init(&work, "chaudhuri", bank, 256);
    hold(record, &contest, &work, 256, 1, small);
    work_release(&work);
    bank_free(&bank);
}

static void bench_tiles(struct record *record)
{
    struct bank *source = bank_of_source(), *one = bank_of_random(1, 31);
    struct work bank_work, one_work;
    work_init(&bank_work, "210 filters", source, record->options.quick ? 512 : 1024);
    work_init(&one_work, "one filter of 31", one, 1024);
    for (int tile = 16; tile <= bank_work.edge; tile *= 2) {
        struct contest contest;
        hold(record, &contest, &bank_work, tile, 1, ourselves);
        direct_goals("210 filters", &contest, 0.9);
        hold(record, &contest, &one_work, tile, 1, ourselves);
    }
    work_release(&one_work);
    work_release(&bank_work);
    bank_free(&one);
    bank_free(&source);
}

static void bench_threads(struct record *record)
{
    struct bank *bank = bank_of_source();
    struct work work;
    struct contest contest;
    work_init(&work, "210 filters", bank, record->options.quick ? 512 : 1024);
    hold(record, &contest, &work, 64, 2, everybody);
    work_release(&work);
    bank_free(&bank);
}

static void package_json(struct record *record, const char *bank, int edge, int threads,
                         const char *pixels, const struct samples *samples)
{
    if (!record->json)
        return;
    fprintf(record->json,
            "%s    {\"work\": \"packages of %s\", \"edge\": %d, \"tile\": %d, \"threads\": %d, "
            "\"rival\": \"%s\", \"least_s\": %.9g, \"median_s\": %.9g, \"samples\": %d}",
            record->first ? "" : ",\n", bank, edge, PACKAGE_BLOCK, threads, pixels,
            samples_least(samples), samples_median(samples), samples->count);
    record->first = false;
}

static void bench_package(struct record *record, const char *bank)
{
    struct package_times times;
    const int edge = record->options.quick ? 512 : 1024, rounds = record->options.quick ? 5 : 15;
    if (!packages_hold(&times, bank, "max", edge, PACKAGE_BLOCK, rounds))
        abort();
    const double u8 = samples_least(&times.u8), u16 = samples_least(&times.u16);
    const double f32 = samples_least(&times.f32);
    printf("\npackages of %s, blocks of %d: 8 bits %.3f ms, 16 bits %.3f ms, floats %.3f ms\n",
           bank, PACKAGE_BLOCK, 1e3 * u8, 1e3 * u16, 1e3 * f32);
    goal("float input / 8-bit input", f32 / u8, 1 / 1.05);
    goal("float input / 16-bit input", f32 / u16, 1 / 1.05);
    goal("1 thread / 2 threads, by the wall's clock",
         samples_least(&times.one) / samples_least(&times.two), 1.9);
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

static void bench_choice(struct record *record)
{
    const double worst = choice_hold(record->options.quick ? 5 : 15);
    goal("the better algorithm / the chosen one, at the worst", 1 / worst, 0.9);
}

static const struct part {
    const char *name;
    void (*run)(struct record *record);
} parts[] = {
    {"reference", bench_reference}, {"single", bench_singles}, {"orientations", bench_orientations},
    {"chaudhuri", bench_chaudhuri}, {"sum", bench_sum},        {"source", bench_source},
    {"tiles", bench_tiles},         {"choice", bench_choice},  {"threads", bench_threads},
    {"packages", bench_packages}};
enum { PARTS = sizeof parts / sizeof *parts };

static const struct part *part_find(const char *name)
{
    for (int i = 0; i < PARTS; i++)
        if (strcmp(parts[i].name, name) == 0)
            return &parts[i];
    return NULL;
}

static bool options_parse(struct options *options, int count, char **words)
{
    *options = (struct options){.isa = "auto"};
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--quick") == 0)
            options->quick = true;
        else if (strcmp(words[i], "--json") == 0 && i + 1 < count)
            options->json = words[++i];
        else if (strcmp(words[i], "--isa") == 0 && i + 1 < count)
            options->isa = words[++i];
        else if (strcmp(words[i], "--only") == 0 && i + 1 < count)
            options->only = words[++i];
        else
            return false;
    }
    return kernel_isa_pin(options->isa) && (!options->only || part_find(options->only));
}

static void bench_all(struct record *record)
{
    printf("instruction set %s, memory %.1f GB/s; goals in brackets\n", kernel_isa(),
           record->bandwidth / 1e9);
    if (record->json)
        fprintf(record->json,
                "{ \"schema\": \"scow-bench-kernel-1\", \"isa\": \"%s\",\n"
                "  \"results\": [\n",
                kernel_isa());
    for (int i = 0; i < PARTS; i++)
        if (!record->options.only || part_find(record->options.only) == &parts[i])
            parts[i].run(record);
    if (record->json)
        fprintf(record->json,
                "\n  ],\n  \"peak_multiply_adds_per_s\": %.6g, "
                "\"fed_peak_multiply_adds_per_s\": %.6g, \"memory_bytes_per_s\": %.6g }\n",
                record->peak, record->fed_peak, record->bandwidth);
}

int main(int count, char **words)
{
    struct record record = {.first = true};
    if (!options_parse(&record.options, count, words)) {
        fprintf(stderr, "usage: bench-kernel [--quick] [--json FILE] [--isa NAME] [--only PART]\n");
        return 2;
    }
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
