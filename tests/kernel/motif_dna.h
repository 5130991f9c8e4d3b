/* Sequences for tests of motif: random ones, and those of a FASTA file. */
#ifndef TESTS_KERNEL_MOTIF_DNA_H
#define TESTS_KERNEL_MOTIF_DNA_H

#include "tests/kernel/motif_trial.h"
#include "tests/kernel/random.h"

/* Random letters; of an alphabet of fewer than 4, the first ones: then scores are often equal. */
void dna_sequence(struct random *random, int alphabet, int size, char *letters);

/* `count` sequences of `least` to `most` letters each; to be released. */
void dna_random(struct motif_sequences *sequences, struct random *random, int count, int alphabet,
                int least, int most);

/* The 18 sequences of E. coli with binding sites of CRP that are golden/crp0.fa; to be released. */
void dna_crp(struct motif_sequences *sequences);

void dna_release(struct motif_sequences *sequences);

#endif
