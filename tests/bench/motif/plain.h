/* The source's brute force (section 6.3) in straightforward C: for every start tuple the alignment
 * matrix's profile is counted, and its score found, from nothing. */
#ifndef TESTS_BENCH_MOTIF_PLAIN_H
#define TESTS_BENCH_MOTIF_PLAIN_H

#include <stdint.h>

struct plain {
    int sequences, length;
    int starts[127];
    const uint8_t *letters[127]; /* 0 to 3 */
    int position[127];           /* of the first tuple; changed */
};

struct plain_best {
    int score;
    int position[127];
};

/* The best of `count` tuples, the last sequence's position fastest. As the compiler likes best
 * (-O3), and the same for this processor alone (-march=native). */
struct plain_best plain_run(struct plain *plain, int64_t count);
struct plain_best plain_run_native(struct plain *plain, int64_t count);

#endif
