/* The motif search against a slow oracle as a plain program, for processors that are emulated and
 * have no test library. Exit code 1 and a sentence when it is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/vector/isa.h"
#include "tests/kernel/motif_dna.h"
#include "tests/kernel/motif_oracle.h"

enum { SEEDS = 40 };

static bool outcome_is(const struct motif_sequences *sequences, const struct motif_wanted *wanted,
                       const char *expected)
{
    struct motif_trial trial;
    char *json = NULL;
    const bool good = motif_trial_open(&trial, sequences, wanted) &&
                      motif_trial_run(&trial, 100, 1, 1, &json) == SCOW_OK &&
                      strcmp(json, expected) == 0;
    if (!good)
        fprintf(stderr, "%s %s instead of %s\n", trial.memory.failure, json ? json : "nothing",
                expected);
    free(json);
    motif_trial_close(&trial);
    return good;
}

static bool seed_is_good(uint64_t seed)
{
    struct random random = {seed};
    struct motif_sequences sequences;
    struct motif_wanted wanted = {.length = (int)random_between(&random, 1, 6)};
    bool good = true;
    dna_random(&sequences, &random, (int)random_between(&random, 1, 4), 4, wanted.length,
               wanted.length + 12);
    char *expected = motif_oracle_strings(&sequences, wanted.length, 0);
    for (int choice = 0; choice < 4 && good; choice++) {
        wanted.search = choice & 1 ? MOTIF_BRANCH_AND_BOUND : MOTIF_BRUTE_FORCE;
        wanted.ship = choice & 2 ? MOTIF_MATRICES : MOTIF_INDICES;
        good = outcome_is(&sequences, &wanted, expected);
    }
    free(expected);
    dna_release(&sequences);
    return good;
}

int main(void)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        if (!seed_is_good(seed)) {
            fprintf(stderr, "seed %d\n", (int)seed);
            return 1;
        }
    }
    printf("%d seeds: motifs agree with the oracle (%s)\n", SEEDS, isa_name(isa_current()));
    return 0;
}
