/*
 * Speed of the core task motif. First brute force, in nanoseconds of one thread's processor time a
 * start tuple: straightforward C, every instruction set on packages of indices, and matrices packed
 * and computed. Then branch and bound beside brute force. All take turns; a time is the least of
 * several rounds. Fails where outcomes differ.
 *
 * usage: bench-motif [ROUNDS]
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel/motif/outcome.h"
#include "kernel/vector/isa.h"
#include "tests/bench/motif/plain.h"
#include "tests/kernel/motif_dna.h"
#include "tests/usage.h"

enum { PLAIN = ISA_COUNT, PLAIN_NATIVE, MATRICES, PACKING, WAYS };

/* Some of a job's tuples, in packages. */
struct work {
    const char *name;
    int sequences, length, positions; /* positions 0: CRP's, all; else random letters */
    int64_t tuples, package;
};

static const struct work works[] = {
    {"6 x 12 positions, all tuples", 6, 8, 12, 2985984, 2985984},
    {"6 x 18 positions, packages of 450", 6, 8, 18, 450 * 4096, 450},
    {"6 x 18 positions, one package", 6, 8, 18, 34012224, 34012224},
    {"CRP, 4 x 98 positions, one package", 4, 8, 0, 92236816, 92236816},
    {"CRP, 4 x 90 positions, one package", 4, 16, 0, 65610000, 65610000},
    {"2 x 20000 positions, one package", 2, 12, 20000, 400000000, 400000000},
};

/* Straightforward C, matrices: no more tuples than this, the first ones. */
enum { SLOW_TUPLES = 1 << 20 };

struct bench {
    const struct work *work;
    struct motif_sequences sequences;
    struct motif_trial indices[ISA_COUNT], matrices; /* opened: job is not NULL */
    struct plain plain;
    uint8_t *numbers[SEQUENCES_MOST];
    void *workspace;
    size_t state_size;
    char *package;
    double least_s[WAYS];
    struct outcome *outcome[WAYS];
};

