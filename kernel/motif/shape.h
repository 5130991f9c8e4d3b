/*
 * How a job is cut into core tasks, from the parameters and the number of start positions in each
 * sequence. All counts are exact; those that would pass TUPLES_MOST are refused or stay at
 * TUPLES_MOST + 1.
 */
#ifndef KERNEL_MOTIF_SHAPE_H
#define KERNEL_MOTIF_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SEQUENCES_MOST = 127, /* counts of letters are signed bytes */
    LENGTH_MOST = 127,    /* two planes a column (tail.h), in sums of eight bits (tally.h) */
    STARTS_MOST = 1 << 22 /* in one sequence: its planes grow with them */
};
#define TUPLES_MOST (INT64_C(1) << 53)

enum motif_parameter {
    MOTIF_SEQUENCES,
    MOTIF_LENGTH,
    MOTIF_POSITIONS,
    MOTIF_SEARCH,
    MOTIF_GRAIN,
    MOTIF_SHIP,
    MOTIF_PARAMETERS
};
enum motif_search_word { MOTIF_BRUTE_FORCE, MOTIF_BRANCH_AND_BOUND };
enum motif_ship_word { MOTIF_INDICES, MOTIF_MATRICES };

struct motif_shape {
    int sequences, length;
    bool bounded; /* branch and bound */
    bool shipped; /* packages hold letters; not of prefixes without rows */
    int heads;    /* sequences that a search walks through; the one or two after them, the tail, are
                   * looked at together */
    int prefix;   /* bounded: sequences that a core task's prefix is of, at most
                   * heads; else heads */
    int64_t starts[SEQUENCES_MOST]; /* start positions in each sequence, at least 1 */
    int64_t block;                  /* tuples of the tail */
    int64_t grain;                  /* tuples of a core task; bounded: not used */
    int64_t tuples;                 /* at most TUPLES_MOST + 1 */
    int64_t tasks;
};

/* How many letters of a sequence motifs reach. */
int64_t shape_letters(const struct motif_shape *shape, int sequence);

/* The product of the start positions of sequences [first, end). */
int64_t shape_product(const struct motif_shape *shape, int first, int end);

/* Set what follows from sequences, length, bounded, shipped and starts. grain 0: choose one.
 * Returns the number of sequences, or, where there would be too many core tasks or tuples, the
 * index of the sequence at which. */
int shape_cut(struct motif_shape *shape, int64_t grain);

/* Tuples of core tasks [first, first + count) of a job that is not bounded: [*begin, *end). */
void shape_range(const struct motif_shape *shape, int64_t first, int64_t count, int64_t *begin,
                 int64_t *end);

/* The start positions, in the first `sequences` sequences, of tuple or prefix number `index`. */
void shape_digits(const struct motif_shape *shape, int sequences, int64_t index, uint32_t *start);

#endif
