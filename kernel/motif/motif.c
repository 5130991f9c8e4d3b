#include "kernel/motif/motif.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernel/motif/bound.h"
#include "kernel/motif/matrices.h"
#include "kernel/motif/outcome.h"
#include "kernel/motif/reading.h"
#include "kernel/vector/isa.h"

/* ---- a job made ready ------------------------------------------------------------------------ */

/* Sequences, length, search and kind of package, as the parameters say. */
static struct motif_shape motif_shape_of(const struct scow_value *values, int sequences)
{
    return (struct motif_shape){
        .sequences = sequences,
        .length = (int)values[MOTIF_LENGTH].number,
        .bounded = (int)values[MOTIF_SEARCH].number == MOTIF_BRANCH_AND_BOUND,
        .shipped = (int)values[MOTIF_SHIP].number == MOTIF_MATRICES,
    };
}

struct profile_length profile_length_of(int columns)
{
    struct profile_length length = {.columns = columns,
                                    .words = (columns + PROFILE_VECTOR - 1) / PROFILE_VECTOR *
                                             PROFILE_VECTOR};
    for (int j = 0; j < columns; j++)
        length.wanted[j] = 255;
    return length;
}

static bool (*tally_of(enum isa isa))(struct tally *)
{
#ifdef __x86_64__
    if (isa == ISA_AVX512)
        return tally_avx512;
    if (isa == ISA_AVX2)
        return tally_avx2;
#endif
    (void)isa;
    return tally_generic;
}

static void letters_find(struct motif_job *job, const struct motif_shared *shared,
                         const char *letters)
{
    for (int i = 0; i < job->shape.sequences; i++) {
        job->shape.starts[i] = shared->starts[i];
        job->letters[i] = letters;
        letters += shape_letters(&job->shape, i);
    }
}

/* The words of all sequences, one after the other. A row's last vector may hold what comes after
 * the row, in columns that are not looked at; after the last row comes slack. */
static bool rows_make(struct motif_job *job)
{
    const struct motif_shape *shape = &job->shape;
    size_t words = PROFILE_VECTOR;
    for (int i = 0; i < shape->sequences; i++)
        words += (size_t)shape_letters(shape, i);
    job->words = calloc(words, sizeof *job->words);
    if (!job->words)
        return false;
    uint32_t *row = job->words;
    for (int i = 0; i < shape->sequences; i++) {
        job->rows[i] = row;
        for (int64_t k = 0; k < shape_letters(shape, i); k++)
            *row++ = UINT32_C(1) << 8 * letter_number(job->letters[i][k]);
    }
    return true;
}

bool motif_read(struct motif_job *job, const struct motif_shared *shared, const char *letters)
{
    job->length = profile_length_of(job->shape.length);
    letters_find(job, shared, letters);
    return rows_make(job);
}

static bool tail_make(struct motif_job *job)
{
    const struct motif_shape *shape = &job->shape;
    const int count = shape->sequences - shape->heads;
    const uint8_t *letter[2] = {NULL, NULL};
    uint8_t *numbers[2] = {NULL, NULL};
    bool good = true;
    for (int i = 0; i < count && good; i++) {
        const int64_t letters = shape_letters(shape, shape->heads + i);
        letter[i] = numbers[i] = malloc((size_t)letters);
        good = numbers[i] != NULL;
        for (int64_t k = 0; k < letters && good; k++)
            numbers[i][k] = letter_number(job->letters[shape->heads + i][k]);
    }
    good =
        good && tail_init(&job->tail, shape->length, count, shape->starts + shape->heads, letter);
    free(numbers[0]);
    free(numbers[1]);
    return good;
}

/* How it is cut, and what a search wants to know before. */
static bool rest_make(struct motif_job *job, const struct scow_setup *setup)
{
    shape_cut(&job->shape, (int64_t)setup->values[MOTIF_GRAIN].number);
    return tail_make(job) && (!job->shape.bounded || bound_find(job));
}

static void motif_close(void *opened)
{
    struct motif_job *job = opened;
    if (!job)
        return;
    free(job->words);
    tail_release(&job->tail);
    free(job);
}

static int motif_open(const struct scow_host *host, const struct scow_setup *setup, void **opened)
{
    const struct motif_shared *shared = setup->shared;
    struct motif_job *job = calloc(1, sizeof *job);
    *opened = NULL;
    if (job) {
        job->shape = motif_shape_of(setup->values, (int)shared->sequences);
        job->tally = tally_of(isa_current());
    }
    if (!job || !motif_read(job, shared, (const char *)(shared + 1)) || !rest_make(job, setup)) {
        motif_close(job);
        return host->fail(host, "not enough memory to search these sequences: give fewer start "
                                "positions with --positions");
    }
    *opened = job;
    return SCOW_OK;
}

static void motif_method(const void *opened, char *text, size_t size)
{
    const struct motif_job *job = opened;
    const struct motif_shape *shape = &job->shape;
    const int together = shape->sequences - shape->heads;
    if (!shape->bounded)
        snprintf(text, size, "brute force, all tuples of the last %s together%s",
                 together == 1 ? "sequence" : "two sequences",
                 shape->shipped ? ", from alignment matrices" : "");
    else
        snprintf(text, size,
                 "branch and bound below prefixes of %d of %d sequences, from score %d on",
                 shape->prefix, shape->sequences, job->floor);
}

