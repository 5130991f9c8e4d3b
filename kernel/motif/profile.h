/*
 * Profiles: for every column of an alignment matrix, how often each letter stands in it. The four
 * counts of a column are the bytes of one word, that of letter number c (A 0, C 1, G 2, T 3) at
 * bits 8 * c, so that a row, one word a letter, is added by adding words; four columns are a
 * vector. Profiles and rows are of whole vectors: columns from the length on hold anything, and are
 * not looked at.
 */
#ifndef KERNEL_MOTIF_PROFILE_H
#define KERNEL_MOTIF_PROFILE_H

#include <stdint.h>
#include <string.h>

#include "kernel/motif/shape.h"

enum { PROFILE_VECTOR = 4, PROFILE_WORDS_MOST = (LENGTH_MOST + 3) / 4 * 4 };

/* A motif's length, in the form that profiles want it. */
struct profile_length {
    int columns, words;                  /* words: columns, rounded up to vectors */
    uint32_t wanted[PROFILE_WORDS_MOST]; /* 255 in columns that count, else 0 */
};

struct profile_length profile_length_of(int columns);

typedef uint32_t profile_words __attribute__((vector_size(16)));
typedef int8_t profile_counts __attribute__((vector_size(16)));

static inline profile_words profile_load(const uint32_t *from)
{
    profile_words words;
    memcpy(&words, from, sizeof words);
    return words;
}

static inline void profile_store(uint32_t *to, profile_words words)
{
    memcpy(to, &words, sizeof words);
}

/* `to` may be `from`. */
static inline void profile_add(const struct profile_length *length, uint32_t *to,
                               const uint32_t *from, const uint32_t *row)
{
    for (int j = 0; j < length->words; j += PROFILE_VECTOR)
        profile_store(to + j, profile_load(from + j) + profile_load(row + j));
}

static inline profile_words profile_larger(profile_words a, profile_words b)
{
    const profile_words greater = (profile_words)((profile_counts)a > (profile_counts)b);
    return (greater & a) | (~greater & b);
}

/* The greatest count of each column, in all four of its bytes. */
static inline profile_words profile_greatest(profile_words counts)
{
    const profile_words two = profile_larger(counts, counts >> 16 | counts << 16);
    return profile_larger(two, two >> 8 | two << 24);
}

/* The bytes of letters whose count that is. */
static inline profile_words profile_letters(profile_words counts, profile_words greatest)
{
    return (profile_words)((profile_counts)counts == (profile_counts)greatest);
}

static inline int profile_sum(profile_words words)
{
    return (int)(words[0] + words[1] + words[2] + words[3]);
}

/* The sum over columns of the count of the most frequent letter. */
static inline int profile_score(const struct profile_length *length, const uint32_t *profile)
{
    profile_words sum = {0};
    for (int j = 0; j < length->words; j += PROFILE_VECTOR)
        sum += profile_greatest(profile_load(profile + j)) & profile_load(length->wanted + j);
    return profile_sum(sum);
}

/* The score, and the type of every column: which letters have its greatest count (bit c), and which
 * one less (bit 4 + c). This is all of a column that decides what one or two more rows add to its
 * greatest count. */
static inline int profile_types(const struct profile_length *length, const uint32_t *profile,
                                uint32_t *type)
{
    const profile_words zero = {0}, one = zero + 0x01010101u;
    profile_words sum = {0};
    for (int j = 0; j < length->words; j += PROFILE_VECTOR) {
        const profile_words counts = profile_load(profile + j);
        const profile_words greatest = profile_greatest(counts);
        profile_words bits = (profile_letters(counts, greatest) & (zero + 0x08040201u)) |
                             (profile_letters(counts + one, greatest) & (zero + 0x80402010u));
        bits |= bits >> 16;
        bits |= bits >> 8;
        profile_store(type + j, bits & 255u);
        sum += greatest & profile_load(length->wanted + j);
    }
    return profile_sum(sum);
}

/* How many letters of a row have their column's greatest count: what the row adds to the score. */
static inline int profile_gain(const struct profile_length *length, const uint32_t *profile,
                               const uint32_t *row)
{
    profile_words sum = {0};
    for (int j = 0; j < length->words; j += PROFILE_VECTOR) {
        const profile_words counts = profile_load(profile + j);
        const profile_words hits =
            profile_load(row + j) & profile_letters(counts, profile_greatest(counts));
        sum += (profile_words)(hits != 0) & profile_load(length->wanted + j) & 1u;
    }
    return profile_sum(sum);
}

#endif
