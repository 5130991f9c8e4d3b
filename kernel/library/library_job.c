/* What is searched, how letters score, and what packages hold. */
#include "kernel/library/library_job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int library_describe(const struct scow_host *host, const struct scow_value *values,
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

int library_pack(const struct scow_host *host, const void *opened, int64_t first, int64_t count,
                 void *package, size_t *size)
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

int library_open(const struct scow_host *host, const struct scow_setup *setup, void **opened)
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

void library_close(void *opened)
{
    struct library_job *job = opened;
    if (!job)
        return;
    aligner_free(job->aligner);
    free(job);
}

void library_method(const void *opened, char *text, size_t size)
{
    const struct library_job *job = opened;
    const struct targets_shared *shared = job->targets.shared;
    char method[256];
    aligner_method(&job->scoring, method, sizeof method);
    snprintf(text, size, "%s, %" PRId64 " sequences of %" PRId64 " letters (%016" PRIx64 ")",
             method, shared->targets, shared->letters, shared->digest);
}

size_t library_package_size_most(const void *opened, int64_t count)
{
    const struct library_job *job = opened;
    const struct targets_shared *shared = job->targets.shared;
    const int64_t enough =
        shared->longest_source > 0 ? shared->source_letters / shared->longest_source : 0;
    const int64_t letters =
        count > enough ? shared->source_letters : count * shared->longest_source;
    return (size_t)count * sizeof(int64_t) + (size_t)letters;
}

int library_weigh(const struct scow_host *host, const void *opened, double *weights)
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
