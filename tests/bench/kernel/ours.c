/* Our algorithms as methods: tile by tile over threads, on an image with zeros around it. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "kernel/matched/correlators/correlate.h"
#include "kernel/matched/groups.h"
#include "tests/bench/kernel/bench.h"

struct ours {
    const struct work *work;
    struct setting setting;
    struct groups *groups;
    size_t workspace_bytes;
    unsigned char *workspaces; /* one for each thread */
};

static void ours_end(void *state)
{
    struct ours *ours = state;
    groups_free(&ours->groups);
    free(ours->workspaces);
    free(ours);
}

static void *ours_begin(const struct work *work, const struct setting *setting,
                        const struct algorithm *algorithm)
{
    const struct demand demand = {setting->tile, setting->tile, speeds_current()};
    struct groups_choice choice;
    if (!groups_choose(work->bank, &demand, 1, algorithm, &choice))
        abort();
    if (!isfinite(choice.effort))
        return NULL;
    struct ours *ours = calloc(1, sizeof *ours);
    if (!ours)
        abort();
    ours->work = work;
    ours->setting = *setting;
    ours->groups = groups_new(work->bank, &demand, &choice);
    if (!ours->groups)
        abort();
    ours->workspace_bytes = groups_workspace_bytes(ours->groups);
    ours->workspaces = aligned_alloc(64, ours->workspace_bytes * (size_t)setting->threads + 64);
    if (!ours->workspaces)
        abort();
    return ours;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static void tile_run(const struct ours *ours, int index, int thread, float *result)
{
    const struct work *work = ours->work;
    const int size = ours->setting.tile, across = (work->edge + size - 1) / size;
    const int y = index / across * size, x = index % across * size;
    const struct tile tile = {.origin = work->pixels + y * work->stride + x,
                              .stride = work->stride,
                              .rows = smaller(size, work->edge - y),
                              .columns = smaller(size, work->edge - x),
                              .result = result + (ptrdiff_t)y * work->edge + x,
                              .result_stride = work->edge};
    groups_run(ours->groups, &tile, ours->workspaces + (size_t)thread * ours->workspace_bytes);
}

/* A thread takes rows of tiles, as in the kernel. */
static void ours_run(void *state, float *result)
{
    const struct ours *ours = state;
    const int across = (ours->work->edge + ours->setting.tile - 1) / ours->setting.tile;
#pragma omp parallel for num_threads(ours->setting.threads) schedule(dynamic, across)
    for (int index = 0; index < across * across; index++)
        tile_run(ours, index, omp_get_thread_num(), result);
}

#define OURS(algorithm)                                                                            \
    static void *algorithm##_begin(const struct work *work, const struct setting *setting)         \
    {                                                                                              \
        return ours_begin(work, setting, algorithm_find(#algorithm));                              \
    }                                                                                              \
    const struct method method_##algorithm = {#algorithm, algorithm##_begin, ours_run, ours_end,   \
                                              false};

OURS(reference)
OURS(direct)
OURS(orbit)
OURS(fft)

static void *auto_begin(const struct work *work, const struct setting *setting)
{
    return ours_begin(work, setting, NULL);
}

const struct method method_auto = {"auto", auto_begin, ours_run, ours_end, false};
const struct method method_alone = {"auto alone", auto_begin, ours_run, ours_end, true};

/* What `sum` would cost without collapsing the bank: `work` is the one collapsed filter, the passes
 * are those of the source bank it came from. */
struct passes {
    int count;
    size_t pixels;
    void **states;
    float *response;
};

static void passes_end(void *state)
{
    struct passes *passes = state;
    for (int i = 0; i < passes->count; i++)
        ours_end(passes->states[i]);
    free(passes->states);
    free(passes->response);
    free(passes);
}

static void *passes_begin(const struct work *work, const struct setting *setting)
{
    struct passes *passes = calloc(1, sizeof *passes);
    struct bank *source = bank_new_source();
    if (!passes || !source)
        abort();
    passes->pixels = (size_t)work->edge * (size_t)work->edge;
    passes->states = calloc((size_t)source->count, sizeof *passes->states);
    passes->response = malloc(passes->pixels * sizeof *passes->response);
    if (!passes->states || !passes->response)
        abort();
    for (int i = 0; i < source->count; i++) {
        struct bank *one = bank_new_subset(source, &i, 1);
        if (!one)
            abort();
        struct work pass = *work;
        pass.bank = one;
        passes->states[passes->count] = ours_begin(&pass, setting, algorithm_find("direct"));
        ((struct ours *)passes->states[passes->count++])->work = work;
        bank_free(&one);
    }
    bank_free(&source);
    return passes;
}

static void passes_run(void *state, float *result)
{
    const struct passes *passes = state;
    for (size_t k = 0; k < passes->pixels; k++)
        result[k] = 0;
    for (int i = 0; i < passes->count; i++) {
        ours_run(passes->states[i], passes->response);
        for (size_t k = 0; k < passes->pixels; k++)
            result[k] += passes->response[k];
    }
}

const struct method method_passes = {"210 passes", passes_begin, passes_run, passes_end, false};
