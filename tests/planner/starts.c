/* Workers with a start: before its first package each is busy for a while. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "planner/dispatch/dispatch.h"
#include "planner/report/causes.h"
#include "planner/report/trace_summary.h"
#include "planner/schedulers/optimal/optimal_lp.h"
#include "planner/schedulers/scheduler.h"
#include "planner/simulate/scenario.h"
#include "planner/simulate/simulate.h"
#include "tests/cases.h"
#include "tests/planner/bounds.h"
#include "tests/planner/plans_simulated.h"
#include "tests/planner/platforms.h"

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * expected))
        fail_msg("%.12g, expected %.12g", value, expected);
}

/* Two workers without communication, 1 s a task. */
static struct platform two_workers(double first_s, double second_s)
{
    const struct cost none = {0, 0};
    struct platform platform = platform_of_equals(2, 1, 1000, none, none, (struct cost){0, 1});
    struct platform_window *window = &platform.windows[0];
    window->classes = realloc(window->classes, 2 * sizeof *window->classes);
    assert_non_null(window->classes);
    window->class_count = 2;
    window->classes[0].count = 1;
    window->classes[1] = window->classes[0];
    window->classes[1].first = 1;
    window->classes[0].start_s = first_s;
    window->classes[1].start_s = second_s;
    return platform;
}

static double load_of(const struct plan *plan, int64_t worker)
{
    double sum = 0;
    for (int64_t k = 0; k < plan->worker_count; k++)
        for (size_t r = 0; plan->workers[k] == worker && r < plan->round_count; r++)
            sum += plan->rounds[r].loads[k] * (double)plan->rounds[r].repeat;
    return sum;
}

static void single_tasks_are_assigned(void **state)
{
    (void)state;
    const struct dispatch_setup setup = {
        .rule = "ss", .tasks = 12, .workers = 2, .ahead = 1, .least = 1, .most = 12};
    const struct scenario usual = SCENARIO_INIT;
    struct platform platform = two_workers(3, 5);
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    struct dispatch *dispatch = dispatch_new_rule(&setup, &failure);
    assert_non_null(dispatch);
    assert_true(simulate_scenario(&platform, dispatch, &usual, NULL, &simulation, &failure));
    assert_near(simulation.makespan_s, 10);
    assert_near(simulation.start_s, 8);
    dispatch_free(&dispatch);
    platform_release(&platform);
}

static void one_package_each_ends_together(void **state)
{
    (void)state;
    static const char *const names[] = {"single", "optimal"};
    struct platform platform = two_workers(3, 5);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (strcmp(names[k], "optimal") == 0 && !optimal_lp_available())
            continue;
        struct plan plan = plan_with(&platform, 12, names[k]);
        assert_near(plan.predicted.makespan_s, 10);
        assert_near(load_of(&plan, 0), 7);
        assert_near(load_of(&plan, 1), 5);
        assert_true(plan.predicted.gap <= 1e-6);
        plan_release(&plan);
    }
    platform_release(&platform);
}

/* Whichever of the two it is. */
static void a_start_that_does_not_pay_is_left_out(void **state)
{
    (void)state;
    size_t count;
    const struct scheduler *list = scheduler_list(&count);
    for (int other = 0; other < 2; other++) {
        struct platform platform = two_workers(other == 0 ? 3 : 0, other == 0 ? 0 : 3);
        for (size_t k = 0; k < count; k++) {
            const struct schedule_request request = {.platform = &platform, .tasks = 3};
            struct plan plan = {.kernel = NULL};
            struct failure failure = FAILURE_INIT;
            if (!scheduler_make(&list[k], &request, &plan, &failure))
                continue;
            if (!(fabs(plan.predicted.makespan_s - 3) < 1e-9))
                fail_msg("%s: %.9g s", list[k].name, plan.predicted.makespan_s);
            assert_int_equal(plan.worker_count, 1);
            assert_int_equal(plan.workers[0], other == 0 ? 1 : 0);
            plan_release(&plan);
        }
        platform_release(&platform);
    }
}

