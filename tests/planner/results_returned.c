/* Results that return: values by hand, and that nothing is left undone where a worker is lost. */
#include <inttypes.h>

#include "tests/cases.h"
#include "tests/planner/testbed.h"

/* Two equal workers: link 0.5 + 0.5 x, work 1 + 2 x, results of `result_s` each. */
static void two_workers(struct testbed *testbed, double second, double result_s)
{
    testbed_init(testbed, 2, OPERATING_SINGLE_PORT, RESULTS_PACKAGE);
    for (int k = 0; k < 2; k++)
        class_cost(&testbed->classes[k], (struct cost){0.5, 0.5}, (struct cost){1, 2},
                   (struct cost){result_s, 0});
    testbed_round(testbed, 1, (const double[]){2, second});
}

static void results_follow_their_packages(void **state)
{
    (void)state;
    struct testbed testbed;
    two_workers(&testbed, 2, 1);
    assert_ends(&testbed, OPERATION_LINK, (const double[]){1.5, 3}, 2, 9);
    assert_ends(&testbed, OPERATION_COMPUTE, (const double[]){6.5, 8}, 2, 9);
    assert_ends(&testbed, OPERATION_RESULT, (const double[]){7.5, 9}, 2, 9);
    two_workers(&testbed, 1, 1);
    assert_ends(&testbed, OPERATION_COMPUTE, (const double[]){6.5, 5.5}, 2, 7.5);
    assert_ends(&testbed, OPERATION_RESULT, (const double[]){7.5, 6.5}, 2, 7.5);
}

static void results_wait_for_the_port(void **state)
{
    (void)state;
    struct testbed testbed;
    two_workers(&testbed, 1, 2);
    assert_ends(&testbed, OPERATION_RESULT, (const double[]){9.5, 7.5}, 2, 9.5);
}

/* The incoming port is what takes longest. */
static void incoming_bound(struct testbed *testbed, enum operating operating)
{
    testbed_init(testbed, 2, operating, RESULTS_PACKAGE);
    for (int k = 0; k < 2; k++)
        class_cost(&testbed->classes[k], (struct cost){0.5, 0}, (struct cost){0, 1},
                   (struct cost){1, 0});
    testbed_round(testbed, 2, (const double[]){1, 1});
}

static void incoming_port_may_bound(void **state)
{
    (void)state;
    struct testbed testbed;
    incoming_bound(&testbed, OPERATING_SINGLE_PORT);
    assert_ends(&testbed, OPERATION_RESULT, (const double[]){2.5, 3.5, 4.5, 5.5}, 4, 5.5);
    incoming_bound(&testbed, OPERATING_WORK);
    assert_ends(&testbed, OPERATION_RESULT, (const double[]){2.5, 3.5, 4.5, 7}, 4, 7);
}

/* Three workers fed a second apart, results of half a second at the end: ends that are as far apart
 * as results take are better than equal ones. */
static void spaced_ends_are_better(void **state)
{
    (void)state;
    const double loads[2][3] = {{7, 6, 5}, {6.5, 6, 5.5}};
    struct testbed testbed;
    for (int spaced = 0; spaced < 2; spaced++) {
        testbed_init(&testbed, 3, OPERATING_SINGLE_PORT, RESULTS_END);
        for (int k = 0; k < 3; k++)
            class_cost(&testbed.classes[k], (struct cost){1, 0}, (struct cost){0, 1},
                       (struct cost){0.5, 0});
        testbed_round(&testbed, 1, loads[spaced]);
        assert_near(testbed_simulate(&testbed, NULL), spaced ? 9.0 : 9.5);
    }
}

/* What a worker returns at its end are the results of all its packages, by one line. */
static void results_at_the_end_are_one_message(void **state)
{
    (void)state;
    struct testbed testbed;
    testbed_init(&testbed, 1, OPERATING_SINGLE_PORT, RESULTS_END);
    class_cost(&testbed.classes[0], (struct cost){1, 0}, (struct cost){0, 1},
               (struct cost){2, 0.25});
    testbed.window.collect = (struct cost){1, 0.5};
    testbed_round(&testbed, 3, (const double[]){4});
    /* Begun at 1, computed at 13, returned 2 + 12 / 4 later, collected 1 + 12 / 2 after that. */
    assert_ends(&testbed, OPERATION_RESULT, (const double[]){18}, 1, 25);
    assert_ends(&testbed, OPERATION_COLLECT, (const double[]){25}, 1, 25);
}

