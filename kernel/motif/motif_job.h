/* Inside of motif: a job made ready. */
#ifndef KERNEL_MOTIF_MOTIF_JOB_H
#define KERNEL_MOTIF_MOTIF_JOB_H

#include "kernel/motif/profile.h"
#include "kernel/motif/shape.h"
#include "kernel/motif/tail.h"
#include "kernel/motif/tally.h"
#include "kernel/scow.h"

/* What all ranks are given: this, and then the letters of each sequence (ACGT), as many as motifs
 * reach, one sequence after the other. */
struct motif_shared {
    int64_t sequences;
    int64_t starts[SEQUENCES_MOST];
};

struct motif_job {
    struct motif_shape shape;
    const char *letters[SEQUENCES_MOST];  /* the setup's */
    uint32_t *words;                      /* of all letters, one each (profile.h) */
    const uint32_t *rows[SEQUENCES_MOST]; /* each sequence's */
    struct profile_length length;
    struct tail tail;
    bool (*tally)(struct tally *tally); /* this processor's */
    /* Bounded: a score that some tuple has; and the most that sequences from number i on can add,
     * whatever stands before them (bound.h). */
    int floor;
    int rest[SEQUENCES_MOST + 1];
};

/* Sequences, length, search and kind of package, as the parameters say. */
struct motif_shape motif_shape_of(const struct scow_value *values, int sequences);

/* The letters of all sequences (borrowed), their words and the length's form, by a shape that has
 * its sequences and its length. False: out of memory; motif_close releases what there is. */
bool motif_read(struct motif_job *job, const struct motif_shared *shared, const char *letters);

/* Of a capital: A 0, C 1, G 2, T 3. */
static inline uint8_t letter_number(char letter)
{
    return letter == 'A' ? 0 : letter == 'C' ? 1 : letter == 'G' ? 2 : 3;
}

int motif_describe(const struct scow_host *host, const struct scow_value *values,
                   const struct scow_input *input, int64_t *tasks);
int motif_open(const struct scow_host *host, const struct scow_setup *setup, void **job);
void motif_close(void *job);
void motif_method(const void *job, char *text, size_t size);

size_t motif_workspace_size(const void *job, int threads);
int motif_compute(const struct scow_host *host, const void *job, const struct scow_batch *batch);

#endif
