#include "kernel/motif/levels.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernel/motif/bound.h"
#include "kernel/motif/motif.h"
#include "kernel/motif/outcome.h"
#include "kernel/motif/reading.h"

/* ---- what is shared ------------------------------------------------------------------------ */

uint32_t *levels_prefixes(struct levels_shared *shared)
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

struct levels_shared *levels_shared_new(const struct motif_job *motif, int64_t depth,
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

int levels_extend(const struct motif_job *motif, uint32_t *tuple, int64_t depth)
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

enum levels_parameter {
    LEVELS_SEQUENCES,
    LEVELS_LENGTH,
    LEVELS_POSITIONS,
    LEVELS_FROM,
    LEVELS_PARAMETERS
};
