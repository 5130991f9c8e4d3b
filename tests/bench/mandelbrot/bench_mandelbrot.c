/*
 * Speed of the core task mandelbrot with each instruction set against plain C on the published
 * domains: all of the square in one package and in packages of one row, and every 2000th row of the
 * large one, a row a package. Prints a table; fails only where counts differ. All take turns; a
 * time is the least of several. Those of one thread are its processor time, those of two the
 * wall's clock.
 *
 * usage: bench-mandelbrot [ITERATIONS [ROUNDS]]
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel/mandelbrot/mandelbrot.h"
#include "kernel/vector/isa.h"
#include "tests/bench/mandelbrot/plain.h"
#include "tests/usage.h"

enum { THREADS_MOST = 2, PLAIN = ISA_COUNT, WAYS };

struct work {
    const char *name;
    struct domain domain;
    int64_t packages, rows, apart; /* packages of so many rows, so far apart */
};

struct bench {
    const struct work *work;
    struct trial_job jobs[ISA_COUNT]; /* opened where the instruction set is available */
    void *workspace;
    uint32_t *expected, *counts;
    double least_s[WAYS][THREADS_MOST + 1];
};

static void *allocate(size_t size)
{
    void *memory = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
    if (memory == NULL) {
        fputs("bench-mandelbrot: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return memset(memory, 0, size);
}

static double now_s(int threads)
{
    struct timespec now;
    clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static size_t work_size(const struct work *work)
{
    return (size_t)(work->packages * work->rows * work->domain.width) * sizeof(uint32_t);
}

static void packages_compute(struct bench *bench, int way, int threads, uint32_t *counts)
{
    const struct work *work = bench->work;
    for (int64_t i = 0; i < work->packages; i++) {
        const struct scow_batch batch = {.first = i * work->apart,
                                         .count = work->rows,
                                         .stride = 1,
                                         .workspace = bench->workspace,
                                         .grid = counts + i * work->rows * work->domain.width,
                                         .threads = threads};
        if (way == PLAIN)
            plain_compute(&work->domain, batch.first, batch.count, threads, batch.grid);
        else
            mandelbrot_task.compute(&bench->jobs[way].memory.host, bench->jobs[way].opened, &batch);
    }
}

static void turn_take(struct bench *bench, int way, int threads)
{
    const double start_s = now_s(threads);
    packages_compute(bench, way, threads, bench->counts);
    bench->least_s[way][threads] = fmin(bench->least_s[way][threads], now_s(threads) - start_s);
    if (memcmp(bench->counts, bench->expected, work_size(bench->work)) != 0) {
        fprintf(stderr, "bench-mandelbrot: %s: wrong counts\n", isa_name((enum isa)way));
        exit(EXIT_FAILURE);
    }
}

static void bench_init(struct bench *bench, const struct work *work)
{
    *bench = (struct bench){.work = work};
    bench->counts = allocate(work_size(work));
    bench->expected = allocate(work_size(work));
    for (int way = 0; way < WAYS; way++)
        for (int threads = 1; threads <= THREADS_MOST; threads++)
            bench->least_s[way][threads] = HUGE_VAL;
    for (int isa = 0; isa < ISA_COUNT; isa++)
        if (isa_pin(isa_name((enum isa)isa)) && !trial_job_init(&bench->jobs[isa], &work->domain)) {
            fprintf(stderr, "bench-mandelbrot: %s\n", bench->jobs[isa].memory.failure);
            exit(EXIT_FAILURE);
        }
    bench->workspace =
        allocate(mandelbrot_task.workspace_size(bench->jobs[0].opened, THREADS_MOST));
    packages_compute(bench, PLAIN, THREADS_MOST, bench->expected);
}

static void bench_release(struct bench *bench)
{
    for (int isa = 0; isa < ISA_COUNT; isa++)
        if (bench->jobs[isa].opened != NULL)
            trial_job_release(&bench->jobs[isa]);
    free(bench->workspace);
    free(bench->expected);
    free(bench->counts);
}

static void bench_print(const struct bench *bench)
{
    const struct work *work = bench->work;
    double iterations = 0;
    for (size_t i = 0; i < work_size(work) / sizeof *bench->expected; i++)
        iterations += bench->expected[i];
    printf("%s, %" PRId64 " iterations at most: the counts' sum is %.4g\n", work->name,
           work->domain.iterations, iterations);
    for (int way = 0; way < WAYS; way++) {
        const double *ours = bench->least_s[way], *plain = bench->least_s[PLAIN];
        if (isinf(ours[1]))
            continue;
        printf("  %-8s  1 thread %9.2f ms, %6.1f x plain   2 threads %9.2f ms, %6.1f x plain, "
               "%.2f x one\n",
               way == PLAIN ? "plain C" : isa_name((enum isa)way), 1e3 * ours[1],
               plain[1] / ours[1], 1e3 * ours[2], plain[2] / ours[2], ours[1] / ours[2]);
    }
    fflush(stdout);
}

static void work_run(const struct work *work, int rounds)
{
    struct bench bench;
    bench_init(&bench, work);
    for (int round = 0; round < rounds; round++)
        for (int way = 0; way < WAYS; way++)
            for (int threads = 1; threads <= THREADS_MOST; threads++)
                if (way == PLAIN || bench.jobs[way].opened != NULL)
                    turn_take(&bench, way, threads);
    bench_print(&bench);
    bench_release(&bench);
}

static const char usage_text[] = "usage: bench-mandelbrot [ITERATIONS] [ROUNDS]\n"
                                 "The core task `mandelbrot` beside plain C: up to 1000 iterations "
                                 "a pixel, least of 7 rounds.\n";

int main(int argc, char **argv)
{
    if (usage_asked(argc, argv, usage_text))
        return 0;
    const int64_t iterations = argc > 1 ? strtoll(argv[1], NULL, 10) : 1000;
    const int rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 7;
    struct work works[] = {{"square, one package", domain_square, 1, 1200, 0},
                           {"square, a row a package", domain_square, 1200, 1, 1},
                           {"large, every 2000th row a package", domain_large, 25, 1, 2000}};
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        works[i].domain.iterations = iterations;
        work_run(&works[i], rounds);
    }
    return 0;
}
