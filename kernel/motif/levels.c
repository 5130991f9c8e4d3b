#include "kernel/motif/levels.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernel/motif/bound.h"
#include "kernel/motif/outcome.h"
#include "kernel/motif/reading.h"

/* Of one level; they are in every rank's memory. */
enum { PREFIXES_MOST = 1 << 24 };

enum levels_parameter {
    LEVELS_SEQUENCES,
    LEVELS_LENGTH,
    LEVELS_POSITIONS,
    LEVELS_FROM,
    LEVELS_PARAMETERS
};

/* ---- what is shared ------------------------------------------------------------------------ */

/* Where the prefixes are. */
static uint32_t *levels_prefixes(struct levels_shared *shared)
{
    return (uint32_t *)(void *)(shared + 1);
}

static size_t prefix_bytes(int64_t depth, int64_t prefixes)
{
    return (size_t)(depth * prefixes) * sizeof(uint32_t);
}

static size_t letters_size(const struct motif_shape *shape)
{
    size_t size = 0;
    for (int i = 0; i < shape->sequences; i++)
        size += (size_t)shape_letters(shape, i);
    return size;
}

/* A level's shared bytes, with places for its prefixes: owned, of *size bytes; NULL: out of memory.
 */
static struct levels_shared *levels_shared_new(const struct motif_job *motif, int64_t depth,
                                               int64_t prefixes, size_t *size)
{
    const struct motif_shape *shape = &motif->shape;
    const size_t before = sizeof(struct levels_shared) + prefix_bytes(depth, prefixes);
    struct levels_shared *shared = malloc(before + letters_size(shape));
    if (!shared)
        return NULL;
    *shared = (struct levels_shared){
        .sequences = {.sequences = shape->sequences}, .depth = depth, .prefixes = prefixes};
    char *letters = (char *)shared + before;
    for (int i = 0; i < shape->sequences; i++) {
        shared->sequences.starts[i] = shape->starts[i];
        memcpy(letters, motif->letters[i], (size_t)shape_letters(shape, i));
        letters += shape_letters(shape, i);
    }
    *size = before + letters_size(shape);
    return shared;
}

/* The score of the tuple that begins with `depth` positions and goes on, in one sequence after the
 * other, with the position that adds most, the first of several; the tuple is completed. */
static int levels_extend(const struct motif_job *motif, uint32_t *tuple, int64_t depth)
{
    uint32_t profile[PROFILE_WORDS_MOST] = {0};
    for (int i = 0; i < motif->shape.sequences; i++) {
        if (i >= depth)
            tuple[i] = bound_start(motif, profile, i);
        profile_add(&motif->length, profile, profile, motif->rows[i] + tuple[i]);
    }
    return profile_score(&motif->length, profile);
}

/* ---- the first level ----------------------------------------------------------------------- */

/* Below it no bound spares more than it costs: source, (6.9). */
static int64_t depth_of_source(int sequences)
{
    return (15 * (int64_t)sequences + 18 + 27) / 28 - 1;
}

static int depth_find(const struct scow_host *host, const struct motif_shape *shape, int64_t from,
                      int64_t *depth)
{
    if (shape->sequences < 2)
        return host->fail(host, "a search in levels needs two sequences at least: add one, or take "
                                "the core task motif");
    *depth = from > 0 ? from : depth_of_source(shape->sequences);
    if (*depth < 1)
        *depth = 1;
    if (*depth >= shape->sequences)
        return host->fail(host,
                          "--from %d: prefixes are of fewer sequences than there are, which is %d: "
                          "give less",
                          (int)*depth, shape->sequences);
    if (shape_product(shape, 0, (int)*depth) <= PREFIXES_MOST)
        return SCOW_OK;
    return host->fail(host,
                      "there are more than 2^24 prefixes of %d sequences: begin with shorter ones "
                      "(--from), or lower --positions",
                      (int)*depth);
}

static int first_share(const struct scow_host *host, const struct motif_job *motif, int64_t depth,
                       int64_t *tasks)
{
    const int64_t prefixes = shape_product(&motif->shape, 0, (int)depth);
    size_t size;
    struct levels_shared *shared = levels_shared_new(motif, depth, prefixes, &size);
    if (!shared)
        return host->fail(host, "not enough memory for prefixes of %d sequences", (int)depth);
    uint32_t *prefix = levels_prefixes(shared);
    for (int64_t k = 0; k < prefixes; k++, prefix += depth)
        shape_digits(&motif->shape, (int)depth, k, prefix);
    shared->score = (uint32_t)levels_extend(motif, shared->predictor, 1);
    const int status = host->share(host, shared, size);
    *tasks = prefixes;
    free(shared);
    return status;
}

/* As far as it is ready without memory of its own. */
static int first_describe(struct reading *reading, int64_t depth, int64_t *tasks)
{
    const struct motif_shared *shared = (const struct motif_shared *)(void *)reading->bytes;
    struct motif_job motif = {.shape = reading->shape};
    const int status =
        motif_read(&motif, shared, (const char *)(shared + 1))
            ? first_share(reading->host, &motif, depth, tasks)
            : reading->host->fail(reading->host, "not enough memory for these sequences");
    free(motif.words);
    return status;
}