static void *must(void *memory)
{
    if (memory == NULL) {
        fputs("bench-motif: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return memory;
}

static void *zeroed(size_t size)
{
    return memset(must(aligned_alloc(4096, (size + 4095) / 4096 * 4096)), 0, size);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void trial_open(struct motif_trial *trial, const struct motif_sequences *sequences,
                       const struct motif_wanted *wanted)
{
    if (!motif_trial_open(trial, sequences, wanted)) {
        fprintf(stderr, "bench-motif: %s\n", trial->memory.failure);
        exit(EXIT_FAILURE);
    }
}

static void sequences_make(struct motif_sequences *sequences, int count, int length, int positions)
{
    struct random random = {7};
    if (positions == 0)
        dna_crp(sequences);
    else
        dna_random(sequences, &random, count, 4, positions + length - 1, positions + length - 1);
}

static bool is_slow(int way)
{
    return way >= PLAIN;
}

static int64_t tuples_of(const struct bench *bench, int way)
{
    const int64_t tuples = bench->work->tuples;
    return is_slow(way) && tuples > SLOW_TUPLES ? SLOW_TUPLES : tuples;
}

/* One package, into the way's outcome. */
static void package_compute(struct bench *bench, struct motif_trial *trial, int64_t first,
                            int64_t count, struct outcome *outcome)
{
    const size_t size = motif_task.package_size_most(trial->job, count);
    const struct scow_batch batch = {.first = first,
                                     .count = count,
                                     .package =
                                         bench->package + (size_t)first * (size / (size_t)count),
                                     .package_size = size,
                                     .package_first = first,
                                     .package_count = count,
                                     .workspace = bench->workspace,
                                     .state = outcome,
                                     .threads = 1,
                                     .rank = 1};
    if (motif_task.compute(&trial->memory.host, trial->job, &batch) != SCOW_OK)
        abort();
}

static void package_pack(struct bench *bench, int64_t first, int64_t count)
{
    struct motif_trial *trial = &bench->matrices;
    size_t size = motif_task.package_size_most(trial->job, count);
    char *package = bench->package + (size_t)first * (size / (size_t)count);
    if (motif_task.pack(&trial->memory.host, trial->job, first, count, package, &size) != SCOW_OK)
        abort();
}

static void packages_run(struct bench *bench, int way)
{
    const int64_t tuples = tuples_of(bench, way);
    for (int64_t first = 0; first < tuples; first += bench->work->package) {
        const int64_t left = tuples - first;
        const int64_t count = left < bench->work->package ? left : bench->work->package;
        if (way == PACKING)
            package_pack(bench, first, count);
        else
            package_compute(bench, way == MATRICES ? &bench->matrices : &bench->indices[way], first,
                            count, bench->outcome[way]);
    }
}

static void plain_take(struct bench *bench, int way)
{
    struct plain_best best;
    memset(bench->plain.position, 0, sizeof bench->plain.position);
    if (way == PLAIN)
        best = plain_run(&bench->plain, tuples_of(bench, way));
    else
        best = plain_run_native(&bench->plain, tuples_of(bench, way));
    bench->outcome[way]->score = (uint32_t)best.score;
    for (int i = 0; i < bench->plain.sequences; i++)
        bench->outcome[way]->start[i] = (uint32_t)best.position[i];
}

static void turn_take(struct bench *bench, int way)
{
    const double start_s = now_s();
    if (way == PLAIN || way == PLAIN_NATIVE)
        plain_take(bench, way);
    else
        packages_run(bench, way);
    bench->least_s[way] = fmin(bench->least_s[way], now_s() - start_s);
}

static void plain_init(struct bench *bench)
{
    struct plain *plain = &bench->plain;
    plain->sequences = bench->work->sequences;
    plain->length = bench->work->length;
    for (int i = 0; i < plain->sequences; i++) {
        const char *letters = bench->sequences.letters[i];
        const size_t size = strlen(letters);
        bench->numbers[i] = must(malloc(size));
        for (size_t k = 0; k < size; k++)
            bench->numbers[i][k] = (uint8_t)(strchr("ACGT", letters[k]) - "ACGT");
        plain->letters[i] = bench->numbers[i];
        plain->starts[i] = (int)size - plain->length + 1;
    }
}

static void bench_init(struct bench *bench, const struct work *work)
{
    struct scow_results results = {0};
    struct motif_wanted wanted = {.sequences = work->sequences, .length = work->length, .grain = 1};
    *bench = (struct bench){.work = work};
    sequences_make(&bench->sequences, work->sequences, work->length, work->positions);
    for (int isa = 0; isa < ISA_COUNT; isa++)
        if (isa_pin(isa_name((enum isa)isa)))
            trial_open(&bench->indices[isa], &bench->sequences, &wanted);
    wanted.ship = MOTIF_MATRICES;
    trial_open(&bench->matrices, &bench->sequences, &wanted);
    motif_task.results(bench->matrices.job, &results);
    bench->state_size = results.state_size;
    bench->workspace = zeroed(motif_task.workspace_size(bench->matrices.job, 1));
    bench->package =
        zeroed(motif_task.package_size_most(bench->matrices.job, tuples_of(bench, MATRICES)));
    for (int way = 0; way < WAYS; way++) {
        bench->outcome[way] = zeroed(bench->state_size);
        bench->least_s[way] = HUGE_VAL;
    }
    plain_init(bench);
}

static void bench_release(struct bench *bench)
{
    for (int isa = 0; isa < ISA_COUNT; isa++)
        if (bench->indices[isa].job != NULL)
            motif_trial_close(&bench->indices[isa]);
    motif_trial_close(&bench->matrices);
    for (int i = 0; i < bench->work->sequences; i++)
        free(bench->numbers[i]);
    for (int way = 0; way < WAYS; way++)
        free(bench->outcome[way]);
    free(bench->package);
    free(bench->workspace);
    dna_release(&bench->sequences);
}

static bool has(const struct bench *bench, int way)
{
    return way >= ISA_COUNT || bench->indices[way].job != NULL;
}

/* The ways that did the same tuples found the same. */
static void outcomes_compare(const struct bench *bench)
{
    for (int way = 0; way < PACKING; way++) {
        const int other = is_slow(way) ? PLAIN : ISA_BASELINE;
        if (has(bench, way) &&
            memcmp(bench->outcome[way], bench->outcome[other], bench->state_size) != 0) {
            fprintf(stderr, "bench-motif: %s: other outcomes\n", bench->work->name);
            exit(EXIT_FAILURE);
        }
    }
}

static void bench_print(const struct bench *bench)
{
    static const char *const names[WAYS] = {[PLAIN] = "plain C, -O3",
                                            [PLAIN_NATIVE] = "plain C, -O3 -march=native",
                                            [MATRICES] = "matrices, computing",
                                            [PACKING] = "matrices, packing"};
    const double plain_s = bench->least_s[PLAIN] / (double)tuples_of(bench, PLAIN);
    printf("%s, motif of %d\n", bench->work->name, bench->work->length);
    for (int way = 0; way < WAYS; way++) {
        const double tuple_s = bench->least_s[way] / (double)tuples_of(bench, way);
        if (has(bench, way))
            printf("  %-27s %9.4f ns a tuple %8.1f x plain\n",
                   way < ISA_COUNT ? isa_name((enum isa)way) : names[way], 1e9 * tuple_s,
                   plain_s / tuple_s);
    }
    fflush(stdout);
}

static void work_run(const struct work *work, int rounds)
{
    struct bench bench;
    bench_init(&bench, work);
    packages_run(&bench, PACKING);
    for (int round = 0; round < rounds; round++)
        for (int way = 0; way < WAYS; way++)
            if (has(&bench, way))
                turn_take(&bench, way);
    outcomes_compare(&bench);
    bench_print(&bench);
    bench_release(&bench);
}

/* Making a job ready, and all its core tasks in one package. */
struct timed {
    double open_s, run_s;
    char *json;
};

static void timed_run(struct timed *timed, const struct motif_sequences *sequences,
                      const struct motif_wanted *wanted)
{
    struct motif_trial trial;
    const double start_s = now_s();
    trial_open(&trial, sequences, wanted);
    const double opened_s = now_s();
    free(timed->json);
    if (motif_trial_run(&trial, trial.setup.tasks, 1, 0, &timed->json) != SCOW_OK)
        abort();
    timed->open_s = fmin(timed->open_s, opened_s - start_s);
    timed->run_s = fmin(timed->run_s, now_s() - opened_s);
    motif_trial_close(&trial);
}

/* positions 0: CRP. Brute force where there are not too many tuples. */
static void bounds_run(int sequences, int length, int positions, bool brute, int rounds)
{
    struct motif_sequences dna;
    struct timed timed[2] = {{HUGE_VAL, HUGE_VAL, NULL}, {HUGE_VAL, HUGE_VAL, NULL}};
    sequences_make(&dna, sequences, length, positions);
    for (int round = 0; round < rounds; round++)
        for (int search = brute ? 0 : 1; search < 2; search++) {
            const struct motif_wanted wanted = {
                .sequences = sequences, .length = length, .search = (enum motif_search_word)search};
            timed_run(&timed[search], &dna, &wanted);
        }
    printf("  %-6s %3d %6d ", positions > 0 ? "random" : "CRP", sequences, length);
    if (brute)
        printf("%12.3f ", 1e3 * (timed[0].open_s + timed[0].run_s));
    else
        printf("%12s ", "");
    printf("%12.3f %12.3f %7d\n", 1e3 * timed[1].open_s, 1e3 * timed[1].run_s,
           motif_score(timed[1].json));
    fflush(stdout);
    if (brute && strcmp(timed[0].json, timed[1].json) != 0) {
        fputs("bench-motif: branch and bound has another outcome\n", stderr);
        exit(EXIT_FAILURE);
    }
    free(timed[0].json);
    free(timed[1].json);
    dna_release(&dna);
}

static const char usage_text[] = "usage: bench-motif [ROUNDS]\n"
                                 "The core task `motif` beside plain C, the least of 7 rounds.\n";

int main(int argc, char **argv)
{
    if (usage_asked(argc, argv, usage_text))
        return 0;
    const int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 7;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        work_run(&works[i], rounds);
    isa_pin("auto");
    printf("milliseconds of one thread (%s)\n  %-6s %3s %6s %12s %12s %12s %7s\n",
           isa_name(isa_current()), "", "t", "l", "brute force", "bounds", "branch+bound", "score");
    bounds_run(6, 8, 18, true, rounds);
    for (int sequences = 3; sequences <= 14; sequences++)
        bounds_run(sequences, 8, 0, sequences <= 5, sequences <= 5 ? rounds : 2);
    for (int sequences = 3; sequences <= 8; sequences++)
        bounds_run(sequences, 16, 0, sequences <= 4, sequences <= 5 ? rounds : 2);
    return 0;
}
