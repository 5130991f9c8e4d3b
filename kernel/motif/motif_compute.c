#include "kernel/motif/matrices.h"
#include "kernel/motif/outcome.h"

size_t motif_workspace_size(const void *job, int threads)
{
    (void)threads;
    return search_size(job);
}

/* Prefixes [first, first + count): whole tails. */
static void prefixes_set(struct search *search, const struct motif_shape *shape, int64_t first,
                         int64_t count)
{
    shape_digits(shape, shape->prefix, first, search->low);
    shape_digits(shape, shape->prefix, first + count - 1, search->high);
    for (int i = shape->prefix; i < shape->heads; i++) {
        search->low[i] = 0;
        search->high[i] = (uint32_t)shape->starts[i] - 1;
    }
    search->low_tail = 0;
    search->high_tail = shape->block;
}

static void tuples_set(struct search *search, const struct motif_shape *shape, int64_t first,
                       int64_t count)
{
    int64_t begin, end;
    shape_range(shape, first, count, &begin, &end);
    shape_digits(shape, shape->heads, begin / shape->block, search->low);
    shape_digits(shape, shape->heads, (end - 1) / shape->block, search->high);
    search->low_tail = begin % shape->block;
    search->high_tail = (end - 1) % shape->block + 1;
}

static bool batch_search(struct search *search, const struct scow_batch *batch)
{
    const struct motif_shape *shape = &search->job->shape;
    if (shape->shipped)
        return matrices_search(search, batch);
    if (shape->bounded)
        prefixes_set(search, shape, batch->first, batch->count);
    else
        tuples_set(search, shape, batch->first, batch->count);
    return search_between(search, 0);
}

int motif_compute(const struct scow_host *host, const void *opened, const struct scow_batch *batch)
{
    const struct motif_job *job = opened;
    struct search *search = batch->workspace;
    search_start(search, job, host);
    if (job->shape.bounded) {
        search->rest = job->rest;
        search->need = job->floor;
    }
    if (!batch_search(search, batch))
        return SCOW_STOPPED;
    if (search->score > 0)
        outcome_add(job, batch->state, search->score, search->start);
    return SCOW_OK;
}
