#include "kernel/motif/tail.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/motif/tally.h"

enum { LETTERS = 4, SETS_MOST = LETTERS * LETTERS, TYPES_MOST = 65, PLANES_SIZE_MOST = 4 << 20 };

static int64_t words_of(int64_t bits)
{
    const int64_t step = INT64_C(8) * TALLY_ALIGNMENT;
    return (bits + step - 1) / step * (step / 64);
}

/* Both have two planes a column and TYPES_MOST types. */
int tail_sequences(int length, int sequences, const int64_t *starts)
{
    if (sequences < 2)
        return 1;
    const int64_t words =
        PLANES_SIZE_MOST / (int64_t)sizeof(uint64_t) / (INT64_C(2) * TYPES_MOST * length);
    const int64_t last = starts[sequences - 1], before = starts[sequences - 2];
    return last > 64 * words || before > 64 * words || words_of(last * before) > words ? 1 : 2;
}

/* Of a column of that type, what letter a and, where the tail has two sequences, b add to its
 * greatest count. One row adds 1 if its letter has the greatest count. Two rows with different
 * letters add 1 if one of them has it: the other's count at most reaches what it was. Two with the
 * same letter add 2 if it has the greatest count, 1 if it has one less. */
static int gain_of(int type, int a, int b, int sequences)
{
    const int greatest = type & 15, less = type >> 4;
    if (sequences == 1)
        return greatest >> a & 1;
    if ((greatest >> a & 1) || (greatest >> b & 1))
        return a == b ? 2 : 1;
    return a == b && (less >> a & 1) ? 1 : 0;
}

/* Some letter has the greatest count, and none has both that and one less. */
static void types_number(struct tail *tail)
{
    for (int type = 0; type < 256; type++)
        if ((type & 15) != 0 && ((type & 15) & (type >> 4)) == 0 &&
            (type & tail->type_mask) == type)
            tail->index[type] = (uint8_t)tail->types++;
}

/* The tuples that have each of the sets of letters (a + LETTERS * b) in column j. */
static void sets_mark(const struct tail *tail, int j, const int64_t *starts,
                      const uint8_t *const *letter, uint64_t *sets)
{
    const bool two = tail->sequences == 2;
    const int64_t outer = two ? starts[0] : 1, inner = starts[tail->sequences - 1];
    int64_t bit = 0;
    memset(sets, 0, (size_t)(SETS_MOST * tail->words) * sizeof *sets);
    for (int64_t x = 0; x < outer; x++)
        for (int64_t y = 0; y < inner; y++, bit++) {
            const int a = letter[0][(two ? x : y) + j], b = two ? letter[1][y + j] : 0;
            sets[(a + LETTERS * b) * tail->words + bit / 64] |= UINT64_C(1) << bit % 64;
        }
}

static void plane_add(const struct tail *tail, uint64_t *plane, const uint64_t *set)
{
    for (int64_t w = 0; w < tail->words; w++)
        plane[w] |= set[w];
}

/* Plane p: the tuples that add more than p. */
static void planes_fill(const struct tail *tail, int j, int type, const uint64_t *sets)
{
    const int count = tail->sequences == 2 ? SETS_MOST : LETTERS;
    uint64_t *plane = tail->planes + ((int64_t)j * tail->types + tail->index[type]) *
                                         tail->sequences * tail->words;
    for (int p = 0; p < tail->sequences; p++, plane += tail->words)
        for (int set = 0; set < count; set++)
            if (gain_of(type, set % LETTERS, set / LETTERS, tail->sequences) > p)
                plane_add(tail, plane, sets + set * tail->words);
}

static void column_fill(const struct tail *tail, int j, const uint64_t *sets)
{
    for (int type = 1; type < 256; type++)
        if (tail->index[type] < tail->types)
            planes_fill(tail, j, type, sets);
}

bool tail_init(struct tail *tail, int length, int sequences, const int64_t *starts,
               const uint8_t *const *letter)
{
    *tail = (struct tail){.sequences = sequences,
                          .columns = length,
                          .tuples = starts[0] * (sequences == 2 ? starts[1] : 1),
                          .type_mask = sequences == 2 ? 255 : 15};
    memset(tail->index, UINT8_MAX, sizeof tail->index);
    types_number(tail);
    tail->words = words_of(tail->tuples);
    const size_t plane = (size_t)tail->words * sizeof(uint64_t);
    const size_t size = (size_t)(length * tail->types * sequences) * plane;
    uint64_t *sets = malloc(SETS_MOST * plane);
    tail->planes = aligned_alloc(TALLY_ALIGNMENT, size);
    if (sets && tail->planes) {
        memset(tail->planes, 0, size);
        for (int j = 0; j < length; j++) {
            sets_mark(tail, j, starts, letter, sets);
            column_fill(tail, j, sets);
        }
    }
    free(sets);
    if (!sets)
        tail_release(tail);
    return tail->planes != NULL;
}

void tail_release(struct tail *tail)
{
    free(tail->planes);
    tail->planes = NULL;
}
