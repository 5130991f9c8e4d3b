/* Plans as they are simulated: what tests of watched plans and of tails share. */
#ifndef TESTS_PLANNER_PLANS_SIMULATED_H
#define TESTS_PLANNER_PLANS_SIMULATED_H

#include "planner/model/trace.h"
#include "planner/schedulers/scheduler.h"
#include "planner/simulate/simulate.h"
#include "tests/checks.h"

/* Every task once, in ascending order of packages that are of the platform's windows. */
static inline void tasks_are_all(const struct platform *platform, const struct plan *plan,
                                 const struct trace *trace)
{
    int64_t next = 0, package = 0;
    for (size_t k = 0; k < trace->count; k++) {
        const struct trace_event *event = &trace->events[k];
        if (event->operation != OPERATION_COMPUTE)
            continue;
        assert_int_equal(event->first, next);
        assert_int_equal(event->package, package++);
        assert_non_null(platform_find(platform, (double)event->tasks));
        next += event->tasks;
    }
    assert_int_equal(next, (int64_t)plan->tasks);
}

/* That scheduler's plan of so many whole tasks; to be released. */
static inline struct plan plan_with(const struct platform *platform, double tasks, const char *name)
{
    const struct schedule_request request = {.platform = platform, .tasks = tasks};
    struct failure failure = FAILURE_INIT;
    struct plan plan = {.kernel = NULL};
    if (!scheduler_make(scheduler_find(name), &request, &plan, &failure))
        fail_msg("%s", failure.text);
    return plan;
}

#endif
