/* The lower bound where memory does not end. */
#ifndef TESTS_PLANNER_BOUNDS_H
#define TESTS_PLANNER_BOUNDS_H

#include "planner/schedulers/bounds/bound.h"
#include "planner/schedulers/bounds/bound_priced.h"
#include "tests/checks.h"

static inline double bound_of(const struct platform *platform, double tasks, bool real_valued)
{
    struct failure failure = FAILURE_INIT;
    double bound_s = -1;
    assert_true(bound_makespan(platform, tasks, real_valued, &bound_s, &failure));
    assert_int_equal(failure.code, FAILURE_NONE);
    return bound_s;
}

/* The stronger one, below the makespan of some plan. */
static inline double bound_priced_of(const struct platform *platform, double tasks,
                                     bool real_valued, double above_s)
{
    struct failure failure = FAILURE_INIT;
    struct prices prices;
    double bound_s = bound_of(platform, tasks, real_valued);
    assert_true(
        bound_priced(platform, tasks, real_valued, above_s, NULL, &bound_s, &prices, &failure));
    return bound_s;
}

#endif
