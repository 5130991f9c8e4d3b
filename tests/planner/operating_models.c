/* Operating models: golden values of an independent simulation, what holds on every platform, and
 * plans for all of them. */
#include <inttypes.h>
#include <stdio.h>

#include "planner/report/replay.h"
#include "planner/schedulers/optimal/optimal_lp.h"
#include "planner/schedulers/scheduler.h"
#include "planner/simulate/extrapolate.h"
#include "planner/simulate/loop.h"
#include "tests/cases.h"
#include "tests/planner/bounds.h"
#include "tests/planner/testbed.h"

static const enum operating models[OPERATING_COUNT] = {OPERATING_MULTI_PORT, OPERATING_SINGLE_PORT,
                                                       OPERATING_RECEIVE,    OPERATING_SEND,
                                                       OPERATING_WORK,       OPERATING_NONE};

/* One buffer a worker: the third package of the first one waits until the second is begun, and the
 * other worker's, though its port is free, behind it. */
static void no_package_passes_another(void **state)
{
    (void)state;
    struct testbed testbed;
    testbed_init(&testbed, 2, OPERATING_MULTI_PORT, RESULTS_NONE);
    testbed.platform.buffers = 1;
    for (int k = 0; k < 2; k++)
        class_cost(&testbed.classes[k], (struct cost){1, 0}, (struct cost){10, 0},
                   (struct cost){0, 0});
    testbed_round(&testbed, 2, (const double[]){1, 0});
    testbed_round(&testbed, 1, (const double[]){1, 1});
    assert_ends(&testbed, OPERATION_LINK, (const double[]){1, 2, 12, 12}, 4, 31);
    assert_ends(&testbed, OPERATION_COMPUTE, (const double[]){11, 21, 31, 22}, 4, 31);
}

static void first_set(struct testbed *testbed, enum operating operating, bool returns)
{
    testbed_init(testbed, 2, operating, returns ? RESULTS_PACKAGE : RESULTS_NONE);
    testbed->window.envelope = (struct cost){0.2, 0.1};
    testbed->window.send = (struct cost){0.1, 0.1};
    for (int k = 0; k < 2; k++)
        class_cost(&testbed->classes[k], (struct cost){0.5, 0.5}, (struct cost){1, k == 0 ? 2 : 1},
                   returns ? (struct cost){0.5, 0.25} : (struct cost){0, 0});
    testbed_round(testbed, 2, (const double[]){2, 2});
}

/* Three packages each; the links are what takes longest. */
static void second_set(struct testbed *testbed, enum operating operating, bool returns)
{
    testbed_init(testbed, 2, operating, returns ? RESULTS_PACKAGE : RESULTS_NONE);
    testbed->window.envelope = testbed->window.send = (struct cost){0.1, 0};
    for (int k = 0; k < 2; k++)
        class_cost(&testbed->classes[k], (struct cost){0.5, 1}, (struct cost){0.5, 1},
                   returns ? (struct cost){0.25, 0.25} : (struct cost){0, 0});
    testbed_round(testbed, 3, (const double[]){2, 2});
}

static void models_as_simulated_before(void **state)
{
    static const double ends[OPERATING_COUNT][2] = {{12.2, 8.9},  {12.2, 9.7}, {12.2, 11.8},
                                                    {13.7, 13.2}, {12.2, 9.7}, {13.7, 13.9}};
    static const double first[2][OPERATING_COUNT] = {{12.2, 12.2, 12.2, 13.7, 12.2, 13.9},
                                                     {13.2, 13.2, 14.2, 15.2, 13.2, 17.7}};
    static const double second[2][OPERATING_COUNT] = {{10.4, 17.7, 18.7, 17.7, 17.7, 18.7},
                                                      {11.15, 18.45, 19.45, 18.45, 21.45, 22.45}};
    (void)state;
    struct testbed testbed;
    for (int k = 0; k < OPERATING_COUNT; k++)
        for (int returns = 0; returns < 2; returns++) {
            first_set(&testbed, models[k], returns);
            assert_near(testbed_simulate(&testbed, NULL), first[returns][k]);
            second_set(&testbed, models[k], returns);
            assert_near(testbed_simulate(&testbed, NULL), second[returns][k]);
        }
    for (int k = 0; k < OPERATING_COUNT; k++) {
        double computed[PACKAGES_MOST];
        struct trace trace = {.count = 0};
        first_set(&testbed, models[k], false);
        testbed_simulate(&testbed, &trace);
        assert_int_equal(trace_ends(&trace, OPERATION_COMPUTE, computed), 4);
        assert_near(computed[2], ends[k][0]);
        assert_near(computed[3], ends[k][1]);
        trace_release(&trace);
    }
}

