/*
 * The last one or two sequences, all of whose tuples are looked at together. A column of the rows
 * before them is of one of few types (profile.h), and its type decides for each tuple of the tail
 * whether its letters add at least 1, and at least 2, to the column's greatest count: as many
 * planes of bits a type, one bit a tuple, made once for a job. A tuple adds to the score the number
 * of planes, of all columns, in which its bit is set (tally.h).
 */
#ifndef KERNEL_MOTIF_TAIL_H
#define KERNEL_MOTIF_TAIL_H

#include <stdbool.h>
#include <stdint.h>

struct tail {
    int sequences; /* 1 or 2; so many planes has a column */
    int columns;
    int64_t tuples; /* bits of a plane; the last sequence's position is fastest */
    int64_t words;  /* of a plane */
    int types;
    uint8_t type_mask; /* what of a type decides */
    uint8_t index[256];
    uint64_t *planes; /* [columns][types][sequences][words] */
};

/* How many of `sequences` with so many start positions make the tail: two, where there are two and
 * the planes then stay within a processor's nearer caches. */
int tail_sequences(int length, int sequences, const int64_t *starts);

/* `letter` is the letters' numbers in the tail's sequences, starts + length - 1 each. False: out of
 * memory. */
bool tail_init(struct tail *tail, int length, int sequences, const int64_t *starts,
               const uint8_t *const *letter);
void tail_release(struct tail *tail);

/* Set the columns * sequences planes of columns of these types. */
static inline void tail_choose(const struct tail *tail, const uint32_t *type,
                               const uint64_t **plane)
{
    const int64_t words = tail->words, step = tail->sequences * words;
    const uint64_t *column = tail->planes;
    const bool two = tail->sequences == 2;
    for (int j = 0; j < tail->columns; j++, column += tail->types * step) {
        const uint64_t *chosen = column + tail->index[type[j] & tail->type_mask] * step;
        *plane++ = chosen;
        if (two)
            *plane++ = chosen + words;
    }
}

#endif
