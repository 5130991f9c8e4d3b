#include "kernel/library/library.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/library/align.h"

enum {
    LIBRARY_TARGETS,
    LIBRARY_MATRIX,
    LIBRARY_MATCH,
    LIBRARY_MISMATCH,
    LIBRARY_GAP_OPEN,
    LIBRARY_GAP_EXTEND,
    LIBRARY_PARAMETERS
};

struct library_job {
    struct targets targets;
    struct scoring scoring;
    struct aligner *aligner; /* owned */
};

/* The program that aligns counts letters and scores in 32 bits; no score of a letter is beyond. */
enum { SCORE_MOST = 64 };

#define LETTERS_MOST (INT32_MAX / SCORE_MOST)

/* ---- on the master ------------------------------------------------------------------------- */

static int scoring_check(const struct scow_host *host, const struct scow_value *values)
{
    const char *matrix = values[LIBRARY_MATRIX].text;
    if (!aligner_available())
        return host->fail(host, "parasail, which aligns sequences, is not installed or this scow "
                                "was built without it: install it (Debian: libparasail-dev), and "
                                "if that is not enough, build again");
    if (!values[LIBRARY_TARGETS].text)
        return host->refuse(host, "targets",
                            "--targets is missing: name a FASTA file, the library that the "
                            "sequences of the input are compared with");
    if (strcmp(matrix, "auto") != 0 && strcmp(matrix, "dna") != 0 && !aligner_matrix_known(matrix))
        return host->refuse(host, "matrix",
                            "--matrix %.60s is unknown: give auto, dna, or a matrix of parasail, "
                            "such as blosum62, blosum45 or pam250",
                            matrix);
    return SCOW_OK;
}

static int refuse_length(const struct scow_host *host, const char *what, int64_t index,
                         int64_t letters)
{
    return host->fail(host,
                      "sequence %" PRId64 " of the %s has %" PRId64
                      " letters, and at most %d can be aligned: cut it",
                      index + 1, what, letters, LETTERS_MOST);
}

static int sources_count(const struct scow_host *host, const struct scow_input *input,
                         struct targets_shared *shared)
{
    shared->sources = input->extent[0];
    for (int64_t i = 0; i < shared->sources; i++) {
        struct scow_item item;
        const int status = host->read_item(host, i, &item);
        if (status != SCOW_OK)
            return status;
        if (item.size > LETTERS_MOST)
            return refuse_length(host, "input", i, (int64_t)item.size);
        shared->source_letters += (int64_t)item.size;
        if ((int64_t)item.size > shared->longest_source)
            shared->longest_source = (int64_t)item.size;
    }
    return SCOW_OK;
}

static int targets_check(const struct scow_host *host, const struct targets *targets)
{
    for (int64_t i = 0; i < targets->shared->targets; i++) {
        const int64_t letters = targets->places[i + 1] - targets->places[i];
        if (letters > LETTERS_MOST)
            return refuse_length(host, "library", i, letters);
    }
    return SCOW_OK;
}

static int library_describe(const struct scow_host *host, const struct scow_value *values,
                            const struct scow_input *input, int64_t *tasks)
{
    void *shared = NULL;
    size_t size = 0;
    int status = scoring_check(host, values);
    if (status == SCOW_OK)
        status = targets_read(host, values[LIBRARY_TARGETS].text, &shared, &size);
    if (status == SCOW_OK) {
        const struct targets targets = targets_view(shared);
        status = targets_check(host, &targets);
    }
    if (status == SCOW_OK)
        status = sources_count(host, input, shared);
    if (status == SCOW_OK)
        status = host->share(host, shared, size);
    if (status == SCOW_OK)
        *tasks = input->extent[0];
    free(shared);
    return status;
}

