/* How many random cases tests see. */
#ifndef TESTS_CASES_H
#define TESTS_CASES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* How many of a hundred cases are run: the environment's SCOW_CASES (fewer where each takes several
 * times as long, 1000 for a long night). */
static inline uint64_t cases_percent(void)
{
    const char *asked = getenv("SCOW_CASES");
    return asked ? strtoull(asked, NULL, 10) : 100;
}

/* Of so many usual cases, the number that this run of the test has: at least one. */
static inline uint64_t cases_of(uint64_t usual)
{
    const uint64_t cases = usual * cases_percent() / 100;
    return cases > 0 ? cases : 1;
}

/* Are there as many as usual? A mean over fewer says little. */
static inline bool cases_are_many(void)
{
    return cases_percent() >= 100;
}

#endif
