#include "kernel/motif/motif_job.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernel/motif/bound.h"
#include "kernel/vector/isa.h"

struct motif_shape motif_shape_of(const struct scow_value *values, int sequences)
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

int motif_open(const struct scow_host *host, const struct scow_setup *setup, void **opened)
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

void motif_close(void *opened)
{
    struct motif_job *job = opened;
    if (!job)
        return;
    free(job->words);
    tail_release(&job->tail);
    free(job);
}

void motif_method(const void *opened, char *text, size_t size)
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
