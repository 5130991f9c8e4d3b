#include <string.h>

#include "kernel/library/best.h"
#include "kernel/library/library.h"
#include "kernel/library/library_job.h"

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