/* Ten equal workers that are fed in time, twenty rounds: the closed form. */
static void fed_in_time_as_by_the_formula(void **state)
{
    static const struct {
        enum operating operating;
        double load, makespan_s;
    } cases[] = {{OPERATING_SINGLE_PORT, 0.6, 13.232},
                 {OPERATING_RECEIVE, 1.6, 34.22},
                 {OPERATING_SEND, 0.5, 12.225},
                 {OPERATING_NONE, 1.3, 29.815},
                 {OPERATING_MULTI_PORT, 0.3, 6.905}};
    (void)state;
    struct testbed testbed;
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        double loads[WORKERS_MOST];
        testbed_init(&testbed, WORKERS_MOST, cases[c].operating, RESULTS_NONE);
        testbed.window.envelope = testbed.window.send = (struct cost){0.01, 0.01};
        for (int k = 0; k < WORKERS_MOST; k++) {
            loads[k] = cases[c].load;
            class_cost(&testbed.classes[k], (struct cost){0.03, 0.05}, (struct cost){0.03, 1},
                       (struct cost){0, 0});
        }
        testbed_round(&testbed, 20, loads);
        assert_near(testbed_simulate(&testbed, NULL), cases[c].makespan_s);
    }
}

/* ---- on every platform --------------------------------------------------------------------- */

/* Each package and, where they come back, each result once, nothing before what it follows. */
static void check_trace(const struct testbed *testbed, uint64_t seed)
{
    struct trace trace = {.count = 0};
    double computed[PACKAGES_MOST] = {0}, tasks = 0, makespan_s = testbed_simulate(testbed, &trace);
    int64_t packages = 0, returned = 0;
    for (size_t k = 0; k < trace.count; k++) {
        const struct trace_event *event = &trace.events[k];
        if (event->operation == OPERATION_COMPUTE) {
            packages++;
            tasks += (double)event->tasks;
            computed[event->package] = event->end_s;
        }
        if (event->operation == OPERATION_RESULT) {
            returned++;
            assert_true(event->start_s >= computed[event->package]);
        }
        assert_true(event->end_s <= makespan_s);
    }
    if (tasks != testbed->plan.tasks || packages != plan_packages(&testbed->plan))
        fail_msg("seed %" PRIu64 ": %" PRId64 " packages, %g core tasks", seed, packages, tasks);
    assert_int_equal(returned, testbed->platform.results == RESULTS_PACKAGE ? packages
                               : testbed->platform.results == RESULTS_END
                                   ? testbed->plan.worker_count
                                   : 0);
    trace_release(&trace);
}

enum { SEEDS = 1000 };

/* Replaying what a trace says was taken ends when the trace ended. */
static double resimulated_s(const struct testbed *testbed, const struct trace *trace)
{
    struct trace again = {.count = 0};
    struct failure failure = FAILURE_INIT;
    struct replay replay;
    double end_s = 0;
    const struct replay_setup setup = {.workers = testbed->plan.worker_count,
                                       .buffers = testbed->platform.buffers,
                                       .results = testbed->platform.results,
                                       .operating = testbed->platform.operating,
                                       .trace = &again};
    assert_true(replay_init(&replay, &setup, &failure));
    assert_true(replay_take(&replay, trace, &failure) && replay_end(&replay, &failure));
    assert_true(replay.complete);
    assert_int_equal(again.count, trace->count);
    for (size_t k = 0; k < again.count; k++)
        end_s = fmax(end_s, again.events[k].end_s);
    replay_release(&replay);
    trace_release(&again);
    return end_s;
}

static void runs_are_replayed_in_every_model(void **state)
{
    (void)state;
    struct testbed testbed;
    for (uint64_t seed = 1; seed <= cases_of(SEEDS); seed++)
        for (int k = 0; k < OPERATING_COUNT; k++) {
            struct dice dice = {seed};
            struct trace trace = {.count = 0};
            testbed_any(&dice, &testbed, (enum results)(RESULTS_NONE + (int)(seed % 3)));
            testbed.window.collect = any_cost(&dice, 0.3);
            testbed.platform.operating = models[k];
            const double made_s = testbed_simulate(&testbed, &trace),
                         again_s = resimulated_s(&testbed, &trace);
            if (!(fabs(again_s - made_s) <= 1e-9 * made_s))
                fail_msg("seed %" PRIu64 ", %s: %.12g s, replayed %.12g s", seed,
                         operating_traits(models[k])->name, made_s, again_s);
            trace_release(&trace);
        }
}

