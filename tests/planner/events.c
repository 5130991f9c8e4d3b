/* Results that come back, and operating models: golden values of an independent simulation, and
 * what holds on every platform. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "planner/report/replay.h"
#include "planner/schedulers/optimal/optimal_lp.h"
#include "planner/schedulers/scheduler.h"
#include "planner/simulate/decision.h"
#include "planner/simulate/extrapolate.h"
#include "planner/simulate/loop.h"
#include "planner/simulate/simulate.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/planner/bounds.h"
#include "tests/planner/samples.h"

enum { WORKERS_MOST = 10, PACKAGES_MOST = 400 };

/* A small star; fractions of core tasks are allowed. */
struct stage {
    struct platform_class classes[WORKERS_MOST];
    struct platform_window window;
    struct platform platform;
    int64_t workers[WORKERS_MOST];
    double loads[PACKAGES_MOST / 2][WORKERS_MOST];
    struct plan_round rounds[PACKAGES_MOST / 2];
    struct plan plan;
};

static void stage_open(struct stage *stage, int64_t workers, enum operating operating,
                       enum results results)
{
    *stage = (struct stage){.window = {.least = 1, .greatest = 1000}};
    stage->window.classes = stage->classes;
    stage->window.class_count = workers;
    stage->platform = (struct platform){.windows = &stage->window,
                                        .window_count = 1,
                                        .worker_count = workers,
                                        .buffers = PLATFORM_BUFFERS,
                                        .results = results,
                                        .operating = operating};
    stage->plan = (struct plan){.workers = stage->workers,
                                .worker_count = workers,
                                .rounds = stage->rounds,
                                .real_valued = true};
    for (int64_t k = 0; k < workers; k++) {
        stage->workers[k] = k;
        stage->classes[k] = (struct platform_class){.first = k, .count = 1};
    }
}

static void class_cost(struct platform_class *class, struct cost link, struct cost work,
                       struct cost result)
{
    class->link = link;
    class->compute = work;
    class->result = result;
}

static void stage_round(struct stage *stage, int64_t repeat, const double *loads)
{
    const size_t at = stage->plan.round_count++;
    for (int64_t k = 0; k < stage->plan.worker_count; k++) {
        stage->loads[at][k] = loads[k];
        stage->plan.tasks += (double)repeat * loads[k];
    }
    stage->rounds[at] = (struct plan_round){repeat, stage->loads[at]};
}

static double loads_of(const struct stage *stage, size_t round)
{
    double sum = 0;
    for (int64_t k = 0; k < stage->plan.worker_count; k++)
        sum += stage->loads[round][k];
    return sum;
}

static double stage_play(const struct stage *stage, struct trace *trace)
{
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    if (!simulate_plan(&stage->platform, &stage->plan, trace, &simulation, &failure))
        fail_msg("%s", failure.text);
    return simulation.makespan_s;
}

/* The ends of one operation's events on each worker, in the order of packages. */
static size_t trace_ends(const struct trace *trace, enum operation operation, double *ends)
{
    size_t count = 0;
    for (size_t k = 0; k < trace->count; k++)
        if (trace->events[k].operation == (int32_t)operation)
            ends[count++] = trace->events[k].end_s;
    return count;
}

static void assert_near(double value, double wanted)
{
    if (!(fabs(value - wanted) <= 1e-9 * fmax(1, fabs(wanted))))
        fail_msg("%.12g, not %.12g", value, wanted);
}

static void assert_ends(const struct stage *stage, enum operation operation, const double *wanted,
                        size_t count, double makespan_s)
{
    double ends[PACKAGES_MOST] = {0};
    struct trace trace = {.count = 0};
    assert_near(stage_play(stage, &trace), makespan_s);
    assert_int_equal(trace_ends(&trace, operation, ends), count);
    for (size_t k = 0; k < count; k++)
        assert_near(ends[k], wanted[k]);
    trace_release(&trace);
}

/* ---- results ------------------------------------------------------------------------------- */

/* Two equal workers: link 0.5 + 0.5 x, work 1 + 2 x, results of `result_s` each. */
static void two_workers(struct stage *stage, double second, double result_s)
{
    stage_open(stage, 2, OPERATING_SINGLE_PORT, RESULTS_PACKAGE);
    for (int k = 0; k < 2; k++)
        class_cost(&stage->classes[k], (struct cost){0.5, 0.5}, (struct cost){1, 2},
                   (struct cost){result_s, 0});
    stage_round(stage, 1, (const double[]){2, second});
}

