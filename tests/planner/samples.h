/* Seeded random numbers, profiles and plans for property tests. Equal seeds, equal samples. */
#ifndef TESTS_PLANNER_SAMPLES_H
#define TESTS_PLANNER_SAMPLES_H

#include <stdint.h>

#include "planner/model/plan.h"
#include "planner/model/profile.h"

struct dice {
    uint64_t state; /* any seed */
};

uint64_t dice_bits(struct dice *dice);
double dice_unit(struct dice *dice);                                    /* [0, 1) */
int64_t dice_whole(struct dice *dice, int64_t least, int64_t greatest); /* both included */
double dice_scale(struct dice *dice, double least, double greatest);    /* log-uniform */

/* A profile of 1 to `worker_most` workers in a few classes, 1 to 3 windows that follow each other
 * from 1 to 2^40 tasks, `settings` settings (blocks 32, 64, ...), times over six orders of
 * magnitude. To be released. */
void sample_profile(struct dice *dice, int64_t worker_most, size_t settings,
                    struct profile *profile);
/* Give some of its workers a start, the same in all windows, and it an overhead. */
void sample_starts(struct dice *dice, struct profile *profile);
/* Give some of its settings costs of results that come back, each package's or all at a worker's
 * end; such a setting's workers have no output then. */
void sample_results(struct dice *dice, struct profile *profile);
/* Give some of its classes a price, the same in all windows, and its master. */
void sample_prices(struct dice *dice, struct profile *profile);
/* A plan of random whole loads (or fractional ones) for some of `workers` workers in a random
 * order, 1 to 5 rounds, few repeats. To be released. */
void sample_plan(struct dice *dice, int64_t workers, bool real_valued, struct plan *plan);

#endif
