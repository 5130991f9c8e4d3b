/* Simulations that sum up what repeats: equal to the complete simulation, at a bounded cost. */
#include "planner/simulate/fast_forward.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "planner/base/random.h"
#include "planner/simulate/ensemble.h"
#include "tests/cases.h"
#include "tests/planner/plans_simulated.h"
#include "tests/planner/platforms.h"

/* "": the plan alone, "*RULE": a rule for all, "RULE": for a third of the tasks, behind the plan.
 */
static const char *const decisions[] = {"",     "fac,part=3", "*gss",         "awf-c", "*ss",
                                        "*fac", "*awf-b",     "*dtss",        "*tss",  "*af",
                                        "*fsc", "*monitor",   "*gss,least=3", "*fiss", "*awf-e"};
enum { DECISIONS = sizeof decisions / sizeof *decisions };

/* One window of small packages, so that there are many. */
struct setup {
    struct platform platform;
    double tasks;
    struct plan plan; /* but for a rule */
    struct plan_tail tail;
    struct dispatch_setup rule;
    double *weights;
    struct decision decision;
};

static void tail_make(struct setup *setup, const char *rule)
{
    const struct plan_tail_request request = {.plan = &setup->plan,
                                              .platform = &setup->platform,
                                              .rule = rule,
                                              .workers = setup->platform.worker_count,
                                              .ahead = 2,
                                              .share = 1.0 / 3};
    struct failure failure = FAILURE_INIT;
    if (!plan_tail_init(&setup->tail, &request, &failure))
        fail_msg("%s", failure.text);
    setup->decision = (struct decision){.plan = &setup->tail.head, .tail = &setup->tail};
}

static void rule_make(struct setup *setup, const char *rule)
{
    setup->rule = (struct dispatch_setup){.rule = rule,
                                          .tasks = (int64_t)setup->tasks,
                                          .workers = setup->platform.worker_count,
                                          .ahead = 2};
    setup->weights = dispatch_setup_platform(&setup->rule, &setup->platform);
    assert_non_null(setup->weights);
    setup->rule.deviation_s = 0.01 / setup->weights[0];
    setup->decision = (struct decision){.setup = &setup->rule};
}

/* Core tasks of many weights, in no order. */
static void setup_weigh(struct setup *setup, struct dice *dice)
{
    const int64_t tasks = (int64_t)setup->tasks;
    const double apart = dice_scale(dice, 0.1, 1);
    double *weights = calloc((size_t)tasks, sizeof *weights);
    assert_non_null(weights);
    for (int64_t k = 0; k < tasks; k++)
        weights[k] = exp(apart * random_normal(&dice->state));
    assert_true(work_weigh(&setup->platform.work, weights, tasks));
    setup->platform.work_tasks = setup->tasks;
    free(weights);
}

/* Unlike core tasks go one by one. */
static void setup_init(struct setup *setup, struct dice *dice, const char *decision,
                       double packages, bool unlike)
{
    static const int64_t sizes[] = {1, 2, 5, 64};
    const int64_t size = unlike ? 1 : sizes[dice_between(dice, 0, 3)];
    *setup = (struct setup){.platform = platform_cluster(dice, dice_between(dice, 2, 12))};
    setup->platform.windows[0].least = 1;
    setup->platform.windows[0].greatest = size;
    if (dice_roll(dice) < 0.3)
        platform_starts(dice, &setup->platform, 1);
    if (dice_roll(dice) < 0.2)
        platform_write_behind(dice, &setup->platform, 0.5);
    setup->tasks = packages * (double)size;
    if (*decision != '*')
        setup->plan = plan_with(&setup->platform, setup->tasks, SCHEDULER_QUICK);
    if (unlike)
        setup_weigh(setup, dice);
    if (*decision == '*')
        rule_make(setup, decision + 1);
    else if (*decision)
        tail_make(setup, decision);
    else
        setup->decision = (struct decision){.plan = &setup->plan};
}

static void setup_release(struct setup *setup)
{
    platform_release(&setup->platform);
    plan_release(&setup->plan);
    plan_tail_release(&setup->tail);
    free(setup->weights);
}

/* Packages that were priced, one by one. */
struct count {
    int64_t simulated, most;
    const char *what; /* for messages */
};

static void count_price(void *pricer, const struct package *package, struct star_cost *cost)
{
    struct count *count = pricer;
    (void)package;
    (void)cost;
    if (++count->simulated > count->most)
        fail_msg("more than %" PRId64 " packages are simulated: %s", count->most, count->what);
}

