#include "spmd/layout/task_digest.h"

#define XXH_STATIC_LINKING_ONLY /* needed to have its states on the stack */
#include <xxhash.h>

#include "kernel/type.h"

enum { GIVEN_UP = 1 << 8 }; /* a value that no byte of a ledger has */

uint64_t task_digest_begin(int64_t task, int mark)
{
    const int64_t start[2] = {task, mark};
    return XXH3_64bits(start, sizeof start);
}

uint64_t task_digest_add(uint64_t digest, const void *bytes, size_t size)
{
    return XXH3_64bits_withSeed(bytes, size, digest);
}

uint64_t task_digest_given_up(int64_t task)
{
    return task_digest_begin(task, GIVEN_UP);
}

/* Emissions are sorted by core task; *next is the first one of this core task or of a later one. */
static uint64_t emissions_add(uint64_t digest, const struct emissions *emissions, size_t *next,
                              int64_t task)
{
    XXH3_state_t state;
    XXH3_64bits_reset_withSeed(&state, digest);
    for (; *next < emissions->count && emissions->items[*next].task == task; ++*next)
        XXH3_64bits_update(&state, emissions->bytes + emissions->items[*next].offset,
                           emissions->items[*next].size);
    return XXH3_64bits_digest(&state);
}

/* Its box was asked for before, when it was written, so that this cannot fail. */
static uint64_t grid_add(uint64_t digest, const struct job *job, int64_t task, const char *values)
{
    struct failure none = FAILURE_INIT;
    int64_t start[3], count[3];
    if (!job_place(job, task, start, count, &none))
        return digest;
    const int64_t numbers = count[0] * count[1] * count[2];
    return task_digest_add(digest, values,
                           (size_t)numbers * scow_type_size(job->results.grid_type));
}

void task_digests_fill(const struct job *job, const struct package_results *results,
                       uint64_t *digests)
{
    size_t next = 0;
    for (int64_t k = 0; k < results->count; k++) {
        const int64_t task = package_task(results, k);
        uint64_t digest = task_digest_begin(task, results->ledger[k]);
        if (results->grid && results->ledger[k] == 1)
            digest = grid_add(digest, job, task, results->grid + (size_t)k * job->tile_size);
        if (results->records)
            digest = task_digest_add(digest, results->records + (size_t)k * job->record_size,
                                     job->record_size);
        if (job->results.emits)
            digest = emissions_add(digest, &results->emissions, &next, task);
        digests[k] = digest;
    }
}