static int library_pack(const struct scow_host *host, const void *opened, int64_t first,
                        int64_t count, void *package, size_t *size)
{
    (void)opened;
    int64_t *sizes = package;
    char *letters = (char *)(sizes + count);
    for (int64_t i = 0; i < count; i++) {
        struct scow_item item;
        const int status = host->read_item(host, first + i, &item);
        if (status != SCOW_OK)
            return status;
        sizes[i] = (int64_t)item.size;
        memcpy(letters, item.bytes, item.size);
        letters += item.size;
    }
    *size = (size_t)(letters - (char *)package);
    return SCOW_OK;
}

/* ---- on every rank ------------------------------------------------------------------------- */

/* Gaps as in BLAST: of proteins 11 + n, of DNA, with its 2 and -3, 5 + 2n. */
static struct scoring scoring_of(const struct scow_value *values, bool dna)
{
    const char *matrix = values[LIBRARY_MATRIX].text;
    const bool letters = strcmp(matrix, "auto") == 0 ? dna : strcmp(matrix, "dna") == 0;
    const int open = (int)values[LIBRARY_GAP_OPEN].number;
    const int extend = (int)values[LIBRARY_GAP_EXTEND].number;
    return (struct scoring){
        .matrix = letters                       ? NULL
                  : strcmp(matrix, "auto") == 0 ? "blosum62"
                                                : matrix,
        .match = (int)values[LIBRARY_MATCH].number,
        .mismatch = (int)values[LIBRARY_MISMATCH].number,
        .gap_open = open >= 0 ? open
                    : letters ? 5
                              : 11,
        .gap_extend = extend >= 0 ? extend
                      : letters   ? 2
                                  : 1,
    };
}

static void library_close(void *opened)
{
    struct library_job *job = opened;
    if (!job)
        return;
    aligner_free(job->aligner);
    free(job);
}

static int library_open(const struct scow_host *host, const struct scow_setup *setup, void **opened)
{
    struct library_job *job = calloc(1, sizeof *job);
    *opened = NULL;
    if (job) {
        job->targets = targets_view(setup->shared);
        job->scoring = scoring_of(setup->values, job->targets.shared->dna);
        job->aligner = aligner_new(&job->scoring);
    }
    if (!job || !job->aligner) {
        library_close(job);
        return host->fail(host, "not enough memory to align sequences");
    }
    *opened = job;
    return SCOW_OK;
}

static void library_method(const void *opened, char *text, size_t size)
{
    const struct library_job *job = opened;
    const struct targets_shared *shared = job->targets.shared;
    char method[256];
    aligner_method(&job->scoring, method, sizeof method);
    snprintf(text, size, "%s, %" PRId64 " sequences of %" PRId64 " letters (%016" PRIx64 ")",
             method, shared->targets, shared->letters, shared->digest);
}

/* A package: the number of letters of each sequence (int64_t), then the letters of all. */
static size_t library_package_size_most(const void *opened, int64_t count)
{
    const struct library_job *job = opened;
    const struct targets_shared *shared = job->targets.shared;
    const int64_t enough =
        shared->longest_source > 0 ? shared->source_letters / shared->longest_source : 0;
    const int64_t letters =
        count > enough ? shared->source_letters : count * shared->longest_source;
    return (size_t)count * sizeof(int64_t) + (size_t)letters;
}

/* Letters: aligning takes a step for each, and each letter of the library. */
static int library_weigh(const struct scow_host *host, const void *opened, double *weights)
{
    const struct library_job *job = opened;
    for (int64_t i = 0; i < job->targets.shared->sources; i++) {
        struct scow_item item;
        const int status = host->read_item(host, i, &item);
        if (status != SCOW_OK)
            return status;
        weights[i] = (double)item.size;
    }
    return SCOW_OK;
}

/* ---- what is left ---------------------------------------------------------------------------- */

/* What library leaves: of every sequence of the input the most alike in the library, and of all
 * these the best. */

static const struct scow_field fields[] = {
    {"score", SCOW_I64, offsetof(struct best_record, score), 1, 0},
    {"target", SCOW_I64, offsetof(struct best_record, target), 1, 0},
    {"source_end", SCOW_I64, offsetof(struct best_record, source_end), 1, 0},
    {"target_end", SCOW_I64, offsetof(struct best_record, target_end), 1, 0},
    {"name", SCOW_TEXT_BYTES, offsetof(struct best_record, name), TARGET_NAME_SIZE, 0},
    {.name = NULL},
};