static struct simulation simulate(const struct setup *setup, struct scenario scenario,
                                  struct count *count)
{
    struct failure failure = FAILURE_INIT;
    struct simulation simulation = {0};
    count->simulated = 0;
    const struct variation variation = {.price = count_price, .self = count};
    scenario.variation = &variation;
    struct dispatch *dispatch =
        decision_dispatch(&setup->decision, &setup->platform, &scenario, &failure);
    if (!dispatch ||
        !simulate_scenario(&setup->platform, dispatch, &scenario, NULL, &simulation, &failure))
        fail_msg("%s", failure.text);
    dispatch_free(&dispatch);
    return simulation;
}

static double off(double a, double b)
{
    return b > 0 ? fabs(a / b - 1) : fabs(a);
}

/* For packages of certain times: the error of summing up, beside rounding. */
static const double ERROR = 2e-3;
enum { SIMULATED = 2000, PACKAGES = 20000 };

static void what_is_certain_is_summed_up(void **state)
{
    double worst = 0;
    int64_t summed_up = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(3); seed++)
        for (int k = 0; k < DECISIONS; k++) {
            struct dice dice = dice_of(seed);
            struct setup setup;
            struct scenario scenario = SCENARIO_INIT;
            struct count count = {.most = INT64_MAX};
            setup_init(&setup, &dice, decisions[k], PACKAGES, false);
            const struct simulation whole = simulate(&setup, scenario, &count);
            scenario.simulated = SIMULATED;
            const struct simulation summed = simulate(&setup, scenario, &count);
            summed_up += count.simulated < whole.packages / 2;
            const double error = fmax(fmax(off(summed.makespan_s, whole.makespan_s),
                                           off(summed.worker_busy_s, whole.worker_busy_s)),
                                      off(summed.port_busy_s, whole.port_busy_s));
            if (error > ERROR)
                fail_msg("seed %" PRIu64 ", '%s': %.6g s in place of %.6g s, workers busy %.6g s "
                         "and %.6g s",
                         seed, decisions[k], summed.makespan_s, whole.makespan_s,
                         summed.worker_busy_s, whole.worker_busy_s);
            worst = fmax(worst, error);
            setup_release(&setup);
        }
    print_message("off by %.2e at most, %" PRId64 " summed up\n", worst, summed_up);
    assert_true(summed_up >= 12 * (int64_t)cases_of(3));
}

/* Where core tasks differ in no order, what is simulated of a section stands for the rest, apart
 * from their weights. */
static void unlike_tasks_are_summed_up(void **state)
{
    double worst = 0;
    int64_t summed_up = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(3); seed++)
        for (int k = 0; k < DECISIONS; k++) {
            struct dice dice = dice_of(seed);
            struct setup setup;
            struct scenario scenario = SCENARIO_INIT;
            struct count count = {.most = INT64_MAX};
            setup_init(&setup, &dice, decisions[k], PACKAGES, true);
            const struct simulation whole = simulate(&setup, scenario, &count);
            scenario.simulated = SIMULATED;
            const struct simulation summed = simulate(&setup, scenario, &count);
            summed_up += count.simulated < whole.packages / 2;
            const double error = off(summed.makespan_s, whole.makespan_s);
            const double share = work_deviation(&setup.platform.work) / sqrt(SIMULATED);
            const double most = ERROR + (*decisions[k] == '*' ? 1 : 2) * share;
            if (error > most)
                fail_msg("seed %" PRIu64 ", '%s': %.6g s in place of %.6g s, off by more than %.2e",
                         seed, decisions[k], summed.makespan_s, whole.makespan_s, most);
            worst = fmax(worst, error);
            setup_release(&setup);
        }
    print_message("off by %.2e at most, %" PRId64 " summed up\n", worst, summed_up);
    assert_true(summed_up >= 12 * (int64_t)cases_of(3));
}

/* What happens around a loss is simulated, and packages on request are summed up before and after
 * it. */