static int levels_describe(const struct scow_host *host, const struct scow_value *values,
                           const struct scow_input *input, int64_t *tasks)
{
    struct reading reading = {.host = host, .positions = (int64_t)values[LEVELS_POSITIONS].number};
    int64_t depth = 0;
    int sequences = 0;
    int status = reading_count(host, (int64_t)values[LEVELS_SEQUENCES].number, input, &sequences);
    if (status != SCOW_OK)
        return status;
    reading.shape =
        (struct motif_shape){.sequences = sequences, .length = (int)values[LEVELS_LENGTH].number};
    status = reading_take(&reading);
    if (status == SCOW_OK)
        status = depth_find(host, &reading.shape, (int64_t)values[LEVELS_FROM].number, &depth);
    if (status == SCOW_OK)
        status = first_describe(&reading, depth, tasks);
    free(reading.bytes);
    return status;
}

/* ---- any level ----------------------------------------------------------------------------- */

static void levels_close(void *opened)
{
    struct levels_job *job = opened;
    if (!job)
        return;
    free(job->motif.words);
    free(job);
}

static int levels_open(const struct scow_host *host, const struct scow_setup *setup, void **opened)
{
    const struct levels_shared *shared = setup->shared;
    const uint32_t *prefixes = (const uint32_t *)(const void *)(shared + 1);
    const char *letters = (const char *)(prefixes + shared->depth * shared->prefixes);
    struct levels_job *job = calloc(1, sizeof *job);
    *opened = NULL;
    if (job) {
        job->shared = shared;
        job->prefixes = prefixes;
        job->motif.shape = (struct motif_shape){.sequences = (int)shared->sequences.sequences,
                                                .length = (int)setup->values[LEVELS_LENGTH].number,
                                                .tasks = shared->prefixes};
    }
    if (!job || !motif_read(&job->motif, &shared->sequences, letters)) {
        levels_close(job);
        return host->fail(host, "not enough memory to search these sequences: give fewer start "
                                "positions with --positions");
    }
    *opened = job;
    return SCOW_OK;
}

static void levels_method(const void *opened, char *text, size_t size)
{
    const struct levels_job *job = opened; /* the same in all levels */
    snprintf(text, size, "prefixes of %d sequences with all positions of the next one",
             job->motif.shape.sequences);
}

/* Whole tuples are there with the last level's children. */
static void levels_results(const void *opened, struct scow_results *results)
{
    const struct levels_job *job = opened;
    results->emits = true;
    if (levels_is_last(job))
        outcome_results(opened, results);
}

/* ---- the next level ------------------------------------------------------------------------ */

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

static int levels_next(const struct scow_host *host, const void *opened,
                       const struct scow_survivors *in, int64_t *tasks)
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

/* "POSITION SCORE" a line, positions from 0. */
static size_t levels_render(const void *emitted, size_t size, char *text, size_t room)
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

/* ---- the core task ------------------------------------------------------------------------- */

static const struct scow_parameter parameters[LEVELS_PARAMETERS + 1] = {
    [LEVELS_SEQUENCES] = {.name = "sequences",
                          .help = "search the first so many sequences of the input; 0: all",
                          .kind = SCOW_WHOLE,
                          .greatest = SEQUENCES_MOST},
    [LEVELS_LENGTH] = {.name = "length",
                       .help = "letters of the motif",
                       .kind = SCOW_WHOLE,
                       .initial = 8,
                       .least = 1,
                       .greatest = LENGTH_MOST},
    [LEVELS_POSITIONS] = {.name = "positions",
                          .help = "search the first so many start positions of every sequence, "
                                  "which must have them; 0: all that each has",
                          .kind = SCOW_WHOLE,
                          .greatest = STARTS_MOST},
    [LEVELS_FROM] =
        {.name = "from",
         .help = "begin with all prefixes of so many sequences, and leave out the levels before; "
                 "0: the most of which no bound can leave any out, a little more than half",
         .kind = SCOW_WHOLE,
         .initial = 1,
         .greatest = SEQUENCES_MOST},
    [LEVELS_PARAMETERS] = {.name = NULL},
};

const struct scow_task motif_levels_task = {
    SCOW_TASK,
    .name = "motif-levels",
    .version = "1",
    .summary = "the same search in levels, of prefixes that can still become the best tuple",
    .core_task = "one prefix of start tuples, with all its positions in the next sequence",
    .outcome = "The best tuple as JSON, as `motif` has it; of every level, which prefixes go on.",
    .parameters = parameters,
    .input = SCOW_INPUT_SEQUENCES,
    .threads = SCOW_THREADS_HOST,
    .flags = SCOW_LEVELS,
    .describe = levels_describe,
    .open = levels_open,
    .close = levels_close,
    .method = levels_method,
    .results = levels_results,
    .workspace_size = levels_workspace_size,
    .compute = levels_compute,
    .next = levels_next,
    .reset = outcome_reset,
    .merge = outcome_merge,
    .print = outcome_print,
    .render = levels_render,
};
