#include <stdio.h>
#include <stdlib.h>

#include "kernel/motif/levels.h"
#include "kernel/motif/outcome.h"

/* What a level has left, child after child. */
struct children {
    const struct levels_job *job;
    const struct scow_survivors *in;
};

static const struct levels_child *children_of(const struct children *children, int64_t task,
                                              int64_t *count)
{
    const int64_t at = children->in->at[task], end = children->in->at[task + 1];
    *count = (end - at) / (int64_t)sizeof(struct levels_child);
    return (const struct levels_child *)(const void *)((const char *)children->in->bytes + at);
}

/* Do they belong to this level? They come from a file. */
static bool children_hold(const struct children *children)
{
    const struct levels_job *job = children->job;
    const int64_t starts = job->motif.shape.starts[job->shared->depth];
    if (children->in->tasks != job->shared->prefixes)
        return false;
    for (int64_t task = 0; task < children->in->tasks; task++) {
        int64_t count;
        const struct levels_child *child = children_of(children, task, &count);
        if (children->in->at[task + 1] % (int64_t)sizeof *child != 0)
            return false;
        for (int64_t i = 0; i < count; i++)
            if (child[i].start >= starts)
                return false;
    }
    return true;
}

/* The one of the greatest score, of several the first, as the start of a tuple. False: there is
 * none. */
static bool best_find(const struct children *children, uint32_t *tuple)
{
    const int64_t depth = children->job->shared->depth;
    uint32_t most = 0;
    for (int64_t task = 0; task < children->in->tasks; task++) {
        int64_t count;
        const struct levels_child *child = children_of(children, task, &count);
        for (int64_t i = 0; i < count; i++) {
            if (child[i].score <= most)
                continue;
            most = child[i].score;
            memcpy(tuple, children->job->prefixes + task * depth, (size_t)depth * sizeof *tuple);
            tuple[depth] = child[i].start;
        }
    }
    return most > 0;
}

/* Of the one that there is and the best child's, the better one. */
static void predictor_find(const struct children *children, struct levels_shared *next)
{
    const struct levels_job *job = children->job;
    const int sequences = job->motif.shape.sequences;
    uint32_t tuple[SEQUENCES_MOST] = {0};
    next->score = job->shared->score;
    memcpy(next->predictor, job->shared->predictor, sizeof next->predictor);
    if (!best_find(children, tuple))
        return;
    const uint32_t score = (uint32_t)levels_extend(&job->motif, tuple, job->shared->depth + 1);
    if (score < next->score ||
        (score == next->score && !outcome_comes_first(tuple, next->predictor, sequences)))
        return;
    next->score = score;
    memcpy(next->predictor, tuple, sizeof next->predictor);
}

/* Those that are as good as that wants it, into `prefix` (NULL: nowhere); how many. */
static int64_t children_keep(const struct children *children, uint32_t score, uint32_t *prefix)
{
    const struct levels_job *job = children->job;
    const int64_t depth = job->shared->depth;
    const int least = levels_least(job, depth + 1, score);
    int64_t kept = 0;
    for (int64_t task = 0; task < children->in->tasks; task++) {
        int64_t count;
        const struct levels_child *child = children_of(children, task, &count);
        for (int64_t i = 0; i < count; i++) {
            if ((int)child[i].score < least)
                continue;
            kept++;
            if (!prefix)
                continue;
            memcpy(prefix, job->prefixes + task * depth, (size_t)depth * sizeof *prefix);
            prefix[depth] = child[i].start;
            prefix += depth + 1;
        }
    }
    return kept;
}

static int refuse(const struct scow_host *host, int64_t kept)
{
    if (kept == 0)
        return host->fail(host, "none of this level's prefixes goes on, though the best tuple's "
                                "would: its results are not those of these sequences");
    return host->fail(host,
                      "%lld prefixes go on, and at most 2^24 can be kept in memory: search fewer "
                      "positions (--positions), or take the core task motif with --search "
                      "branch-and-bound",
                      (long long)kept);
}

int levels_next(const struct scow_host *host, const void *opened, const struct scow_survivors *in,
                int64_t *tasks)
{
    const struct levels_job *job = opened;
    const struct children children = {job, in};
    struct levels_shared known = {.score = 0}, *next;
    size_t size;
    *tasks = 0;
    if (!children_hold(&children))
        return refuse(host, 0);
    if (levels_is_last(job))
        return SCOW_OK;
    predictor_find(&children, &known);
    const int64_t kept = children_keep(&children, known.score, NULL);
    if (kept < 1 || kept > PREFIXES_MOST)
        return refuse(host, kept);
    next = levels_shared_new(&job->motif, job->shared->depth + 1, kept, &size);
    if (!next)
        return host->fail(host, "not enough memory for %lld prefixes", (long long)kept);
    next->score = known.score;
    memcpy(next->predictor, known.predictor, sizeof next->predictor);
    children_keep(&children, known.score, levels_prefixes(next));
    const int status = host->share(host, next, size);
    free(next);
    *tasks = kept;
    return status;
}

size_t levels_render(const void *emitted, size_t size, char *text, size_t room)
{
    const struct levels_child *child = emitted;
    size_t used = 0;
    if (room > 0)
        text[0] = '\0';
    for (size_t i = 0; i < size / sizeof *child; i++) {
        const int length = snprintf(used < room ? text + used : NULL, used < room ? room - used : 0,
                                    "%u %u\n", (unsigned)child[i].start, (unsigned)child[i].score);
        used += (size_t)length;
    }
    return used;
}
