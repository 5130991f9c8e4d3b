/*
 * Motif search: of every sequence one piece of l letters is chosen so that the pieces agree best.
 * The start positions are a tuple, one a sequence; the pieces, one below the other, the alignment
 * matrix; the counts of the letters in each of its columns the profile. The score is the sum over
 * columns of the count of the most frequent letter. Searched is the tuple of greatest score, and of
 * several such ones the smallest: the first difference decides, in the first sequence's position
 * before the second's.
 *
 * Source: L. F. de la Torre, Scheduling Divisible Tasks under Production or Utilization
 * Constraints, University of Puerto Rico, 2009, sections 6.3 (brute force) to 6.5 (branch and
 * bound; in levels: levels.h).
 */
#ifndef KERNEL_MOTIF_MOTIF_H
#define KERNEL_MOTIF_MOTIF_H

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

/* The letters of all sequences (borrowed), their words and the length's form, by a shape that has
 * its sequences and its length. False: out of memory; the words, if any, are still to be
 * freed. */
bool motif_read(struct motif_job *job, const struct motif_shared *shared, const char *letters);

/* Of a capital: A 0, C 1, G 2, T 3. */
static inline uint8_t letter_number(char letter)
{
    return letter == 'A' ? 0 : letter == 'C' ? 1 : letter == 'G' ? 2 : 3;
}

extern const struct scow_task motif_task;
extern const struct scow_task motif_levels_task;

#endif