static void every_task_once_in_every_model(void **state)
{
    (void)state;
    struct testbed testbed;
    for (uint64_t seed = 1; seed <= cases_of(SEEDS); seed++)
        for (int k = 0; k < OPERATING_COUNT; k++) {
            struct dice dice = {seed};
            testbed_any(&dice, &testbed, (enum results)(RESULTS_NONE + (int)(seed % 3)));
            testbed.platform.operating = models[k];
            check_trace(&testbed, seed);
        }
}

/* Where packages of a plan are equal, more that may go on side by side only helps. */
static void models_are_ordered(void **state)
{
    (void)state;
    struct testbed testbed;
    for (uint64_t seed = 1; seed <= cases_of(SEEDS); seed++) {
        struct dice dice = {seed};
        double made_s[OPERATING_COUNT];
        testbed_any(&dice, &testbed, RESULTS_NONE);
        for (int64_t r = 0; r < (int64_t)testbed.plan.round_count; r++)
            for (int64_t k = 0; k < testbed.plan.worker_count; k++)
                testbed.loads[r][k] = testbed.loads[0][0];
        for (int k = 0; k < OPERATING_COUNT; k++) {
            testbed.platform.operating = models[k];
            made_s[models[k]] = testbed_simulate(&testbed, NULL) * (1 + 1e-12);
        }
        const bool good =
            made_s[OPERATING_MULTI_PORT] / (1 + 2e-12) <= made_s[OPERATING_SINGLE_PORT] &&
            made_s[OPERATING_SINGLE_PORT] == made_s[OPERATING_WORK] &&
            made_s[OPERATING_SINGLE_PORT] / (1 + 2e-12) <= made_s[OPERATING_RECEIVE] &&
            made_s[OPERATING_SINGLE_PORT] / (1 + 2e-12) <= made_s[OPERATING_SEND] &&
            made_s[OPERATING_RECEIVE] / (1 + 2e-12) <= made_s[OPERATING_NONE] &&
            made_s[OPERATING_SEND] / (1 + 2e-12) <= made_s[OPERATING_NONE];
        if (!good)
            fail_msg("seed %" PRIu64 ": the models' order is broken", seed);
    }
}

/* Half-duplex without results is single-port, and that is package after package: the two ways to
 * simulate a plan give the same, to the last bit. */
static void both_ways_are_equal(void **state)
{
    (void)state;
    struct testbed testbed;
    for (uint64_t seed = 1; seed <= cases_of(SEEDS); seed++) {
        struct dice dice = {seed};
        struct trace one = {.count = 0}, other = {.count = 0};
        testbed_any(&dice, &testbed, RESULTS_NONE);
        testbed.platform.write_behind = seed % 2 == 0;
        testbed.platform.buffers = 1 + (int)(seed % 3);
        for (int64_t k = 0; k < testbed.plan.worker_count; k++) {
            testbed.classes[k].output = any_cost(&dice, 2);
            testbed.classes[k].start_s = 4 * dice_unit(&dice);
        }
        const double makespan_s = testbed_simulate(&testbed, &one);
        testbed.platform.operating = OPERATING_WORK;
        assert_false(loop_needs_events(&(struct platform){.results = RESULTS_NONE}));
        assert_true(loop_needs_events(&testbed.platform));
        assert_true(testbed_simulate(&testbed, &other) == makespan_s);
        assert_int_equal(one.count, other.count);
        assert_memory_equal(one.events, other.events, one.count * sizeof *one.events);
        trace_release(&one);
        trace_release(&other);
    }
}

/* ---- plans --------------------------------------------------------------------------------- */

enum { PLATFORMS = 12, EACH_MOST = 3 };

/* The testbed's workers in the ranking's order, as many rounds of these loads. */
static void testbed_loads(struct testbed *testbed, const struct ranking *ranking,
                          const double *loads, int64_t rounds)
{
    testbed->plan.round_count = 0;
    testbed->plan.tasks = 0;
    for (int64_t k = 0; k < ranking->count; k++)
        testbed->workers[k] = ranking->workers[k].id;
    for (int64_t r = 0; r < rounds; r++)
        testbed_round(testbed, 1, loads + r * ranking->count);
}

