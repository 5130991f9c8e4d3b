/*
 * Which bit is set in most planes? A plane is an array of bits, the same number in each. Sums are
 * formed for a whole vector of bits at a time, each sum's binary digits one below the other in as
 * many vectors: three bits of one weight become a sum and a carry in two instructions, so that a
 * bit of a plane costs about a hundredth of an instruction.
 */
#ifndef KERNEL_MOTIF_TALLY_H
#define KERNEL_MOTIF_TALLY_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TALLY_PLANES_MOST = 254,
    TALLY_ALIGNMENT = 64, /* of planes, in bytes; and what their size is a multiple of */
};

struct tally {
    const uint64_t *plane[TALLY_PLANES_MOST]; /* bit i is bit i % 64 of word i / 64 */
    int planes;                               /* 1 to TALLY_PLANES_MOST */
    int64_t begin, end;                       /* the bits that count: [begin, end), not empty */
    int least;                                /* sums below this do not count; any number */
    int sum;                                  /* found: the greatest */
    int64_t at;                               /* found: the first bit that has it */
};

/* False: no sum is as great as `least`. One per instruction set, with the same results. */
bool tally_generic(struct tally *tally);
bool tally_avx2(struct tally *tally);
bool tally_avx512(struct tally *tally);

#endif
