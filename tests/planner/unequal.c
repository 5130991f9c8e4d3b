/* Whether the end of a plan is assigned on request because its packages are unequal. */
#include "planner/studies/planning.h"

#include <stdlib.h>
#include <string.h>

#include "planner/simulate/unequal.h"
#include "planner/studies/masters.h"
#include "planner/studies/repeated.h"
#include "tests/checks.h"

enum { WORKERS = 3, TASKS = 3000 }; /* of each master */

/* The mean over simulations with such packages. */
static double mean_of(const struct planning *planning, const struct plan *plan, const char *tail)
{
    enum { DRAWS = 64 };
    struct unequal unequal = unequal_draw(planning->setting, 0, plan->tasks, 0, DRAWS);
    const struct variation variation = unequal_variation(&unequal);
    struct failure failure = FAILURE_INIT;
    struct scenario scenario = SCENARIO_INIT;
    struct ensemble ensemble;
    scenario.variation = &variation;
    if (!repeated_draw(planning, plan, tail, &scenario, DRAWS, &ensemble, &failure))
        fail_msg("%s", failure.text);
    const double mean_s = ensemble_mean(&ensemble);
    ensemble_release(&ensemble);
    return mean_s;
}

/* What is predicted is what such a run is expected to take, and what saves does so on the whole. */
static void assert_saves(const struct planning *planning, const struct plan *plan)
{
    struct failure failure = FAILURE_INIT;
    struct simulation simulation;
    assert_true(planning_simulate(planning, plan, NULL, &simulation, &failure));
    assert_true(plan->predicted.makespan_s == simulation.makespan_s);
    if (plan->tail)
        assert_true(mean_of(planning, plan, plan->tail) < 0.995 * mean_of(planning, plan, NULL));
}

/* Three workers of each master that take 1 ms for a task, and `request_s` to ask for a package;
 * packages of any size differ by `deviation`. Returns the plan's tail, owned; NULL: none. */
static char *tail_of(int64_t masters, double deviation, double request_s)
{
    struct profile_worker worker = {.count = masters * WORKERS + masters - 1,
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
                                      .tasks = (double)(masters * TASKS),
                                      .omissions = &omissions};
    struct failure failure = FAILURE_INIT;
    struct plan plan = {.kernel = NULL};
    if (!masters_make(&planning, masters, &plan, &failure) ||
        !planning_tail_unequal(&planning, &plan, &failure))
        fail_msg("%s", failure.text);
    char *tail = plan.tail ? strdup(plan.tail) : NULL;
    assert_int_equal(plan_masters(&plan), masters);
    assert_true(plan.predicted.makespan_s >= TASKS * 1e-3 / WORKERS);
    assert_saves(&planning, &plan);
    plan_release(&plan);
    return tail;
}

static void assert_tail(int64_t masters, double deviation, double request_s, const char *wanted)
{
    char *tail = tail_of(masters, deviation, request_s);
    if (wanted)
        assert_non_null(tail);
    /* Its share stands behind it, so that the run assigns what was predicted. */
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
    for (int64_t masters = 1; masters <= 2; masters++) {
        assert_tail(masters, 0, 0, NULL);
        assert_tail(masters, 0.04, 0, NULL);
    }
}

static void unequal_packages_are_assigned_at_the_end(void **state)
{
    (void)state;
    for (int64_t masters = 1; masters <= 2; masters++) {
        assert_tail(masters, 0.5, 0, "fac,part=3");
        assert_tail(masters, 1.5, 1e-4, "fac,part=3");
    }
}

/* Where asking takes longer than what it evens out. */
static void dear_requests_are_not_made(void **state)
{
    (void)state;
    for (int64_t masters = 1; masters <= 2; masters++)
        assert_tail(masters, 0.5, 1, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_packages_are_planned_to_the_end),
        cmocka_unit_test(unequal_packages_are_assigned_at_the_end),
        cmocka_unit_test(dear_requests_are_not_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
