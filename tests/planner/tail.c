/* Plans whose end is assigned on request: every core task once, no worse than the plan where core
 * tasks are equal, and better than plan and rule where they are not. */
#include "planner/simulate/tail.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "planner/schedulers/scheduler.h"
#include "planner/simulate/dependable.h"
#include "planner/simulate/ensemble.h"
#include "tests/cases.h"
#include "tests/planner/plans_simulated.h"
#include "tests/planner/platforms.h"

enum { RUNS = 5 };
/* How many platforms a mean sees, and how many what holds for each of them. */
static uint64_t seeds, each_seeds;

static const char *const rules[] = {"fac", "gss", "wf", "awf-c"};
enum { RULES = sizeof rules / sizeof *rules };

struct setup {
    struct platform platform;
    struct plan plan;
};

static void setup_init(struct setup *setup, struct dice *dice)
{
    setup->platform = platform_cluster(dice, dice_between(dice, 2, 32));
    setup->plan =
        plan_with(&setup->platform, nearbyint(dice_scale(dice, 5e3, 2e5)), SCHEDULER_QUICK);
}

static void setup_release(struct setup *setup)
{
    platform_release(&setup->platform);
    plan_release(&setup->plan);
}

static struct plan_tail tail_with(const struct setup *setup, const char *rule, double deviation,
                                  double share)
{
    const struct plan_tail_request request = {.plan = &setup->plan,
                                              .platform = &setup->platform,
                                              .rule = rule,
                                              .workers = setup->platform.worker_count,
                                              .ahead = 2,
                                              .deviation = deviation,
                                              .equal = deviation < 0.05,
                                              .share = share};
    struct failure failure = FAILURE_INIT;
    struct plan_tail tail;
    if (!plan_tail_init(&tail, &request, &failure))
        fail_msg("%s", failure.text);
    return tail;
}

static double simulate(const struct setup *setup, const struct decision *decision,
                       const struct scenario *scenario)
{
    struct failure failure = FAILURE_INIT;
    struct simulation simulation = {0};
    struct trace trace = {.count = 0};
    struct dispatch *dispatch = decision_dispatch(decision, &setup->platform, scenario, &failure);
    if (!dispatch ||
        !simulate_scenario(&setup->platform, dispatch, scenario, &trace, &simulation, &failure))
        fail_msg("%s", failure.text);
    tasks_are_all(&setup->platform, &setup->plan, &trace);
    trace_release(&trace);
    dispatch_free(&dispatch);
    return simulation.makespan_s;
}

static double simulated_mean(const struct setup *setup, const struct decision *decision,
                             double noise)
{
    struct scenario scenario = SCENARIO_INIT;
    double sum = 0;
    scenario.noise = noise;
    for (int k = 0; k < RUNS; k++) {
        scenario.seed = (uint64_t)k + 1;
        sum += simulate(setup, decision, &scenario);
    }
    return sum / RUNS;
}

/* The share that calibration's noise asks for costs at most 1 % where no package differs. */
static void equal_tasks_are_no_worse(void **state)
{
    static const double deviations[] = {0, 0.01, 0.03};
    const struct scenario usual = SCENARIO_INIT;
    (void)state;
    for (uint64_t seed = 1; seed <= each_seeds; seed++) {
        struct dice dice = dice_of(seed);
        struct setup setup;
        setup_init(&setup, &dice);
        for (size_t k = 0; k < (size_t)3 * RULES; k++) {
            struct plan_tail tail = tail_with(&setup, rules[k / 3], deviations[k % 3], -1);
            const struct decision decision = {.plan = &tail.head, .tail = &tail};
            const double cost =
                simulate(&setup, &decision, &usual) / setup.plan.predicted.makespan_s - 1;
            if (cost > 0.0101)
                fail_msg("seed %" PRIu64 ", %s, deviation %g: %.2f %% worse", seed, rules[k / 3],
                         deviations[k % 3], 100 * cost);
            plan_tail_release(&tail);
        }
        setup_release(&setup);
    }
}

