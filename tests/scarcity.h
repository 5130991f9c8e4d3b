/*
 * Memory that runs out: a test that links scow-scarcity has the product's allocations succeed so
 * many times, and fail from then on. Of one thread at a time.
 */
#ifndef TESTS_SCARCITY_H
#define TESTS_SCARCITY_H

#include <stdbool.h>
#include <stdint.h>

/* From now on, so many allocations succeed and all later ones fail; negative: none fails. */
void scarcity_begin(int64_t allowed);
/* All allocations succeed again. Returns whether one has failed. */
bool scarcity_end(void);

#endif