static void best_results(const void *job, struct scow_results *results)
{
    (void)job;
    results->fields = fields;
    results->record_size = sizeof(struct best_record);
    results->state_size = sizeof(struct best_state);
}

static void state_take(struct best_state *state, const struct best_state *other)
{
    if (other->source >= 0 && (state->source < 0 || other->score > state->score ||
                               (other->score == state->score && other->source < state->source)))
        *state = *other;
}

/* Into `state` goes this record of sequence `source`, if it is better. */
static void best_add(struct best_state *state, int64_t source, const struct best_record *record)
{
    if (record->target >= 0)
        state_take(state, &(struct best_state){source, record->target, record->source_end,
                                               record->target_end, record->score});
}

void best_reset(const void *job, void *state)
{
    (void)job;
    *(struct best_state *)state = (struct best_state){.source = -1};
}

void best_merge(const void *job, void *state, const void *part)
{
    (void)job;
    state_take(state, part);
}

/* Of what a name may hold, '"' and '\' are not for JSON as they are. */
static void name_escape(const char *name, char *escaped)
{
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            *escaped++ = '\\';
        *escaped++ = *name;
    }
    *escaped = '\0';
}

/* {"score": 57, "source": 3, "target": 12, "name": "P12345", "source_end": 40, "target_end": 71};
 * of none {"score": 0}. */
static int best_print(const void *opened, const void *reduced, char *json, size_t size)
{
    const struct library_job *job = opened;
    const struct best_state *state = reduced;
    char name[2 * TARGET_NAME_SIZE];
    if (state->source < 0)
        return snprintf(json, size, "{\"score\": 0}");
    name_escape(targets_name(&job->targets, state->target), name);
    return snprintf(json, size,
                    "{\"score\": %" PRId64 ", \"source\": %" PRId64 ", \"target\": %" PRId64
                    ", \"name\": \"%s\", \"source_end\": %" PRId64 ", \"target_end\": %" PRId64 "}",
                    state->score, state->source, state->target, name, state->source_end,
                    state->target_end);
}

/* ---- computing ----------------------------------------------------------------------------- */

/* Aligning so many pairs of letters takes some milliseconds. */
enum { CELLS_A_PULSE = 1 << 22 };

/* A sequence against the library. */
struct sweep {
    const struct scow_host *host;
    const struct library_job *job;
    const char *letters;
    int64_t size;
    int64_t cells; /* since the last pulse */
};

static void record_better(struct best_record *record, int64_t target,
                          const struct alignment *alignment)
{
    if (alignment->score <= record->score)
        return;
    record->target = target;
    record->score = alignment->score;
    record->source_end = alignment->query_end;
    record->target_end = alignment->reference_end;
}

static bool is_stopped(struct sweep *sweep, int64_t cells)
{
    sweep->cells += cells;
    if (sweep->cells < CELLS_A_PULSE)
        return false;
    sweep->cells = 0;
    return sweep->host->pulse(sweep->host);
}

static int targets_try(struct sweep *sweep, const struct query *query, struct best_record *record)
{
    const struct targets *targets = &sweep->job->targets;
    for (int64_t i = 0; i < targets->shared->targets; i++) {
        const int64_t size = targets->places[i + 1] - targets->places[i];
        struct alignment alignment;
        if (!query_align(query, targets->letters + targets->places[i], size, &alignment))
            return sweep->host->fail(sweep->host, "not enough memory to align sequences");
        record_better(record, i, &alignment);
        if (is_stopped(sweep, size * sweep->size))
            return SCOW_STOPPED;
    }
    return SCOW_OK;
}