static bool all_loaded(const double *loads, int64_t count)
{
    bool loaded = true;
    for (int64_t k = 0; k < count; k++)
        loaded = loaded && loads[k] > 0;
    return loaded;
}

enum { PROGRAM_ROUNDS = 3, PROGRAM_TASKS = 60 };

/* One program, of workers by themselves or in two groups. Whether it is for one worker, all of
 * whose packages have a load: then it is exact. */
static bool program_against_testbed(struct testbed *testbed, uint64_t seed, bool grouped)
{
    struct ranking ranking;
    struct groups groups;
    double solved[PROGRAM_ROUNDS * WORKERS_MOST] = {0}, loads[PROGRAM_ROUNDS * WORKERS_MOST] = {0};
    double value_s = 0;
    bool out_of_memory = false;
    assert_true(
        ranking_init(&ranking, &testbed->platform, &testbed->window, true, RANKING_BY_FEED));
    assert_true(groups_init(&groups, &ranking, 2));
    const struct optimal_lp lp = {.ranking = &ranking,
                                  .groups = grouped ? &groups : NULL,
                                  .count = grouped ? groups.count : ranking.count,
                                  .rounds = PROGRAM_ROUNDS,
                                  .buffers = testbed->platform.buffers,
                                  .tasks = PROGRAM_TASKS};
    assert_true(optimal_lp_solve(&lp, grouped ? solved : loads, &value_s, &out_of_memory));
    if (grouped)
        groups_expand(&groups, groups.count, PROGRAM_ROUNDS, solved, loads);
    const bool exact =
        ranking.count == 1 && all_loaded(loads, ranking.count * PROGRAM_ROUNDS) && !grouped;
    testbed_loads(testbed, &ranking, loads, PROGRAM_ROUNDS);
    const double simulated_s = testbed_simulate(testbed, NULL), slack_s = 1e-6 * value_s;
    if (simulated_s > value_s + slack_s || (exact && simulated_s < value_s - slack_s))
        fail_msg("seed %" PRIu64 ": %.9g s by the program, %.9g s when simulated", seed, value_s,
                 simulated_s);
    groups_release(&groups);
    ranking_release(&ranking);
    return exact;
}

/* The program has results come back in the order of sending, which is never before they do as they
 * are ready, and for a single worker just then; groups are of equal workers. */
static void programs_know_results(void **state)
{
    enum { PROGRAMS = 300 };
    (void)state;
    struct testbed testbed;
    int exact = 0;
    if (!optimal_lp_available())
        skip();
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct dice dice = {seed};
        const bool grouped = seed % 3 == 0;
        testbed_any(&dice, &testbed, seed % 2 == 0 ? RESULTS_PACKAGE : RESULTS_END);
        for (int64_t k = 0; k < testbed.plan.worker_count; k++) {
            testbed.classes[k].compute.s_per_task += 0.1;
            if (grouped)
                class_cost(&testbed.classes[k], testbed.classes[0].link, testbed.classes[0].compute,
                           testbed.classes[0].result);
        }
        exact += program_against_testbed(&testbed, seed, grouped);
    }
    assert_true(exact > 0);
}

/* Every scheduler's plan ends no earlier than the bound says, `optimal` no later than the others,
 * and all are plans of every core task. */