/* ---- how many core tasks ------------------------------------------------------------------- */

static int refuse_count(const struct reading *reading, int index)
{
    const bool bounded = reading->shape.bounded;
    char label[LABEL_SIZE];
    const int status = reading_label(reading->host, index, label);
    if (status != SCOW_OK)
        return status;
    return reading->host->fail(
        reading->host, "up to %s there are more than 2^53 %s: %s", label,
        bounded ? "prefixes" : "start tuples",
        bounded ? "raise --grain"
                : "lower --sequences or --positions, or give --search branch-and-bound");
}

static int cut(struct reading *reading, int64_t grain)
{
    const int passes = shape_cut(&reading->shape, grain);
    return passes < reading->shape.sequences ? refuse_count(reading, passes) : SCOW_OK;
}

static int motif_describe(const struct scow_host *host, const struct scow_value *values,
                          const struct scow_input *input, int64_t *tasks)
{
    struct reading reading = {.host = host, .positions = (int64_t)values[MOTIF_POSITIONS].number};
    int sequences = 0;
    int status = reading_count(host, (int64_t)values[MOTIF_SEQUENCES].number, input, &sequences);
    if (status != SCOW_OK)
        return status;
    reading.shape = motif_shape_of(values, sequences);
    status = reading_take(&reading);
    if (status == SCOW_OK)
        status = cut(&reading, (int64_t)values[MOTIF_GRAIN].number);
    if (status == SCOW_OK)
        status = host->share(host, reading.bytes, reading.size);
    if (status == SCOW_OK)
        *tasks = reading.shape.tasks;
    free(reading.bytes);
    return status;
}

/* ---- computing ----------------------------------------------------------------------------- */

static size_t motif_workspace_size(const void *job, int threads)
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

static int motif_compute(const struct scow_host *host, const void *opened,
                         const struct scow_batch *batch)
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

/* ---- the core task ------------------------------------------------------------------------- */

static const char *const searches[] = {
    [MOTIF_BRUTE_FORCE] = "brute-force", [MOTIF_BRANCH_AND_BOUND] = "branch-and-bound", NULL};

static const char *const ships[] = {
    [MOTIF_INDICES] = "indices", [MOTIF_MATRICES] = "matrices", NULL};

static const struct scow_parameter parameters[MOTIF_PARAMETERS + 1] = {
    [MOTIF_SEQUENCES] = {.name = "sequences",
                         .help = "search the first so many sequences of the input; 0: all",
                         .kind = SCOW_WHOLE,
                         .greatest = SEQUENCES_MOST},
    [MOTIF_LENGTH] = {.name = "length",
                      .help = "letters of the motif",
                      .kind = SCOW_WHOLE,
                      .initial = 8,
                      .least = 1,
                      .greatest = LENGTH_MOST},
    [MOTIF_POSITIONS] = {.name = "positions",
                         .help =
                             "search the first so many start positions of every sequence, which "
                             "must have them; 0: all that each has",
                         .kind = SCOW_WHOLE,
                         .greatest = STARTS_MOST},
    [MOTIF_SEARCH] = {.name = "search",
                      .help = "look at all start tuples, or bypass those below prefixes that "
                              "cannot lead to the best; the results are the same",
                      .kind = SCOW_WORD,
                      .initial = MOTIF_BRUTE_FORCE,
                      .words = searches},
    [MOTIF_GRAIN] = {.name = "grain",
                     .help = "start tuples of a core task; with branch-and-bound, which takes the "
                             "tuples below one prefix, the longest prefix with at least so many. "
                             "0: one tuple, or as many as keep core tasks below 2^26; prefixes of "
                             "half of the sequences, or of as many as keep them below 2^20",
                     .kind = SCOW_WHOLE,
                     .greatest = (double)TUPLES_MOST},
    [MOTIF_SHIP] = {.name = "ship",
                    .help = "what packages hold: nothing but the core tasks' numbers, or the "
                            "letters of every tuple (with branch-and-bound: of every prefix)",
                    .kind = SCOW_WORD,
                    .initial = MOTIF_INDICES,
                    .words = ships},
    [MOTIF_PARAMETERS] = {.name = NULL},
};

const struct scow_task motif_task = {
    SCOW_TASK,
    .name = "motif",
    .version = "1",
    .summary = "find the pieces of DNA sequences, one in each, that agree best",
    .core_task = "some consecutive start tuples, or all tuples below one prefix",
    .outcome = "The best tuple as JSON: its score, start positions from 0, consensus and the "
               "pieces. Of tuples with the same score it is the smallest.",
    .parameters = parameters,
    .input = SCOW_INPUT_SEQUENCES,
    .threads = SCOW_THREADS_HOST,
    .flags = SCOW_WARM,
    .describe = motif_describe,
    .open = motif_open,
    .close = motif_close,
    .method = motif_method,
    .results = outcome_results,
    .package_size_most = matrices_size_most,
    .pack = matrices_pack,
    .workspace_size = motif_workspace_size,
    .compute = motif_compute,
    .reset = outcome_reset,
    .merge = outcome_merge,
    .print = outcome_print,
};