static int source_search(struct sweep *sweep, struct best_record *record)
{
    *record = (struct best_record){.target = -1, .source_end = -1, .target_end = -1};
    if (sweep->size < 1) /* a package of zeros, before the clock starts */
        return SCOW_OK;
    struct query *query = query_new(sweep->job->aligner, sweep->letters, sweep->size);
    if (!query)
        return sweep->host->fail(sweep->host, "not enough memory to align sequences");
    const int status = targets_try(sweep, query, record);
    query_free(query);
    if (record->target >= 0)
        memcpy(record->name, targets_name(&sweep->job->targets, record->target),
               sizeof record->name);
    return status;
}

static int library_compute(const struct scow_host *host, const void *opened,
                           const struct scow_batch *batch)
{
    const int64_t *sizes = batch->package;
    const int64_t before = batch->first - batch->package_first;
    struct sweep sweep = {
        .host = host, .job = opened, .letters = (const char *)(sizes + batch->package_count)};
    struct best_record *records = batch->records;
    for (int64_t i = 0; i < before; i++)
        sweep.letters += sizes[i];
    int status = SCOW_OK;
    for (int64_t k = 0; k < batch->count && status == SCOW_OK; k++) {
        sweep.size = sizes[before + k];
        status = source_search(&sweep, &records[k]);
        best_add(batch->state, batch->first + k, &records[k]);
        sweep.letters += sweep.size;
    }
    return status;
}

/* ---- the core task ------------------------------------------------------------------------- */

static const struct scow_parameter parameters[LIBRARY_PARAMETERS + 1] = {
    [LIBRARY_TARGETS] = {.name = "targets",
                         .help = "the library: a FASTA file, plain or compressed by gzip, whose "
                                 "sequences each one of the input is compared with",
                         .kind = SCOW_PATH},
    [LIBRARY_MATRIX] = {.name = "matrix",
                        .help = "what letters score: a matrix of proteins (blosum62, blosum45, "
                                "pam250, ...); dna: --match and --mismatch; auto: dna where all "
                                "of the library's letters are A, C, G, T, U or N, else blosum62",
                        .kind = SCOW_TEXT,
                        .text = "auto"},
    [LIBRARY_MATCH] = {.name = "match",
                       .help = "of DNA, what two letters score that are the same",
                       .kind = SCOW_WHOLE,
                       .initial = 2,
                       .least = 1,
                       .greatest = 32},
    [LIBRARY_MISMATCH] = {.name = "mismatch",
                          .help = "of DNA, what two letters score that differ",
                          .kind = SCOW_WHOLE,
                          .initial = -3,
                          .least = -32,
                          .greatest = -1},
    [LIBRARY_GAP_OPEN] = {.name = "gap-open",
                          .help = "a gap of n letters costs this and n times --gap-extend; -1: 11 "
                                  "for proteins, 5 for DNA",
                          .kind = SCOW_WHOLE,
                          .initial = -1,
                          .least = -1,
                          .greatest = 100},
    [LIBRARY_GAP_EXTEND] = {.name = "gap-extend",
                            .help = "what each letter of a gap costs; -1: 1 for proteins, 2 for "
                                    "DNA",
                            .kind = SCOW_WHOLE,
                            .initial = -1,
                            .least = -1,
                            .greatest = 100},
    [LIBRARY_PARAMETERS] = {.name = NULL},
};

const struct scow_task library_task = {
    SCOW_TASK,
    .name = "library",
    .version = "1",
    .summary = "find the most alike of a library's sequences for each sequence",
    .core_task = "one sequence of the input, aligned with all of the library",
    .outcome = "For each sequence the best of the library: its score (0: nothing is alike), "
               "number from 0 and name, and where the pieces that are alike end. The best of all "
               "as JSON.",
    .parameters = parameters,
    .input = SCOW_INPUT_SEQUENCES,
    .threads = SCOW_THREADS_HOST,
    .flags = SCOW_WARM,
    .describe = library_describe,
    .open = library_open,
    .close = library_close,
    .method = library_method,
    .results = best_results,
    .package_size_most = library_package_size_most,
    .pack = library_pack,
    .compute = library_compute,
    .reset = best_reset,
    .merge = best_merge,
    .print = best_print,
    .weigh = library_weigh,
};
