/* Request-driven rules where package sizes have limits: none takes much longer than the best. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "planner/simulate/ensemble.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/planner/platforms.h"

static uint64_t seeds;

static struct simulation rule_simulate(const struct platform *platform, const char *rule,
                                       int64_t tasks, int ahead)
{
    const struct scenario usual = SCENARIO_INIT;
    struct dispatch_setup setup = {
        .rule = rule, .tasks = tasks, .workers = platform->worker_count, .ahead = ahead};
    double *weights = dispatch_setup_platform(&setup, platform);
    const struct decision decision = {.setup = &setup};
    struct failure failure = FAILURE_INIT;
    struct simulation simulation = {0};
    struct dispatch *dispatch = decision_dispatch(&decision, platform, &usual, &failure);
    if (!dispatch || !simulate_scenario(platform, dispatch, &usual, NULL, &simulation, &failure))
        fail_msg("%s: %s", rule, failure.text);
    dispatch_free(&dispatch);
    free(weights);
    return simulation;
}

/* Table 6-7 of de la Torre in its window [25, 450]: N / 2p = 106,642 is cut to 450, and so are the
 * steps, 12,573 of them. */
static void trapezoids_of_table_6_7(void **state)
{
    enum { TASKS = 12 * 12 * 12 * 12 * 12 * 12, STEPS = 12573 };
    struct platform platform =
        platform_of_equals(14, 25, 450, (struct cost){4.4e-5, 7.8e-7}, (struct cost){0, 0},
                           (struct cost){4.3e-5, 1.139e-5});
    const double fac_s = rule_simulate(&platform, "fac", TASKS, 1).makespan_s;
    (void)state;
    assert_true(fabs(fac_s - 2.641) < 0.001);
    for (size_t k = 0; k < 2; k++) {
        const char *rule = k == 0 ? "tss" : "dtss";
        const struct simulation simulation = rule_simulate(&platform, rule, TASKS, 1);
        if (!(simulation.makespan_s <= 1.10 * fac_s) || simulation.packages < STEPS ||
            simulation.packages > STEPS + STEPS / 100)
            fail_msg("%s: %g s, fac %g s; %" PRId64 " packages", rule, simulation.makespan_s, fac_s,
                     simulation.packages);
    }
    platform_release(&platform);
}

/* Where the window's least package has 25 core tasks, reports after fewer cannot be had. */
static void monitor_reports_after_no_less_than_a_package(void **state)
{
    struct platform platform =
        platform_of_equals(14, 25, 450, (struct cost){4.4e-5, 7.8e-7}, (struct cost){0, 0},
                           (struct cost){4.3e-5, 1.139e-5});
    const struct simulation least = rule_simulate(&platform, "monitor,r=25", 100000, 1);
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        const char *const rules[] = {"monitor,r=1", "monitor,r=7", "monitor,r=24"};
        const struct simulation fewer = rule_simulate(&platform, rules[k], 100000, 1);
        assert_true(fewer.makespan_s == least.makespan_s);
        assert_int_equal(fewer.packages, least.packages);
    }
    platform_release(&platform);
}

/* A window of any width, in which the largest package's latencies are at most half of what its core
 * tasks take, and up to 32 workers, in half of the cases unlike by up to a factor of 4. */
static struct platform platform_windowed(struct dice *dice)
{
    const int64_t workers = dice_between(dice, 1, 32);
    const int64_t least = (int64_t)dice_scale(dice, 1, 100);
    const int64_t greatest = (int64_t)((double)least * dice_scale(dice, 1, 1000));
    const double feed = dice_scale(dice, 0.05, 2) / (double)workers;
    const double full = 0.5 * (double)greatest, master = feed * dice_roll(dice);
    const double slowest = dice_roll(dice) < 0.5 ? 1 : 4;
    struct platform platform = platform_of_equals(
        workers, least, greatest, (struct cost){full * master * dice_roll(dice), master},
        (struct cost){0, 0}, (struct cost){0, 1});
    struct platform_window *window = &platform.windows[0];
    free(window->classes);
    window->classes = calloc((size_t)workers, sizeof *window->classes);
    assert_non_null(window->classes);
    window->class_count = workers;
    for (int64_t k = 0; k < workers; k++) {
        const double link = feed - master, work = dice_scale(dice, 1, slowest);
        window->classes[k] = (struct platform_class){.first = k,
                                                     .count = 1,
                                                     .link = {full * link * dice_roll(dice), link},
                                                     .compute = {full * dice_roll(dice), work}};
    }
    return platform;
}

/* Of all rules in one window. `ss` is left out: it assigns the smallest packages that there are,
 * whatever they cost; and `tree`, where nobody takes from a worker of an odd number. */
static void rules_compare(const struct platform *platform, int64_t tasks, int ahead, uint64_t seed)
{
    enum { RULES_MOST = 32 };
    double times_s[RULES_MOST], best_s = HUGE_VAL;
    const size_t count = dispatch_rule_count();
    assert_true(count <= RULES_MOST);
    for (size_t k = 0; k < count; k++) {
        const char *rule = dispatch_rule_name(k).name;
        times_s[k] = strcmp(rule, "ss") == 0 || strcmp(rule, "tree") == 0
                         ? 0
                         : rule_simulate(platform, rule, tasks, ahead).makespan_s;
        best_s = times_s[k] > 0 ? fmin(best_s, times_s[k]) : best_s;
    }
    for (size_t k = 0; k < count; k++)
        if (!(times_s[k] <= 1.5 * best_s))
            fail_msg("seed %" PRIu64 ": %s takes %.2f times as long as the best rule, %" PRId64
                     " workers, packages of %" PRId64 " to %" PRId64 ", %" PRId64 " core tasks",
                     seed, dispatch_rule_name(k).name, times_s[k] / best_s, platform->worker_count,
                     platform->windows[0].least, platform->windows[0].greatest, tasks);
}

/* Where every worker gets eight of the largest packages or more: what shorter jobs' last packages
 * cost is the rules' own. */
static void no_rule_is_much_worse(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct dice dice = dice_of(seed);
        struct platform platform = platform_windowed(&dice);
        const double full = (double)(platform.worker_count * platform.windows[0].greatest);
        const int64_t tasks = (int64_t)(dice_scale(&dice, 8, 300) * full);
        rules_compare(&platform, tasks, (int)dice_between(&dice, 1, 3), seed);
        platform_release(&platform);
    }
}

/* A package's latency is as much as 3,336 core tasks: measured as the tasks' own time it looked
 * like a variance, and af assigned 2,276 packages in 11 times the best time. */
static void latency_is_no_variance(void **state)
{
    enum { TASKS = 331573, AHEAD = 3 };
    struct platform platform = platform_of_equals(23, 7, 6190, (struct cost){23, 0.0172},
                                                  (struct cost){0.8, 3e-4}, (struct cost){3336, 1});
    const double fac_s = rule_simulate(&platform, "fac", TASKS, AHEAD).makespan_s;
    const double af_s = rule_simulate(&platform, "af", TASKS, AHEAD).makespan_s;
    (void)state;
    if (!(af_s <= 1.5 * fac_s))
        fail_msg("af: %g s, fac %g s", af_s, fac_s);
    platform_release(&platform);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trapezoids_of_table_6_7),
        cmocka_unit_test(monitor_reports_after_no_less_than_a_package),
        cmocka_unit_test(latency_is_no_variance),
        cmocka_unit_test(no_rule_is_much_worse),
    };
    seeds = cases_of(100);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