static void losses_are_summed_up(void **state)
{
    static const double WITH_LOSS = 5e-3;
    double worst = 0;
    int64_t summed_up = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(3); seed++)
        for (int k = 0; k < DECISIONS; k++) {
            struct dice dice = dice_of(seed);
            struct setup setup;
            struct scenario scenario = SCENARIO_INIT;
            struct count count = {.most = INT64_MAX};
            setup_init(&setup, &dice, decisions[k], PACKAGES, false);
            const double usual_s = simulate(&setup, scenario, &count).makespan_s;
            scenario.lost_worker = dice_between(&dice, 0, setup.platform.worker_count - 1);
            scenario.lost_s = (0.1 + 0.8 * dice_roll(&dice)) * usual_s;
            const struct simulation whole = simulate(&setup, scenario, &count);
            scenario.simulated = SIMULATED;
            const struct simulation summed = simulate(&setup, scenario, &count);
            summed_up += 5 * count.simulated < 4 * whole.packages;
            const double error = off(summed.makespan_s, whole.makespan_s);
            if (error > WITH_LOSS)
                fail_msg("seed %" PRIu64 ", '%s': %.6g s in place of %.6g s, worker %" PRId64
                         " lost after %.6g s",
                         seed, decisions[k], summed.makespan_s, whole.makespan_s,
                         scenario.lost_worker + 1, scenario.lost_s);
            worst = fmax(worst, error);
            setup_release(&setup);
        }
    print_message("off by %.2e at most, %" PRId64 " summed up\n", worst, summed_up);
    assert_true(summed_up >= 8 * (int64_t)cases_of(3));
}

/* Makespans with noise, for equal seeds. */
struct draws {
    double mean_s, deviation_s;
};

enum { RUNS = 12 };

static struct draws draws_of(const struct setup *setup, struct scenario scenario)
{
    double sum = 0, squares = 0;
    struct count count = {.most = INT64_MAX};
    for (int k = 0; k < RUNS; k++) {
        scenario.seed = (uint64_t)k + 1;
        const double makespan_s = simulate(setup, scenario, &count).makespan_s;
        sum += makespan_s / RUNS;
        squares += makespan_s * makespan_s / RUNS;
    }
    return (struct draws){sum, sqrt(fmax(0, squares - sum * sum))};
}

/* The mean within its own error, and no deviation much larger than noise over the root of what is
 * simulated. */
static void draws_agree(const struct setup *setup, double noise, const char *what)
{
    struct scenario scenario = SCENARIO_INIT;
    scenario.noise = noise;
    const struct draws whole = draws_of(setup, scenario);
    scenario.simulated = SIMULATED;
    const struct draws summed = draws_of(setup, scenario);
    const double error_s = hypot(whole.deviation_s, summed.deviation_s) / sqrt(RUNS);
    print_message("'%s', noise %g: off by %.4f %%, deviations %.4f %% and %.4f %%\n", what, noise,
                  100 * (summed.mean_s / whole.mean_s - 1), 100 * whole.deviation_s / whole.mean_s,
                  100 * summed.deviation_s / whole.mean_s);
    assert_true(fabs(summed.mean_s - whole.mean_s) < 4 * error_s + 1e-3 * whole.mean_s);
    assert_true(summed.deviation_s < 3 * noise / sqrt(SIMULATED) * whole.mean_s);
}

static void noise_is_summed_up(void **state)
{
    static const double noises[] = {0.06, 0.3};
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(1); seed++)
        for (int k = 0; k < 4; k++)
            for (int n = 0; n < 2; n++) {
                struct dice dice = dice_of(seed);
                struct setup setup;
                setup_init(&setup, &dice, decisions[k], PACKAGES, false);
                draws_agree(&setup, noises[n], decisions[k]);
                setup_release(&setup);
            }
}

/* With any decider and any number of core tasks, with a loss where a rule decides, the cost of a
 * simulation is bounded; beyond it, effort ends it. */
static void any_number_costs_the_same(void **state)
{
    static const double numbers[] = {1e8, 1e12};
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(2); seed++)
        for (int k = 0; k < DECISIONS; k++)
            for (int n = 0; n < 4; n++) {
                struct dice dice = dice_of(seed);
                struct setup setup;
                struct scenario scenario = {
                    .simulated = SIMULATED, .noise = 0.06, .lost_worker = -1};
                struct count count = {.most = 60 * (int64_t)SIMULATED, .what = decisions[k]};
                setup_init(&setup, &dice, decisions[k], numbers[n % 2] / 64, false);
                const double tasks = setup.tasks;
                const double ideal_s = platform_ideal(&setup.platform, tasks);
                if (n >= 2 && *decisions[k] == '*') {
                    scenario.lost_worker = setup.platform.worker_count - 1;
                    scenario.lost_s = 0.4 * ideal_s;
                }
                const struct simulation simulation = simulate(&setup, scenario, &count);
                assert_true(simulation.makespan_s > 0.99 * ideal_s);
                assert_true((double)simulation.packages >=
                            tasks / (double)setup.platform.windows[0].greatest);
                setup_release(&setup);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_certain_is_summed_up),
        cmocka_unit_test(unlike_tasks_are_summed_up),
        cmocka_unit_test(losses_are_summed_up),
        cmocka_unit_test(noise_is_summed_up),
        cmocka_unit_test(any_number_costs_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