static double rule_mean(const struct setup *setup, const char *rule, double noise)
{
    struct dispatch_setup own = {.rule = rule,
                                 .tasks = (int64_t)setup->plan.tasks,
                                 .workers = setup->platform.worker_count,
                                 .ahead = 2};
    double *weights = dispatch_setup_platform(&own, &setup->platform);
    assert_non_null(weights);
    own.deviation_s = noise / weights[0];
    const struct decision decision = {.setup = &own};
    const double mean_s = simulated_mean(setup, &decision, noise);
    free(weights);
    return mean_s;
}

/* How many times as long plan and rule take as the tail, in the geometric mean. */
struct gain {
    double plan, rule;
};

/* Of every rule on one platform; the plan takes as long whatever the rule. */
static void gains_add(struct gain gains[RULES], const struct setup *setup, double noise)
{
    const double share = 1.0 / (double)seeds;
    const struct decision kept = {.plan = &setup->plan};
    const double plan_s = simulated_mean(setup, &kept, noise);
    for (size_t r = 0; r < RULES; r++) {
        struct plan_tail tail = tail_with(setup, rules[r], noise, -1);
        const struct decision decision = {.plan = &tail.head, .tail = &tail};
        const double tail_s = simulated_mean(setup, &decision, noise);
        gains[r].plan *= pow(plan_s / tail_s, share);
        gains[r].rule *= pow(rule_mean(setup, rules[r], noise) / tail_s, share);
        plan_tail_release(&tail);
    }
}

static void unequal_tasks_gain(void **state)
{
    static const double noises[] = {0.2, 0.5};
    (void)state;
    for (size_t n = 0; n < 2; n++) {
        struct gain gains[RULES];
        for (size_t r = 0; r < RULES; r++)
            gains[r] = (struct gain){1, 1};
        for (uint64_t seed = 1; seed <= seeds; seed++) {
            struct dice dice = dice_of(seed);
            struct setup setup;
            setup_init(&setup, &dice);
            gains_add(gains, &setup, noises[n]);
            setup_release(&setup);
        }
        for (size_t r = 0; r < RULES; r++) {
            print_message("%s, noise %g: plan %.3f, rule %.3f times as long\n", rules[r], noises[n],
                          gains[r].plan, gains[r].rule);
            assert_true((gains[r].plan > 1.005 && gains[r].rule > 1.1) || !cases_are_many());
        }
    }
}

/* What is asked for is on_request: nothing, a part, everything. */
static void shares_are_as_asked(void **state)
{
    const struct scenario usual = SCENARIO_INIT;
    (void)state;
    for (uint64_t seed = 1; seed <= each_seeds; seed++) {
        struct dice dice = dice_of(seed);
        struct setup setup;
        setup_init(&setup, &dice);
        for (int k = 0; k <= 4; k++) {
            struct plan_tail tail = tail_with(&setup, "fac", 0, k / 4.0);
            const struct decision decision = {.plan = &tail.head, .tail = &tail};
            const double on_request = (double)tail.setup.tasks;
            assert_true(on_request >= k / 4.0 * setup.plan.tasks);
            assert_true(on_request <= k / 4.0 * setup.plan.tasks + plan_largest_load(&setup.plan));
            assert_true(simulate(&setup, &decision, &usual) == tail.makespan_s);
            plan_tail_release(&tail);
        }
        setup_release(&setup);
    }
}

static void assert_relied(const double (*known)[3], int64_t count, double tasks,
                          const double *wanted)
{
    struct dependable_worker workers[4] = {{0}};
    double shares[4];
    for (int64_t k = 0; k < count; k++)
        workers[k] =
            (struct dependable_worker){known[k][0] / known[k][2], known[k][1] / known[k][0]};
    dependable_shares(workers, count, 3, tasks, shares);
    for (int64_t k = 0; k < count; k++)
        assert_true(shares[k] == wanted[k]);
}

/* Availability, its deviation, and seconds of a core task; an independent program says the shares.
 */
static void shares_are_what_can_be_relied_upon(void **state)
{
    static const double two[][3] = {{0.9, 0.05, 1}, {0.5, 0.1, 1}}, two_wanted[] = {750, 200};
    static const double four[][3] = {
        {1, 0.02, 0.01}, {0.8, 0.05, 0.01}, {0.6, 0.1, 0.02}, {0.3, 0.12, 0.02}};
    static const double four_wanted[] = {4177, 2888, 666, 0};
    (void)state;
    assert_relied(two, 2, 1400, two_wanted);
    assert_relied(four, 4, 10000, four_wanted);
}

