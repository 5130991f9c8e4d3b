/* Weights of core tasks: what a plan keeps of them, and what they explain of the spread. */
#include <math.h>
#include <stdlib.h>

#include "planner/files/plan_json.h"
#include "planner/simulate/simulate.h"
#include "planner/studies/planning.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

#define CLOSE(a, b) (fabs((a) - (b)) < 1e-9)

static const char digest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static void known_differences_are_no_spread(void **state)
{
    (void)state;
    static const double items[] = {1, 3};
    struct task_weights *weights = weights_new("w", digest, items, 2);
    struct spread spreads[] = {{1, 0.6}, {4, 0.2}};
    struct profile_setting setting = {.spreads = spreads, .spread_count = 2};
    assert_true(CLOSE(weights->deviation, 0.5));
    assert_true(CLOSE(profile_setting_deviation(&setting, 1), 0.6));
    setting.weights = weights;
    assert_true(CLOSE(profile_setting_deviation(&setting, 1), sqrt(0.36 - 0.25)));
    assert_true(CLOSE(profile_setting_deviation(&setting, 4), 0));
    weights_free(weights);
}

/* Of random workers; to be released with the plan. */
static struct planning planning_begin(uint64_t seed, const struct task_weights *weights,
                                      struct profile *profile)
{
    struct dice dice = {seed};
    sample_profile(&dice, 4, 1, profile);
    profile_weigh(profile, weights);
    return (struct planning){.profile = profile,
                             .setting = &profile->settings[0],
                             .scheduler = "auto",
                             .tasks = (double)weights->work.tasks,
                             .effort_s = 0.1};
}

/* With a region for each core task, and with one for each package: played again, the plan takes
 * what was predicted. */
static void plans_keep_their_weights(void **state)
{
    (void)state;
    for (int64_t tasks = 300; tasks <= 30000; tasks *= 100) {
        struct dice dice = {7};
        double *items = malloc((size_t)tasks * sizeof *items);
        for (int64_t k = 0; k < tasks; k++)
            items[k] = dice_scale(&dice, 0.1, 10);
        struct task_weights *weights = weights_new("w.txt", digest, items, tasks);
        struct profile profile;
        struct plan made, again, copy;
        struct simulation simulation;
        struct failure failure = FAILURE_INIT;
        const struct planning planning = planning_begin(3, weights, &profile);
        assert_true(planning_make(&planning, &made, &failure));
        char *text = plan_print(&made);
        assert_true(plan_parse(&again, text, strlen(text), "plan.json", &failure));
        assert_true(plan_equal(&again, &made));
        assert_true(plan_copy(&copy, &again));
        plan_release(&again);
        assert_string_equal(copy.weights->source, "w.txt");
        assert_string_equal(copy.weights->sha256, digest);
        assert_true(copy.weights->work.region_count <= 4096 ||
                    (int64_t)copy.weights->work.region_count <= plan_packages(&copy));
        profile_weigh(&profile, copy.weights);
        assert_true(planning_simulate(&planning, &copy, NULL, &simulation, &failure));
        const double told_s = made.predicted.makespan_s;
        assert_true(fabs(simulation.makespan_s / told_s - 1) < 1e-6);
        plan_release(&copy);
        free(text);
        plan_release(&made);
        profile_release(&profile);
        weights_free(weights);
        free(items);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_differences_are_no_spread),
        cmocka_unit_test(plans_keep_their_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
