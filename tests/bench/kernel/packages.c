/* Whole images as one package through the kernel, as a worker computes them. */
#include <stdlib.h>

#include "tests/bench/kernel/bench.h"
#include "tests/kernel/whole.h"

/* One package in memory, ready to be computed. */
struct packed {
    const struct kernel *kernel;
    struct kernel_job *job;
    int64_t tasks;
    void *package, *workspace;
    float *results;
};

static void *aligned(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 64) / 64 * 64);
    if (!memory)
        abort();
    return memory;
}

/* For up to two threads. */
static bool packed_init(struct packed *packed, const struct kernel_setup *setup)
{
    char why[256];
    struct random random = {1};
    struct stack stack;
    const struct kernel *kernel = kernel_find("matched-filter");
    *packed = (struct packed){.kernel = kernel};
    if (!kernel->check(setup, why, sizeof why)) {
        fprintf(stderr, "%s\n", why);
        return false;
    }
    packed->job = kernel->new_job(setup);
    if (!packed->job)
        return false;
    packed->tasks = kernel->task_count(setup);
    packed->package = aligned(kernel->package_bytes(packed->job, 0, packed->tasks));
    packed->workspace = aligned(kernel->workspace_bytes(packed->job, 2));
    packed->results =
        aligned(sizeof(float) * (size_t)(kernel->result_stride(packed->job) * packed->tasks));
    stack_init_random(&stack, &setup->extent, &random);
    const struct kernel_source source = stack_source(&stack);
    const bool done = kernel->pack(packed->job, 0, packed->tasks, &source, packed->package);
    stack_release(&stack);
    return done;
}

static void packed_release(struct packed *packed)
{
    if (packed->job)
        packed->kernel->free_job(&packed->job);
    free(packed->package);
    free(packed->workspace);
    free(packed->results);
}

/* A package and how it is to be computed. */
struct computing {
    const struct packed *packed;
    int threads;
};

static void computing_pass(void *context)
{
    const struct computing *computing = context;
    const struct packed *packed = computing->packed;
    const struct kernel_pulse pulse = {0};
    packed->kernel->compute(packed->job, 0, packed->tasks, packed->package, computing->threads,
                            packed->workspace, &pulse, packed->results);
}

static void packed_time(const struct packed *packed, int threads, bool wall,
                        struct samples *samples)
{
    struct computing computing = {packed, threads};
    const struct turn turn = {computing_pass, &computing, wall ? 2 : 1};
    samples_add(samples, turn_take(&turn));
}

bool packages_hold(struct package_times *times, const char *bank, const char *combine, int edge,
                   int block, int rounds)
{
    static const enum pixel pixels[] = {PIXEL_U8, PIXEL_U16, PIXEL_F32};
    struct samples *samples[] = {&times->u8, &times->u16, &times->f32};
    struct packed packed[3] = {{0}};
    const struct kernel *kernel = kernel_find("matched-filter");
    *times = (struct package_times){.u8 = {0}};
    bool done = kernel != NULL;
    for (int i = 0; done && i < 3; i++) {
        const struct extent extent = {1, edge, edge, pixels[i]};
        struct kernel_setup setup = setup_initial(kernel, &extent, block);
        setup_word(&setup, kernel, "bank", bank);
        setup_word(&setup, kernel, "combine", combine);
        done = packed_init(&packed[i], &setup);
    }
    for (int round = 0; done && round < rounds; round++) {
        for (int i = 0; i < 3; i++)
            packed_time(&packed[i], 1, false, samples[i]);
        packed_time(&packed[2], 1, true, &times->one);
        packed_time(&packed[2], 2, true, &times->two);
    }
    for (int i = 0; i < 3; i++)
        packed_release(&packed[i]);
    return done;
}