/* Start, work and what they waited for make up the makespan of every worker. */
static void traces_have_them(void **state)
{
    (void)state;
    struct platform platform = two_workers(3, 5);
    platform.windows[0].classes[0].link = platform.windows[0].classes[1].link =
        (struct cost){0.5, 0.01};
    struct plan plan = plan_with(&platform, 40, "scow-mp");
    struct trace trace = {.count = 0};
    struct simulation simulation;
    struct trace_summary summary;
    struct causes causes;
    struct failure failure = FAILURE_INIT;
    assert_true(simulate_plan(&platform, &plan, &trace, &simulation, &failure));
    assert_true(trace_summary_make(&trace, &plan, &summary, &failure));
    assert_true(causes_make(&trace, NULL, false, &causes, &failure));
    assert_near(summary.seconds[OPERATION_START], 8);
    assert_near(summary.makespan_s, simulation.makespan_s);
    assert_near(summary.workers[0].seconds[OPERATION_START], 3);
    for (int64_t k = 0; k < 2; k++) {
        const struct worker_causes *worker = &causes.workers[k];
        double all_s = worker->busy_s;
        for (int cause = 0; cause < CAUSE_COUNT; cause++)
            all_s += worker->seconds[cause];
        assert_near(all_s, simulation.makespan_s);
        assert_true(worker->seconds[CAUSE_START] == 0); /* the first package came before */
    }
    causes_release(&causes);
    trace_summary_release(&summary);
    trace_release(&trace);
    plan_release(&plan);
    platform_release(&platform);
}

static void set_check(uint64_t seed, const struct platform *platform, double tasks,
                      const struct schedule_set *set)
{
    const double bound_s = bound_of(platform, tasks, false);
    double best_s = HUGE_VAL, optimal_s = HUGE_VAL;
    for (size_t k = 0; k < set->count; k++) {
        const struct schedule_entry *entry = &set->entries[k];
        struct failure failure = FAILURE_INIT;
        struct simulation simulation;
        if (!entry->made)
            continue;
        assert_true(plan_check(platform, &entry->plan, &failure));
        assert_true(simulate_plan(platform, &entry->plan, NULL, &simulation, &failure));
        assert_true(simulation.makespan_s == entry->plan.predicted.makespan_s);
        if (!(bound_s <= simulation.makespan_s))
            fail_msg("seed %" PRIu64 ": %s takes %.12g s, the bound is %.12g s", seed,
                     entry->scheduler->name, simulation.makespan_s, bound_s);
        best_s = fmin(best_s, simulation.makespan_s);
        if (strcmp(entry->scheduler->name, "optimal") == 0)
            optimal_s = simulation.makespan_s;
    }
    assert_true(best_s < HUGE_VAL);
    if (optimal_lp_available() && !(optimal_s <= best_s * (1 + 1e-12)))
        fail_msg("seed %" PRIu64 ": optimal takes %.12g s, another plan %.12g s", seed, optimal_s,
                 best_s);
    assert_true(best_s == HUGE_VAL || bound_priced_of(platform, tasks, false, best_s) <= best_s);
}

/* Starts of up to a few times the job without them. */
static void bounds_and_optima_hold(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(12); seed++) {
        struct dice dice = dice_of(70000 + seed);
        const int64_t workers = dice_between(&dice, 1, 12);
        struct platform platform = platform_cluster(&dice, workers);
        const double tasks = (double)dice_between(&dice, 1, 400);
        if (seed % 3 == 0)
            platform_write_behind(&dice, &platform, 2);
        platform_starts(&dice, &platform,
                        dice_scale(&dice, 0.01, 3) * bound_of(&platform, tasks, false));
        struct effort effort = {EFFORT_SECOND / 4};
        const struct schedule_request request = {
            .platform = &platform, .tasks = tasks, .effort = &effort};
        struct schedule_set set;
        struct failure failure = FAILURE_INIT;
        assert_true(schedule_set_make(&request, &set, &failure));
        set_check(seed, &platform, tasks, &set);
        schedule_set_release(&set);
        platform_release(&platform);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(single_tasks_are_assigned),
                                       cmocka_unit_test(one_package_each_ends_together),
                                       cmocka_unit_test(a_start_that_does_not_pay_is_left_out),
                                       cmocka_unit_test(traces_have_them),
                                       cmocka_unit_test(bounds_and_optima_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