static void results_follow_their_packages(void **state)
{
    (void)state;
    struct stage stage;
    two_workers(&stage, 2, 1);
    assert_ends(&stage, OPERATION_LINK, (const double[]){1.5, 3}, 2, 9);
    assert_ends(&stage, OPERATION_COMPUTE, (const double[]){6.5, 8}, 2, 9);
    assert_ends(&stage, OPERATION_RESULT, (const double[]){7.5, 9}, 2, 9);
    two_workers(&stage, 1, 1);
    assert_ends(&stage, OPERATION_COMPUTE, (const double[]){6.5, 5.5}, 2, 7.5);
    assert_ends(&stage, OPERATION_RESULT, (const double[]){7.5, 6.5}, 2, 7.5);
}

static void results_wait_for_the_port(void **state)
{
    (void)state;
    struct stage stage;
    two_workers(&stage, 1, 2);
    assert_ends(&stage, OPERATION_RESULT, (const double[]){9.5, 7.5}, 2, 9.5);
}

/* The incoming port is what takes longest. */
static void incoming_bound(struct stage *stage, enum operating operating)
{
    stage_open(stage, 2, operating, RESULTS_PACKAGE);
    for (int k = 0; k < 2; k++)
        class_cost(&stage->classes[k], (struct cost){0.5, 0}, (struct cost){0, 1},
                   (struct cost){1, 0});
    stage_round(stage, 2, (const double[]){1, 1});
}

static void incoming_port_may_bound(void **state)
{
    (void)state;
    struct stage stage;
    incoming_bound(&stage, OPERATING_SINGLE_PORT);
    assert_ends(&stage, OPERATION_RESULT, (const double[]){2.5, 3.5, 4.5, 5.5}, 4, 5.5);
    incoming_bound(&stage, OPERATING_WORK);
    assert_ends(&stage, OPERATION_RESULT, (const double[]){2.5, 3.5, 4.5, 7}, 4, 7);
}

/* Three workers fed a second apart, results of half a second at the end: ends that are as far apart
 * as results take are better than equal ones. */
static void spaced_ends_are_better(void **state)
{
    (void)state;
    const double loads[2][3] = {{7, 6, 5}, {6.5, 6, 5.5}};
    struct stage stage;
    for (int spaced = 0; spaced < 2; spaced++) {
        stage_open(&stage, 3, OPERATING_SINGLE_PORT, RESULTS_END);
        for (int k = 0; k < 3; k++)
            class_cost(&stage.classes[k], (struct cost){1, 0}, (struct cost){0, 1},
                       (struct cost){0.5, 0});
        stage_round(&stage, 1, loads[spaced]);
        assert_near(stage_play(&stage, NULL), spaced ? 9.0 : 9.5);
    }
}

/* What a worker returns at its end are the results of all its packages, by one line. */
static void results_at_the_end_are_one_message(void **state)
{
    (void)state;
    struct stage stage;
    stage_open(&stage, 1, OPERATING_SINGLE_PORT, RESULTS_END);
    class_cost(&stage.classes[0], (struct cost){1, 0}, (struct cost){0, 1}, (struct cost){2, 0.25});
    stage.window.collect = (struct cost){1, 0.5};
    stage_round(&stage, 3, (const double[]){4});
    /* Begun at 1, computed at 13, returned 2 + 12 / 4 later, collected 1 + 12 / 2 after that. */
    assert_ends(&stage, OPERATION_RESULT, (const double[]){18}, 1, 25);
    assert_ends(&stage, OPERATION_COLLECT, (const double[]){25}, 1, 25);
}

/* The master writes a result that is there before it begins another envelope. */
static void collecting_delays_envelopes(void **state)
{
    (void)state;
    struct stage stage;
    stage_open(&stage, 1, OPERATING_SINGLE_PORT, RESULTS_PACKAGE);
    stage.window.envelope = (struct cost){1, 0};
    stage.window.collect = (struct cost){3, 0};
    class_cost(&stage.classes[0], (struct cost){0, 0}, (struct cost){0, 0.5},
               (struct cost){0.25, 0});
    stage_round(&stage, 3, (const double[]){1});
    /* 1: envelope 0-1, computed 1.5, returned 1.75; 2: envelope 1-2, computed 2.5, returned 2.75;
     * collected 2-5 and 5-8; 3: envelope 8-9, computed 9.5, returned 9.75, collected 9.75-12.75. */
    assert_ends(&stage, OPERATION_ENVELOPE, (const double[]){1, 2, 9}, 3, 12.75);
    assert_ends(&stage, OPERATION_COLLECT, (const double[]){5, 8, 12.75}, 3, 12.75);
}

