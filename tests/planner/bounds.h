/* The lower bound where memory does not end. */
#ifndef TESTS_PLANNER_BOUNDS_H
#define TESTS_PLANNER_BOUNDS_H

#include "planner/schedulers/bound.h"
#include "tests/checks.h"

static inline double bound_of(const struct platform *platform, double tasks, bool real_valued)
{
    struct failure failure = FAILURE_INIT;
    double bound_s = -1;
    assert_true(bound_makespan(platform, tasks, real_valued, &bound_s, &failure));
    assert_int_equal(failure.code, FAILURE_NONE);
    return bound_s;
}

#endif
