/* Two slow ways to the answer of motif, which share no code with it or one another, and the JSON
 * that it should print. */
#ifndef TESTS_KERNEL_MOTIF_ORACLE_H
#define TESTS_KERNEL_MOTIF_ORACLE_H

#include "tests/kernel/motif_trial.h"

/* Every tuple's alignment matrix, counted letter by letter. The result is to be freed. */
char *motif_oracle_tuples(const struct motif_sequences *sequences, int length, int positions);

/* Every possible consensus instead: the best score is the greatest sum, over sequences, of the most
 * matches that one of its pieces has with a string of `length` letters. (A tuple's score is the
 * greatest number of matches that its pieces have with any string, namely with their consensus.) So
 * the best tuples are those of best pieces for a best string, and the smallest of them is that of
 * the first best pieces for one of the best strings. In time 4^length, whatever the number of
 * tuples; length at most 12. */
char *motif_oracle_strings(const struct motif_sequences *sequences, int length, int positions);

#endif
