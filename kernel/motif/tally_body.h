/*
 * The tally, written once and built per instruction set: the file that includes this defines
 * TALLY_RUN (the name of its one function) and is compiled with the set's flags.
 */
#include "kernel/motif/tally.h"
#include "kernel/vector/vector.h"

enum { SLICES_MOST = 8 };

/* The sums of a vector of bits: digit s of all of them in slice s. */
struct sums {
    vector_bits slice[SLICES_MOST];
};

/* Add a bit of weight 2^from to every sum. `slices` and `from` are constants. */
VECTOR_INLINE void sums_add(struct sums *sums, int slices, int from, vector_bits carry)
{
    VECTOR_UNROLL
    for (int s = from; s < slices; s++) {
        const vector_bits next = sums->slice[s] & carry;
        sums->slice[s] ^= carry;
        carry = next;
    }
}

/* Add two bits of weight 2^s to every sum; returns what is carried to 2^(s + 1). */
VECTOR_INLINE vector_bits sums_add_pair(struct sums *sums, int s, vector_bits a, vector_bits b)
{
    const vector_bits carry = vector_bits_carry(sums->slice[s], a, b);
    sums->slice[s] = vector_bits_odd(sums->slice[s], a, b);
    return carry;
}

VECTOR_INLINE vector_bits plane_load(const struct tally *tally, int plane, int64_t word)
{
    return *(const vector_bits *)(const void *)(tally->plane[plane] + word);
}

VECTOR_INLINE vector_bits add_two(struct sums *sums, const struct tally *tally, int plane,
                                  int64_t word)
{
    return sums_add_pair(sums, 0, plane_load(tally, plane, word),
                         plane_load(tally, plane + 1, word));
}

VECTOR_INLINE vector_bits add_four(struct sums *sums, const struct tally *tally, int plane,
                                   int64_t word)
{
    const vector_bits a = add_two(sums, tally, plane, word);
    const vector_bits b = add_two(sums, tally, plane + 2, word);
    return sums_add_pair(sums, 1, a, b);
}

/* The sums over all planes: eight at a time, then what is left. */
VECTOR_INLINE void sums_make(struct sums *sums, const struct tally *tally, int slices, int64_t word)
{
    int plane = 0;
    VECTOR_UNROLL
    for (int s = 0; s < slices; s++)
        sums->slice[s] = (vector_bits){0};
    for (; plane + 8 <= tally->planes; plane += 8) {
        const vector_bits a = add_four(sums, tally, plane, word);
        const vector_bits b = add_four(sums, tally, plane + 4, word);
        sums_add(sums, slices, 3, sums_add_pair(sums, 2, a, b));
    }
    if (tally->planes & 4) {
        sums_add(sums, slices, 2, add_four(sums, tally, plane, word));
        plane += 4;
    }
    if (tally->planes & 2) {
        sums_add(sums, slices, 1, add_two(sums, tally, plane, word));
        plane += 2;
    }
    if (tally->planes & 1)
        sums_add(sums, slices, 0, plane_load(tally, plane, word));
}

/* The digits of -1 - least, in every bit of a slice: a sum is at least `least` where adding these
 * and 1 carries out of the last digit. */
VECTOR_INLINE void complement_set(struct sums *complement, const struct tally *tally, int slices)
{
    const int most = tally->planes + 1; /* which no sum reaches */
    const int least = tally->least > 0 ? tally->least : 0;
    const unsigned digits = ~(unsigned)(least < most ? least : most);
    VECTOR_UNROLL
    for (int s = 0; s < slices; s++)
        complement->slice[s] = vector_bits_all(digits >> s & 1 ? UINT64_MAX : 0);
}

VECTOR_INLINE vector_bits sums_reach(const struct sums *sums, const struct sums *complement,
                                     int slices)
{
    vector_bits carry = vector_bits_all(UINT64_MAX);
    VECTOR_UNROLL
    for (int s = 0; s < slices; s++)
        carry = vector_bits_carry(sums->slice[s], complement->slice[s], carry);
    return carry;
}

enum { WORDS = sizeof(vector_bits) / sizeof(uint64_t) };

/* A vector's sums, laid down in memory. */
struct written {
    vector_bits slice[SLICES_MOST];
    int slices;
};

/* Those bits of word number `word` that count. */
static uint64_t word_counts(const struct tally *tally, int64_t word)
{
    const int64_t first = word * 64;
    uint64_t bits = UINT64_MAX;
    if (tally->begin >= first + 64 || tally->end <= first)
        return 0;
    if (tally->begin > first)
        bits <<= tally->begin - first;
    if (tally->end < first + 64)
        bits &= UINT64_MAX >> (first + 64 - tally->end);
    return bits;
}

/* The greatest sum of a word's bits among `bits`, of which there are some; *bits: those that have
 * it. */
static int word_greatest(const struct written *written, int word, uint64_t *bits)
{
    int sum = 0;
    for (int s = written->slices - 1; s >= 0; s--) {
        const uint64_t larger = *bits & written->slice[s][word];
        sum = 2 * sum + (larger != 0);
        if (larger)
            *bits = larger;
    }
    return sum;
}

/* The sums of the vector of bits that begins at word number `first`. Called seldom: only where one
 * may reach what is wanted, which then rises. */
static __attribute__((noinline)) void sums_take(struct tally *tally, const struct written *written,
                                                int64_t first)
{
    for (int w = 0; w < WORDS; w++) {
        uint64_t bits = word_counts(tally, first + w);
        if (bits == 0)
            continue;
        const int sum = word_greatest(written, w, &bits);
        if (sum < tally->least)
            continue;
        tally->sum = sum;
        tally->at = (first + w) * 64 + __builtin_ctzll(bits);
        tally->least = sum + 1;
    }
}

/* `slices` is a constant, and enough for planes + 1. */
VECTOR_INLINE bool tally_run(struct tally *tally, int slices)
{
    const int least = tally->least;
    struct sums sums, complement;
    complement_set(&complement, tally, slices);
    for (int64_t word = tally->begin / (INT64_C(64) * WORDS) * WORDS; word * 64 < tally->end;
         word += WORDS) {
        sums_make(&sums, tally, slices, word);
        if (!__builtin_expect(vector_bits_any(sums_reach(&sums, &complement, slices)), 0))
            continue;
        struct written written = {.slices = slices};
        VECTOR_UNROLL
        for (int s = 0; s < slices; s++)
            written.slice[s] = sums.slice[s];
        sums_take(tally, &written, word);
        complement_set(&complement, tally, slices);
    }
    return tally->least != least;
}

bool TALLY_RUN(struct tally *tally)
{
    if (tally->planes < 15)
        return tally_run(tally, 4);
    if (tally->planes < 31)
        return tally_run(tally, 5);
    if (tally->planes < 63)
        return tally_run(tally, 6);
    return tally_run(tally, SLICES_MOST);
}