/* The master writes a result that is there before it begins another envelope. */
static void collecting_delays_envelopes(void **state)
{
    (void)state;
    struct testbed testbed;
    testbed_init(&testbed, 1, OPERATING_SINGLE_PORT, RESULTS_PACKAGE);
    testbed.window.envelope = (struct cost){1, 0};
    testbed.window.collect = (struct cost){3, 0};
    class_cost(&testbed.classes[0], (struct cost){0, 0}, (struct cost){0, 0.5},
               (struct cost){0.25, 0});
    testbed_round(&testbed, 3, (const double[]){1});
    /* 1: envelope 0-1, computed 1.5, returned 1.75; 2: envelope 1-2, computed 2.5, returned 2.75;
     * collected 2-5 and 5-8; 3: envelope 8-9, computed 9.5, returned 9.75, collected 9.75-12.75. */
    assert_ends(&testbed, OPERATION_ENVELOPE, (const double[]){1, 2, 9}, 3, 12.75);
    assert_ends(&testbed, OPERATION_COLLECT, (const double[]){5, 8, 12.75}, 3, 12.75);
}

/* Simulated until all is done and taken in, though a worker is lost then. */
static double testbed_lose(struct testbed *testbed, int64_t worker, double lost_s,
                           struct trace *trace)
{
    struct scenario scenario = SCENARIO_INIT;
    struct simulation simulation = {.packages = 0};
    struct failure failure = FAILURE_INIT;
    const struct decision decision = {.plan = &testbed->plan};
    scenario.lost_worker = worker;
    scenario.lost_s = lost_s;
    testbed->plan.real_valued = false;
    struct dispatch *dispatch =
        decision_dispatch(&decision, &testbed->platform, &scenario, &failure);
    if (!dispatch ||
        !simulate_scenario(&testbed->platform, dispatch, &scenario, trace, &simulation, &failure))
        fail_msg("%s", failure.text);
    dispatch_free(&dispatch);
    return simulation.makespan_s;
}

/* Two workers, two packages of two core tasks each, a second a core task and for results at the
 * end: without a loss both are done at 4, and results are there at 5 and 6. */
static void kept_results_are_lost_with_their_worker(void **state)
{
    static const double cases[][2] = {
        {1, 9},      /* one package has begun, none is done: the other worker does all, 8 s and 1 */
        {3, 9},      /* one of two is done, and done again */
        {4.5, 9.5},  /* all is done, its results wait for the others': four more from 4.5 to 8.5 */
        {5.5, 10.5}, /* they are on the port */
        {6.5, 6}     /* they are there */
    };
    (void)state;
    struct testbed testbed;
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        testbed_init(&testbed, 2, OPERATING_SINGLE_PORT, RESULTS_END);
        for (int k = 0; k < 2; k++)
            class_cost(&testbed.classes[k], (struct cost){0, 0}, (struct cost){0, 1},
                       (struct cost){1, 0});
        testbed_round(&testbed, 2, (const double[]){2, 2});
        assert_near(testbed_lose(&testbed, 1, cases[c][0], NULL), cases[c][1]);
    }
}

/* Results that return package by package are there, if they are, when their worker is lost. */
static void returned_results_outlive_their_worker(void **state)
{
    (void)state;
    struct testbed testbed;
    /* Results would end at 3, 4, 5 and 6; lost at 4.5, the second worker has returned one package.
     * The other one, computed by 4, is done again from 4.5 to 6.5, and there a second later. */
    testbed_init(&testbed, 2, OPERATING_SINGLE_PORT, RESULTS_PACKAGE);
    for (int k = 0; k < 2; k++)
        class_cost(&testbed.classes[k], (struct cost){0, 0}, (struct cost){0, 1},
                   (struct cost){1, 0});
    testbed_round(&testbed, 2, (const double[]){2, 2});
    assert_near(testbed_lose(&testbed, 1, 4.5, NULL), 7.5);
}

