#include "kernel/motif/levels.h"
#include "kernel/motif/outcome.h"

/* Positions between two pulses. */
enum { PULSE_STARTS = 1 << 12 };

size_t levels_workspace_size(const void *opened, int threads)
{
    const struct levels_job *job = opened;
    (void)threads;
    return (size_t)job->motif.shape.starts[job->shared->depth] * sizeof(struct levels_child);
}

static void prefix_profile(const struct levels_job *job, const uint32_t *prefix, uint32_t *profile)
{
    const struct motif_job *motif = &job->motif;
    memset(profile, 0, (size_t)motif->length.words * sizeof *profile);
    for (int64_t i = 0; i < job->shared->depth; i++)
        profile_add(&motif->length, profile, profile, motif->rows[i] + prefix[i]);
}

/* Those of a prefix that are good enough; how many. Negative: it was stopped. */
static int64_t children_find(const struct scow_host *host, const struct levels_job *job,
                             const uint32_t *profile, struct levels_child *children)
{
    const struct motif_job *motif = &job->motif;
    const int64_t depth = job->shared->depth;
    const int base = profile_score(&motif->length, profile);
    const int least = levels_least(job, depth + 1, job->shared->score);
    int64_t count = 0;
    for (uint32_t at = 0; at < (uint32_t)motif->shape.starts[depth]; at++) {
        const int score = base + profile_gain(&motif->length, profile, motif->rows[depth] + at);
        if (at % PULSE_STARTS == 0 && host->pulse(host))
            return -1;
        if (score >= least)
            children[count++] = (struct levels_child){(uint32_t)score, at};
    }
    return count;
}

/* Whole tuples. */
static void outcome_take(const struct levels_job *job, const uint32_t *prefix,
                         const struct levels_child *children, int64_t count, void *state)
{
    const int64_t depth = job->shared->depth;
    uint32_t tuple[SEQUENCES_MOST];
    memcpy(tuple, prefix, (size_t)depth * sizeof *tuple);
    for (int64_t i = 0; i < count; i++) {
        tuple[depth] = children[i].start;
        outcome_add(job, state, (int)children[i].score, tuple);
    }
}

int levels_compute(const struct scow_host *host, const void *opened, const struct scow_batch *batch)
{
    const struct levels_job *job = opened;
    struct levels_child *children = batch->workspace;
    uint32_t profile[PROFILE_WORDS_MOST];
    for (int64_t k = 0; k < batch->count; k++) {
        const int64_t task = batch->first + k;
        const uint32_t *prefix = job->prefixes + task * job->shared->depth;
        prefix_profile(job, prefix, profile);
        const int64_t count = children_find(host, job, profile, children);
        if (count < 0)
            return SCOW_STOPPED;
        if (levels_is_last(job))
            outcome_take(job, prefix, children, count, batch->state);
        const int status = count > 0
                               ? host->emit(host, task, children, (size_t)count * sizeof *children)
                               : SCOW_OK;
        if (status != SCOW_OK)
            return status;
    }
    return SCOW_OK;
}
