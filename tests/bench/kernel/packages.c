/* Whole images as one package through the matched filter, as a worker computes them. */
#include <stdlib.h>

#include "tests/bench/kernel/bench.h"
#include "tests/kernel/whole.h"

/* One package in memory, ready to be computed. */
struct packed {
    struct whole whole;
    struct stack stack;
    struct scow_batch batch;
    void *package, *workspace, *grid; /* owned */
};

static void *aligned(size_t bytes)
{
    void *memory = aligned_alloc(4096, (bytes + 4096) / 4096 * 4096);
    if (!memory)
        abort();
    return memory;
}

/* Allocates for up to two threads. */
static bool packed_fill(struct packed *packed)
{
    const struct memory_job *job = &packed->whole.job;
    const struct scow_task *task = job->task;
    const int64_t tasks = job->setup.tasks, *tile = job->results.grid_tile;
    size_t size;
    packed->package = aligned(task->package_size_most(job->made, tasks));
    packed->workspace = aligned(task->workspace_size(job->made, 2));
    packed->grid = aligned((size_t)(tasks * tile[1] * tile[2]) * sizeof(float));
    if (task->pack(&packed->whole.host.host, job->made, 0, tasks, packed->package, &size))
        return false;
    packed->batch = (struct scow_batch){.count = tasks,
                                        .package = packed->package,
                                        .package_size = size,
                                        .package_count = tasks,
                                        .workspace = packed->workspace,
                                        .grid = packed->grid,
                                        .rank = 1};
    return true;
}

static bool packed_init(struct packed *packed, const struct scow_input *image, const char *bank,
                        const char *combine, int block)
{
    struct random random = {1};
    stack_init_random(&packed->stack, image, &random);
    whole_init(&packed->whole, &packed->stack, block);
    memory_job_word(&packed->whole.job, "bank", bank);
    memory_job_word(&packed->whole.job, "combine", combine);
    if (memory_job_open(&packed->whole.job) && packed_fill(packed))
        return true;
    fprintf(stderr, "%s\n", packed->whole.host.failure);
    return false;
}

static void packed_release(struct packed *packed)
{
    whole_release(&packed->whole);
    stack_release(&packed->stack);
    free(packed->package);
    free(packed->workspace);
    free(packed->grid);
}

/* A package and how it is to be computed. */
struct computing {
    const struct packed *packed;
    int threads;
};

static void computing_pass(void *context)
{
    const struct computing *computing = context;
    const struct whole *whole = &computing->packed->whole;
    struct scow_batch batch = computing->packed->batch;
    batch.threads = computing->threads;
    if (whole->job.task->compute(&whole->host.host, whole->job.made, &batch) != SCOW_OK)
        abort();
}

static void packed_time(const struct packed *packed, int threads, bool wall,
                        struct samples *samples)
{
    struct computing computing = {packed, threads};
    const struct turn turn = {computing_pass, &computing, wall ? 2 : 1};
    samples_add(samples, turn_take(&turn));
}

static void packed_round(struct package_times *times, const struct packed packed[3])
{
    struct samples *samples[] = {&times->u8, &times->u16, &times->f32};
    for (int i = 0; i < 3; i++)
        packed_time(&packed[i], 1, false, samples[i]);
    packed_time(&packed[2], 1, true, &times->one);
    packed_time(&packed[2], 2, true, &times->two);
}

bool packages_time(struct package_times *times, const char *bank, const char *combine, int edge,
                   int block, int rounds)
{
    static const int types[] = {SCOW_U8, SCOW_U16, SCOW_F32};
    struct packed packed[3] = {{.batch = {0}}};
    bool done = true;
    int begun = 0;
    *times = (struct package_times){.u8 = {0}};
    while (done && begun < 3) {
        const struct scow_input image = image_of(1, edge, edge, types[begun]);
        done = packed_init(&packed[begun++], &image, bank, combine, block);
    }
    for (int round = 0; done && round < rounds; round++)
        packed_round(times, packed);
    for (int i = 0; i < begun; i++)
        packed_release(&packed[i]);
    return done;
}