static void plans_keep_to_the_bound(void **state)
{
    (void)state;
    struct testbed testbed;
    size_t count, made = 0;
    const struct scheduler *list = scheduler_list(&count);
    for (uint64_t seed = 1; seed <= cases_of(PLATFORMS); seed++) {
        struct dice dice = {seed};
        testbed_any(&dice, &testbed, (enum results)(RESULTS_NONE + (int)(seed % 3)));
        testbed.platform.operating = models[seed / 3 % OPERATING_COUNT];
        if (dice_unit(&dice) < 0.5)
            testbed.window.collect = any_cost(&dice, 0.3);
        testbed.window.greatest = dice_whole(&dice, 5, 60);
        const double tasks = (double)dice_whole(&dice, 20, 200);
        double best_s = HUGE_VAL;
        for (size_t k = 0; k < count; k++) {
            const struct schedule_request request = {.platform = &testbed.platform, .tasks = tasks};
            struct plan plan = {.kernel = NULL};
            struct failure failure = FAILURE_INIT;
            if (!scheduler_make(&list[k], &request, &plan, &failure)) {
                assert_int_equal(failure.code, FAILURE_INFEASIBLE);
                continue;
            }
            made++;
            struct simulation simulation;
            assert_true(simulate_plan(&testbed.platform, &plan, NULL, &simulation, &failure));
            assert_true(simulation.makespan_s == plan.predicted.makespan_s);
            if (simulation.makespan_s < bound_of(&testbed.platform, tasks, false))
                fail_msg("seed %" PRIu64 ", %s: %.9g s, below the bound of %.9g s", seed,
                         list[k].name, simulation.makespan_s,
                         bound_of(&testbed.platform, tasks, false));
            if (strcmp(list[k].name, "optimal") == 0 && simulation.makespan_s > best_s * (1 + 1e-9))
                fail_msg("seed %" PRIu64 ": optimal takes %.9g s, another one %.9g s", seed,
                         simulation.makespan_s, best_s);
            best_s = fmin(best_s, simulation.makespan_s);
            plan_release(&plan);
        }
    }
    assert_true(made > cases_of(PLATFORMS) * EACH_MOST);
}

/* Random plans, too: any schedule is above the bound. */
static void any_plan_keeps_to_the_bound(void **state)
{
    (void)state;
    struct testbed testbed;
    for (uint64_t seed = 1; seed <= cases_of(SEEDS); seed++)
        for (int k = 0; k < OPERATING_COUNT; k++) {
            struct dice dice = {seed};
            testbed_any(&dice, &testbed, (enum results)(RESULTS_NONE + (int)(seed % 3)));
            testbed.platform.operating = models[k];
            if (seed % 2 == 0)
                testbed.window.collect = any_cost(&dice, 0.3);
            testbed.window.greatest = 4;
            const double made_s = testbed_simulate(&testbed, NULL);
            const double bound_s = bound_of(&testbed.platform, testbed.plan.tasks, false);
            if (made_s < bound_s)
                fail_msg("seed %" PRIu64 ", %s: %.12g s, below the bound of %.12g s", seed,
                         operating_traits(models[k])->name, made_s, bound_s);
        }
}

static double loads_of(const struct testbed *testbed, size_t round)
{
    double sum = 0;
    for (int64_t k = 0; k < testbed->plan.worker_count; k++)
        sum += testbed->loads[round][k];
    return sum;
}

/* Long plans are shortened and extended: as if all had been simulated, once they have their period.
 */
static void long_plans_are_extrapolated(void **state)
{
    (void)state;
    struct testbed testbed;
    double worst = 0;
    for (uint64_t seed = 1; seed <= cases_of(100); seed++) {
        struct dice dice = {seed};
        struct simulation whole, made;
        struct failure failure = FAILURE_INIT;
        testbed_any(&dice, &testbed, (enum results)(RESULTS_NONE + (int)(seed % 3)));
        testbed.platform.operating = models[seed % OPERATING_COUNT];
        for (size_t r = 0; r < testbed.plan.round_count; r++) {
            testbed.plan.tasks += 399 * loads_of(&testbed, r);
            testbed.rounds[r].repeat = 400;
        }
        assert_true(
            simulate_packages(&testbed.platform, &testbed.plan, NULL, &whole, NULL, &failure));
        assert_true(
            extrapolate_plan(&testbed.platform, &testbed.plan, &made, NULL, NULL, &failure));
        worst = fmax(worst, fabs(made.makespan_s / whole.makespan_s - 1));
        assert_int_equal(made.packages, whole.packages);
    }
    printf("extrapolated makespans are off by %.2g at worst\n", worst);
    assert_true(worst < 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_package_passes_another),
        cmocka_unit_test(models_as_simulated_before),
        cmocka_unit_test(fed_in_time_as_by_the_formula),
        cmocka_unit_test(every_task_once_in_every_model),
        cmocka_unit_test(runs_are_replayed_in_every_model),
        cmocka_unit_test(models_are_ordered),
        cmocka_unit_test(both_ways_are_equal),
        cmocka_unit_test(programs_know_results),
        cmocka_unit_test(plans_keep_to_the_bound),
        cmocka_unit_test(any_plan_keeps_to_the_bound),
        cmocka_unit_test(long_plans_are_extrapolated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