/* Of each worker the first packages of the plan, as many core tasks as its share has. */
static void assert_head(const struct plan *plan, const struct plan *head, const double *shares)
{
    double all = 0;
    for (int64_t k = 0; k < plan->worker_count; k++) {
        double planned = 0, given = 0;
        for (size_t r = 0; r < plan->round_count; r++)
            planned += (double)plan->rounds[r].repeat * plan->rounds[r].loads[k];
        for (size_t r = 0; r < head->round_count; r++)
            given += (double)head->rounds[r].repeat * head->rounds[r].loads[k];
        assert_true(given == fmin(planned, shares[k]));
        all += given;
    }
    assert_true(head->tasks == all);
    assert_true(plan_rounds_total(head) <= plan_rounds_total(plan));
}

static void heads_hold_the_shares(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= each_seeds; seed++) {
        struct dice dice = dice_of(seed);
        struct setup setup;
        struct plan head;
        double shares[32];
        setup_init(&setup, &dice);
        setup.platform.windows[0].least = 1;
        for (int64_t k = 0; k < setup.plan.worker_count; k++)
            shares[k] =
                floor(dice_roll(&dice) * 2 * setup.plan.tasks / (double)setup.plan.worker_count) *
                (dice_roll(&dice) > 0.2);
        assert_true(dependable_head(&setup.plan, &setup.platform, shares, &head));
        assert_head(&setup.plan, &head, shares);
        plan_release(&head);
        setup_release(&setup);
    }
}

/* Every core task once, whatever can be relied upon; nothing is left to the rule where all can. */
static void reliance_divides_plans(void **state)
{
    static const double deviations[] = {1e-9, 0.02, 0.1, 0.5};
    const struct scenario usual = SCENARIO_INIT;
    (void)state;
    for (uint64_t seed = 1; seed <= each_seeds; seed++) {
        struct dice dice = dice_of(seed);
        struct setup setup;
        double before = -1;
        setup_init(&setup, &dice);
        for (size_t k = 0; k < COUNT_OF(deviations); k++) {
            struct failure failure = FAILURE_INIT;
            struct plan_tail tail;
            const struct plan_tail_request request = {.plan = &setup.plan,
                                                      .platform = &setup.platform,
                                                      .rule = "fac",
                                                      .workers = setup.platform.worker_count,
                                                      .ahead = 2,
                                                      .deviation = deviations[k],
                                                      .share = -1,
                                                      .errors = 3};
            assert_true(plan_tail_init(&tail, &request, &failure));
            const struct decision decision = {.plan = &tail.head, .tail = &tail};
            assert_true(simulate(&setup, &decision, &usual) == tail.makespan_s);
            assert_true(tail.share >= before);
            before = tail.share;
            plan_tail_release(&tail);
        }
        setup_release(&setup);
    }
}

static void unknown_rules_are_refused(void **state)
{
    struct dice dice = dice_of(1);
    struct setup setup;
    struct plan_tail tail;
    struct failure failure = FAILURE_INIT;
    (void)state;
    setup_init(&setup, &dice);
    const struct plan_tail_request request = {.plan = &setup.plan,
                                              .platform = &setup.platform,
                                              .rule = "fat",
                                              .workers = 2,
                                              .ahead = 2,
                                              .share = -1};
    assert_false(plan_tail_init(&tail, &request, &failure));
    assert_failure(failure, FAILURE_USAGE, "unknown rule 'fat': did you mean 'fac'?");
    setup_release(&setup);
}

int main(void)
{
    seeds = cases_of(16);
    each_seeds = cases_of(6);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_tasks_are_no_worse),
        cmocka_unit_test(unequal_tasks_gain),
        cmocka_unit_test(shares_are_as_asked),
        cmocka_unit_test(shares_are_what_can_be_relied_upon),
        cmocka_unit_test(heads_hold_the_shares),
        cmocka_unit_test(reliance_divides_plans),
        cmocka_unit_test(unknown_rules_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
