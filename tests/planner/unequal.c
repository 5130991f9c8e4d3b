/* Whether the end of a plan is dealt on request because its packages are unequal. */
#include "planner/studies/planning.h"

#include <stdlib.h>
#include <string.h>

#include "tests/checks.h"

enum { WORKERS = 3, TASKS = 3000 };

/* Three workers that take 1 ms for a task, and `request_s` to ask for a package; packages of any
 * size differ by `deviation`. Returns the plan's tail, owned; NULL: none. */
static char *tail_of(double deviation, double request_s)
{
    struct profile_worker worker = {.count = WORKERS,
                                    .compute = {{1e-4, 1e-3}, {.n = 0}},
                                    .request = {{request_s, 0}, {.n = 0}}};
    struct profile_window window = {.least = 1,
                                    .greatest = TASKS,
                                    .envelope = {{1e-5, 1e-7}, {.n = 0}},
                                    .send = {{1e-5, 1e-7}, {.n = 0}},
                                    .workers = &worker,
                                    .worker_count = 1};
    struct spread spreads[] = {{1, deviation}, {TASKS, deviation}};
    struct profile_setting setting = {
        .windows = &window, .window_count = 1, .spreads = spreads, .spread_count = 2};
    const struct profile profile = {.settings = &setting, .setting_count = 1, .kernel = "loop"};
    struct schedule_omissions omissions = {.count = 0};
    const struct planning planning = {.profile = &profile,
                                      .setting = &setting,
                                      .scheduler = "auto",
                                      .tasks = TASKS,
                                      .omissions = &omissions};
    struct failure failure = FAILURE_INIT;
    struct plan plan = {.kernel = NULL};
    if (!planning_make(&planning, &plan, &failure) ||
        !planning_tail_unequal(&planning, &plan, &failure))
        fail_msg("%s", failure.text);
    char *tail = plan.tail ? strdup(plan.tail) : NULL;
    assert_true(plan.predicted.makespan_s >= TASKS * 1e-3 / WORKERS);
    plan_release(&plan);
    return tail;
}

static void assert_tail(double deviation, double request_s, const char *wanted)
{
    char *tail = tail_of(deviation, request_s);
    if (wanted)
        assert_non_null(tail);
    /* Its share stands behind it, so that the run deals what was predicted. */
    if (tail) {
        const size_t length = strcspn(tail, ":");
        assert_int_equal(tail[length], ':');
        tail[length] = '\0';
        assert_string_equal(tail, wanted ? wanted : "none");
    }
    free(tail);
}

static void equal_packages_are_planned_to_the_end(void **state)
{
    (void)state;
    assert_tail(0, 0, NULL);
    assert_tail(0.04, 0, NULL);
}

static void unequal_packages_are_dealt_at_the_end(void **state)
{
    (void)state;
    assert_tail(0.5, 0, "fac,part=3");
    assert_tail(1.5, 1e-4, "fac,part=3");
}

/* Where asking takes longer than what it evens out. */
static void dear_requests_are_not_made(void **state)
{
    (void)state;
    assert_tail(0.5, 1, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_packages_are_planned_to_the_end),
        cmocka_unit_test(unequal_packages_are_dealt_at_the_end),
        cmocka_unit_test(dear_requests_are_not_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