/* Core tasks that a rank has computed, and those whose results have come back from it. */
static void tasks_count(const struct trace *trace, int32_t rank, bool together, double *computed,
                        double *returned)
{
    *computed = *returned = 0;
    for (size_t k = 0; k < trace->count; k++) {
        const struct trace_event *event = &trace->events[k];
        if (event->rank != rank)
            continue;
        *computed += event->operation == OPERATION_COMPUTE ? (double)event->tasks : 0;
        if (event->operation == OPERATION_RESULT)
            *returned = together ? *computed : *returned + (double)event->tasks;
    }
}

/* Where nothing is lost, whoever asks a dispatch hears what the plan says, to the bit: also that a
 * worker gets no other package, and returns its results while others have more to do. */
static void undisturbed_it_is_the_plan(void **state)
{
    (void)state;
    struct testbed testbed;
    for (uint64_t seed = 1; seed <= cases_of(300); seed++) {
        struct dice dice = {seed};
        testbed_any(&dice, &testbed, seed % 2 == 0 ? RESULTS_PACKAGE : RESULTS_END);
        testbed.platform.operating = (enum operating)(seed / 2 % OPERATING_COUNT);
        if (testbed.plan.worker_count > 1) { /* who ends before the others */
            double *load = &testbed.plan.rounds[testbed.plan.round_count - 1].loads[0];
            testbed.plan.tasks -= *load;
            *load = 0;
        }
        const double plan_s = testbed_simulate(&testbed, NULL),
                     asked_s = testbed_lose(&testbed, -1, 0, NULL);
        if (asked_s != plan_s)
            fail_msg("seed %" PRIu64 ": %.17g s, and %.17g s where a dispatch decides", seed,
                     plan_s, asked_s);
    }
}

/* Whoever is lost at whatever time: what living workers have computed and the lost one has returned
 * is the job, and all of it has come back. */
static void losses_leave_nothing_undone(void **state)
{
    (void)state;
    struct testbed testbed;
    int some = 0;
    for (uint64_t seed = 1; seed <= cases_of(300); seed++) {
        struct dice dice = {seed};
        struct trace trace = {.count = 0};
        const bool together = seed % 2 == 0;
        testbed_any(&dice, &testbed, together ? RESULTS_END : RESULTS_PACKAGE);
        const int32_t lost = (int32_t)dice_whole(&dice, 1, testbed.plan.worker_count);
        const double lost_s = 1.2 * testbed_simulate(&testbed, NULL) * dice_unit(&dice);
        if (testbed.plan.worker_count == 1)
            continue;
        testbed_lose(&testbed, lost - 1, lost_s, &trace);
        double sum = 0;
        for (int32_t rank = 1; rank <= testbed.plan.worker_count; rank++) {
            double computed, returned;
            tasks_count(&trace, rank, together, &computed, &returned);
            if (rank != lost && computed != returned)
                fail_msg("seed %" PRIu64 ": rank %d has returned %g of %g", seed, (int)rank,
                         returned, computed);
            sum += returned;
            some += rank == lost && returned > 0 && returned < computed;
        }
        if (sum != testbed.plan.tasks)
            fail_msg("seed %" PRIu64 ": %g of %g have come back", seed, sum, testbed.plan.tasks);
        trace_release(&trace);
    }
    assert_true(some > (int)(cases_of(300) / 30));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_follow_their_packages),
        cmocka_unit_test(results_wait_for_the_port),
        cmocka_unit_test(incoming_port_may_bound),
        cmocka_unit_test(spaced_ends_are_better),
        cmocka_unit_test(results_at_the_end_are_one_message),
        cmocka_unit_test(collecting_delays_envelopes),
        cmocka_unit_test(kept_results_are_lost_with_their_worker),
        cmocka_unit_test(returned_results_outlive_their_worker),
        cmocka_unit_test(undisturbed_it_is_the_plan),
        cmocka_unit_test(losses_leave_nothing_undone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