/* Played until all is done and taken in, though a worker is lost then. */
static double stage_lose(struct stage *stage, int64_t worker, double lost_s, struct trace *trace)
{
    struct scenario scenario = SCENARIO_INIT;
    struct simulation simulation = {.packages = 0};
    struct failure failure = FAILURE_INIT;
    const struct decision decision = {.plan = &stage->plan};
    scenario.lost_worker = worker;
    scenario.lost_s = lost_s;
    stage->plan.real_valued = false;
    struct dispatch *dispatch = decision_dispatch(&decision, &stage->platform, &scenario, &failure);
    if (!dispatch ||
        !simulate_scenario(&stage->platform, dispatch, &scenario, trace, &simulation, &failure))
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
    struct stage stage;
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        stage_open(&stage, 2, OPERATING_SINGLE_PORT, RESULTS_END);
        for (int k = 0; k < 2; k++)
            class_cost(&stage.classes[k], (struct cost){0, 0}, (struct cost){0, 1},
                       (struct cost){1, 0});
        stage_round(&stage, 2, (const double[]){2, 2});
        assert_near(stage_lose(&stage, 1, cases[c][0], NULL), cases[c][1]);
    }
}

/* Results that return package by package are there, if they are, when their worker is lost. */
static void returned_results_outlive_their_worker(void **state)
{
    (void)state;
    struct stage stage;
    /* Results would end at 3, 4, 5 and 6; lost at 4.5, the second worker has returned one package.
     * The other one, computed by 4, is done again from 4.5 to 6.5, and there a second later. */
    stage_open(&stage, 2, OPERATING_SINGLE_PORT, RESULTS_PACKAGE);
    for (int k = 0; k < 2; k++)
        class_cost(&stage.classes[k], (struct cost){0, 0}, (struct cost){0, 1},
                   (struct cost){1, 0});
    stage_round(&stage, 2, (const double[]){2, 2});
    assert_near(stage_lose(&stage, 1, 4.5, NULL), 7.5);
}

static struct cost any_cost(struct dice *dice, double most)
{
    const double latency_s = dice_unit(dice) < 0.5 ? 0 : most * dice_unit(dice);
    return (struct cost){latency_s, most * dice_unit(dice)};
}

/* Equal packages for each worker in a round, one to four rounds. */
static void any_stage(struct dice *dice, struct stage *stage, enum results results)
{
    const int64_t workers = dice_whole(dice, 1, 4), rounds = dice_whole(dice, 1, 4);
    stage_open(stage, workers, OPERATING_SINGLE_PORT, results);
    stage->window.envelope = any_cost(dice, 0.3);
    stage->window.send = any_cost(dice, 0.3);
    for (int64_t k = 0; k < workers; k++)
        class_cost(&stage->classes[k], any_cost(dice, 1), any_cost(dice, 3), any_cost(dice, 0.8));
    for (int64_t r = 0; r < rounds; r++) {
        double loads[WORKERS_MOST];
        for (int64_t k = 0; k < workers; k++)
            loads[k] = (double)dice_whole(dice, 1, 4);
        stage_round(stage, 1, loads);
    }
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
    struct stage stage;
    for (uint64_t seed = 1; seed <= cases_of(300); seed++) {
        struct dice dice = {seed};
        any_stage(&dice, &stage, seed % 2 == 0 ? RESULTS_PACKAGE : RESULTS_END);
        stage.platform.operating = (enum operating)(seed / 2 % OPERATING_COUNT);
        if (stage.plan.worker_count > 1) { /* who ends before the others */
            double *load = &stage.plan.rounds[stage.plan.round_count - 1].loads[0];
            stage.plan.tasks -= *load;
            *load = 0;
        }
        const double plan_s = stage_play(&stage, NULL), asked_s = stage_lose(&stage, -1, 0, NULL);
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
    struct stage stage;
    int some = 0;
    for (uint64_t seed = 1; seed <= cases_of(300); seed++) {
        struct dice dice = {seed};
        struct trace trace = {.count = 0};
        const bool together = seed % 2 == 0;
        any_stage(&dice, &stage, together ? RESULTS_END : RESULTS_PACKAGE);
        const int32_t lost = (int32_t)dice_whole(&dice, 1, stage.plan.worker_count);
        const double lost_s = 1.2 * stage_play(&stage, NULL) * dice_unit(&dice);
        if (stage.plan.worker_count == 1)
            continue;
        stage_lose(&stage, lost - 1, lost_s, &trace);
        double sum = 0;
        for (int32_t rank = 1; rank <= stage.plan.worker_count; rank++) {
            double computed, returned;
            tasks_count(&trace, rank, together, &computed, &returned);
            if (rank != lost && computed != returned)
                fail_msg("seed %" PRIu64 ": rank %d has returned %g of %g", seed, (int)rank,
                         returned, computed);
            sum += returned;
            some += rank == lost && returned > 0 && returned < computed;
        }
        if (sum != stage.plan.tasks)
            fail_msg("seed %" PRIu64 ": %g of %g have come back", seed, sum, stage.plan.tasks);
        trace_release(&trace);
    }
    assert_true(some > (int)(cases_of(300) / 30));
}

/* ---- operating models ---------------------------------------------------------------------- */

static const enum operating models[OPERATING_COUNT] = {OPERATING_MULTI_PORT, OPERATING_SINGLE_PORT,
                                                       OPERATING_RECEIVE,    OPERATING_SEND,
                                                       OPERATING_WORK,       OPERATING_NONE};

/* Two workers, two packages of two core tasks each. */
/* One buffer a worker: the third package of the first one waits until the second is begun, and the
 * other worker's, though its port is free, behind it. */
static void no_package_passes_another(void **state)
{
    (void)state;
    struct stage stage;
    stage_open(&stage, 2, OPERATING_MULTI_PORT, RESULTS_NONE);
    stage.platform.buffers = 1;
    for (int k = 0; k < 2; k++)
        class_cost(&stage.classes[k], (struct cost){1, 0}, (struct cost){10, 0},
                   (struct cost){0, 0});
    stage_round(&stage, 2, (const double[]){1, 0});
    stage_round(&stage, 1, (const double[]){1, 1});
    assert_ends(&stage, OPERATION_LINK, (const double[]){1, 2, 12, 12}, 4, 31);
    assert_ends(&stage, OPERATION_COMPUTE, (const double[]){11, 21, 31, 22}, 4, 31);
}

static void first_set(struct stage *stage, enum operating operating, bool returns)
{
    stage_open(stage, 2, operating, returns ? RESULTS_PACKAGE : RESULTS_NONE);
    stage->window.envelope = (struct cost){0.2, 0.1};
    stage->window.send = (struct cost){0.1, 0.1};
    for (int k = 0; k < 2; k++)
        class_cost(&stage->classes[k], (struct cost){0.5, 0.5}, (struct cost){1, k == 0 ? 2 : 1},
                   returns ? (struct cost){0.5, 0.25} : (struct cost){0, 0});
    stage_round(stage, 2, (const double[]){2, 2});
}

/* Three packages each; the links are what takes longest. */
static void second_set(struct stage *stage, enum operating operating, bool returns)
{
    stage_open(stage, 2, operating, returns ? RESULTS_PACKAGE : RESULTS_NONE);
    stage->window.envelope = stage->window.send = (struct cost){0.1, 0};
    for (int k = 0; k < 2; k++)
        class_cost(&stage->classes[k], (struct cost){0.5, 1}, (struct cost){0.5, 1},
                   returns ? (struct cost){0.25, 0.25} : (struct cost){0, 0});
    stage_round(stage, 3, (const double[]){2, 2});
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
    struct stage stage;
    for (int k = 0; k < OPERATING_COUNT; k++)
        for (int returns = 0; returns < 2; returns++) {
            first_set(&stage, models[k], returns);
            assert_near(stage_play(&stage, NULL), first[returns][k]);
            second_set(&stage, models[k], returns);
            assert_near(stage_play(&stage, NULL), second[returns][k]);
        }
    for (int k = 0; k < OPERATING_COUNT; k++) {
        double computed[PACKAGES_MOST];
        struct trace trace = {.count = 0};
        first_set(&stage, models[k], false);
        stage_play(&stage, &trace);
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
    struct stage stage;
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        double loads[WORKERS_MOST];
        stage_open(&stage, WORKERS_MOST, cases[c].operating, RESULTS_NONE);
        stage.window.envelope = stage.window.send = (struct cost){0.01, 0.01};
        for (int k = 0; k < WORKERS_MOST; k++) {
            loads[k] = cases[c].load;
            class_cost(&stage.classes[k], (struct cost){0.03, 0.05}, (struct cost){0.03, 1},
                       (struct cost){0, 0});
        }
        stage_round(&stage, 20, loads);
        assert_near(stage_play(&stage, NULL), cases[c].makespan_s);
    }
}

/* ---- on every platform --------------------------------------------------------------------- */

/* Each package and, where they come back, each result once, nothing before what it follows. */
static void check_trace(const struct stage *stage, uint64_t seed)
{
    struct trace trace = {.count = 0};
    double computed[PACKAGES_MOST] = {0}, tasks = 0, makespan_s = stage_play(stage, &trace);
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
    if (tasks != stage->plan.tasks || packages != plan_packages(&stage->plan))
        fail_msg("seed %" PRIu64 ": %" PRId64 " packages, %g core tasks", seed, packages, tasks);
    assert_int_equal(returned, stage->platform.results == RESULTS_PACKAGE ? packages
                               : stage->platform.results == RESULTS_END   ? stage->plan.worker_count
                                                                          : 0);
    trace_release(&trace);
}

enum { SEEDS = 1000 };

/* What a trace says was taken, played again, ends when it ended. */
static double replayed_s(const struct stage *stage, const struct trace *trace)
{
    struct trace again = {.count = 0};
    struct failure failure = FAILURE_INIT;
    struct replay replay;
    double end_s = 0;
    const struct replay_setup setup = {.workers = stage->plan.worker_count,
                                       .buffers = stage->platform.buffers,
                                       .results = stage->platform.results,
                                       .operating = stage->platform.operating,
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
    struct stage stage;
    for (uint64_t seed = 1; seed <= cases_of(SEEDS); seed++)
        for (int k = 0; k < OPERATING_COUNT; k++) {
            struct dice dice = {seed};
            struct trace trace = {.count = 0};
            any_stage(&dice, &stage, (enum results)(RESULTS_NONE + (int)(seed % 3)));
            stage.window.collect = any_cost(&dice, 0.3);
            stage.platform.operating = models[k];
            const double made_s = stage_play(&stage, &trace), again_s = replayed_s(&stage, &trace);
            if (!(fabs(again_s - made_s) <= 1e-9 * made_s))
                fail_msg("seed %" PRIu64 ", %s: %.12g s, replayed %.12g s", seed,
                         operating_traits(models[k])->name, made_s, again_s);
            trace_release(&trace);
        }
}

static void every_task_once_in_every_model(void **state)
{
    (void)state;
    struct stage stage;
    for (uint64_t seed = 1; seed <= cases_of(SEEDS); seed++)
        for (int k = 0; k < OPERATING_COUNT; k++) {
            struct dice dice = {seed};
            any_stage(&dice, &stage, (enum results)(RESULTS_NONE + (int)(seed % 3)));
            stage.platform.operating = models[k];
            check_trace(&stage, seed);
        }
}

/* What is allowed to go on side by side only helps, where packages of a plan are equal. */
static void models_are_ordered(void **state)
{
    (void)state;
    struct stage stage;
    for (uint64_t seed = 1; seed <= cases_of(SEEDS); seed++) {
        struct dice dice = {seed};
        double made_s[OPERATING_COUNT];
        any_stage(&dice, &stage, RESULTS_NONE);
        for (int64_t r = 0; r < (int64_t)stage.plan.round_count; r++)
            for (int64_t k = 0; k < stage.plan.worker_count; k++)
                stage.loads[r][k] = stage.loads[0][0];
        for (int k = 0; k < OPERATING_COUNT; k++) {
            stage.platform.operating = models[k];
            made_s[models[k]] = stage_play(&stage, NULL) * (1 + 1e-12);
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
 * play a plan give the same, to the last bit. */
static void both_ways_are_equal(void **state)
{
    (void)state;
    struct stage stage;
    for (uint64_t seed = 1; seed <= cases_of(SEEDS); seed++) {
        struct dice dice = {seed};
        struct trace one = {.count = 0}, other = {.count = 0};
        any_stage(&dice, &stage, RESULTS_NONE);
        stage.platform.write_behind = seed % 2 == 0;
        stage.platform.buffers = 1 + (int)(seed % 3);
        for (int64_t k = 0; k < stage.plan.worker_count; k++) {
            stage.classes[k].output = any_cost(&dice, 2);
            stage.classes[k].start_s = 4 * dice_unit(&dice);
        }
        const double makespan_s = stage_play(&stage, &one);
        stage.platform.operating = OPERATING_WORK;
        assert_false(loop_needs_events(&(struct platform){.results = RESULTS_NONE}));
        assert_true(loop_needs_events(&stage.platform));
        assert_true(stage_play(&stage, &other) == makespan_s);
        assert_int_equal(one.count, other.count);
        assert_memory_equal(one.events, other.events, one.count * sizeof *one.events);
        trace_release(&one);
        trace_release(&other);
    }
}

/* ---- plans --------------------------------------------------------------------------------- */

enum { PLATFORMS = 12, EACH_MOST = 3 };

/* The stage's workers in the ranking's order, as many rounds of these loads. */
static void stage_loads(struct stage *stage, const struct ranking *ranking, const double *loads,
                        int64_t rounds)
{
    stage->plan.round_count = 0;
    stage->plan.tasks = 0;
    for (int64_t k = 0; k < ranking->count; k++)
        stage->workers[k] = ranking->workers[k].id;
    for (int64_t r = 0; r < rounds; r++)
        stage_round(stage, 1, loads + r * ranking->count);
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
static bool program_against_stage(struct stage *stage, uint64_t seed, bool grouped)
{
    struct ranking ranking;
    struct groups groups;
    double solved[PROGRAM_ROUNDS * WORKERS_MOST] = {0}, loads[PROGRAM_ROUNDS * WORKERS_MOST] = {0};
    double value_s = 0;
    bool out_of_memory = false;
    assert_true(ranking_init(&ranking, &stage->platform, &stage->window, true, RANKING_BY_FEED));
    assert_true(groups_init(&groups, &ranking, 2));
    const struct optimal_lp lp = {.ranking = &ranking,
                                  .groups = grouped ? &groups : NULL,
                                  .count = grouped ? groups.count : ranking.count,
                                  .rounds = PROGRAM_ROUNDS,
                                  .buffers = stage->platform.buffers,
                                  .tasks = PROGRAM_TASKS};
    assert_true(optimal_lp_solve(&lp, grouped ? solved : loads, &value_s, &out_of_memory));
    if (grouped)
        groups_expand(&groups, groups.count, PROGRAM_ROUNDS, solved, loads);
    const bool exact =
        ranking.count == 1 && all_loaded(loads, ranking.count * PROGRAM_ROUNDS) && !grouped;
    stage_loads(stage, &ranking, loads, PROGRAM_ROUNDS);
    const double played_s = stage_play(stage, NULL), slack_s = 1e-6 * value_s;
    if (played_s > value_s + slack_s || (exact && played_s < value_s - slack_s))
        fail_msg("seed %" PRIu64 ": %.9g s by the program, %.9g s when played", seed, value_s,
                 played_s);
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
    struct stage stage;
    int exact = 0;
    if (!optimal_lp_available())
        skip();
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct dice dice = {seed};
        const bool grouped = seed % 3 == 0;
        any_stage(&dice, &stage, seed % 2 == 0 ? RESULTS_PACKAGE : RESULTS_END);
        for (int64_t k = 0; k < stage.plan.worker_count; k++) {
            stage.classes[k].compute.s_per_task += 0.1;
            if (grouped)
                class_cost(&stage.classes[k], stage.classes[0].link, stage.classes[0].compute,
                           stage.classes[0].result);
        }
        exact += program_against_stage(&stage, seed, grouped);
    }
    assert_true(exact > 0);
}

/* Every scheduler's plan ends no earlier than the bound says, `optimal` no later than the others,
 * and all are plans of every core task. */
static void plans_keep_to_the_bound(void **state)
{
    (void)state;
    struct stage stage;
    size_t count, made = 0;
    const struct scheduler *list = scheduler_list(&count);
    for (uint64_t seed = 1; seed <= cases_of(PLATFORMS); seed++) {
        struct dice dice = {seed};
        any_stage(&dice, &stage, (enum results)(RESULTS_NONE + (int)(seed % 3)));
        stage.platform.operating = models[seed / 3 % OPERATING_COUNT];
        if (dice_unit(&dice) < 0.5)
            stage.window.collect = any_cost(&dice, 0.3);
        stage.window.greatest = dice_whole(&dice, 5, 60);
        const double tasks = (double)dice_whole(&dice, 20, 200);
        double best_s = HUGE_VAL;
        for (size_t k = 0; k < count; k++) {
            const struct schedule_request request = {.platform = &stage.platform, .tasks = tasks};
            struct plan plan = {.kernel = NULL};
            struct failure failure = FAILURE_INIT;
            if (!scheduler_make(&list[k], &request, &plan, &failure)) {
                assert_int_equal(failure.code, FAILURE_INFEASIBLE);
                continue;
            }
            made++;
            struct simulation simulation;
            assert_true(simulate_plan(&stage.platform, &plan, NULL, &simulation, &failure));
            assert_true(simulation.makespan_s == plan.predicted.makespan_s);
            if (simulation.makespan_s < bound_of(&stage.platform, tasks, false))
                fail_msg("seed %" PRIu64 ", %s: %.9g s, below the bound of %.9g s", seed,
                         list[k].name, simulation.makespan_s,
                         bound_of(&stage.platform, tasks, false));
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
    struct stage stage;
    for (uint64_t seed = 1; seed <= cases_of(SEEDS); seed++)
        for (int k = 0; k < OPERATING_COUNT; k++) {
            struct dice dice = {seed};
            any_stage(&dice, &stage, (enum results)(RESULTS_NONE + (int)(seed % 3)));
            stage.platform.operating = models[k];
            if (seed % 2 == 0)
                stage.window.collect = any_cost(&dice, 0.3);
            stage.window.greatest = 4;
            const double made_s = stage_play(&stage, NULL);
            const double bound_s = bound_of(&stage.platform, stage.plan.tasks, false);
            if (made_s < bound_s)
                fail_msg("seed %" PRIu64 ", %s: %.12g s, below the bound of %.12g s", seed,
                         operating_traits(models[k])->name, made_s, bound_s);
        }
}

/* Long plans are shortened and extended: as if all had been played, once they have their period. */
static void long_plans_are_extrapolated(void **state)
{
    (void)state;
    struct stage stage;
    double worst = 0;
    for (uint64_t seed = 1; seed <= cases_of(100); seed++) {
        struct dice dice = {seed};
        struct simulation whole, made;
        struct failure failure = FAILURE_INIT;
        any_stage(&dice, &stage, (enum results)(RESULTS_NONE + (int)(seed % 3)));
        stage.platform.operating = models[seed % OPERATING_COUNT];
        for (size_t r = 0; r < stage.plan.round_count; r++) {
            stage.plan.tasks += 399 * loads_of(&stage, r);
            stage.rounds[r].repeat = 400;
        }
        assert_true(simulate_packages(&stage.platform, &stage.plan, NULL, &whole, NULL, &failure));
        assert_true(extrapolate_plan(&stage.platform, &stage.plan, &made, NULL, NULL, &failure));
        worst = fmax(worst, fabs(made.makespan_s / whole.makespan_s - 1));
        assert_int_equal(made.packages, whole.packages);
    }
    printf("extrapolated makespans are off by %.2g at worst\n", worst);
    assert_true(worst < 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_follow_their_packages),
        cmocka_unit_test(results_wait_for_the_port),
        cmocka_unit_test(no_package_passes_another),
        cmocka_unit_test(incoming_port_may_bound),
        cmocka_unit_test(spaced_ends_are_better),
        cmocka_unit_test(results_at_the_end_are_one_message),
        cmocka_unit_test(collecting_delays_envelopes),
        cmocka_unit_test(kept_results_are_lost_with_their_worker),
        cmocka_unit_test(returned_results_outlive_their_worker),
        cmocka_unit_test(undisturbed_it_is_the_plan),
        cmocka_unit_test(losses_leave_nothing_undone),
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
