/* Rules for workers of different and of changing speed: sizes by the published formulas, evaluated
 * by an independent program, and the published experiments under load. */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>

#include "planner/dispatch/rule_power.h"
#include "planner/model/order.h"
#include "planner/simulate/decision.h"
#include "tests/checks.h"
#include "tests/planner/mandelbrot_rows.h"

#define assert_near(value, wanted, off) assert_true(fabs((value) - (wanted)) <= (off))

enum { WORKERS_MOST = 4 };

static struct dispatch *rule_new(const char *rule, int64_t tasks, int64_t workers,
                                 const double *weights)
{
    const struct dispatch_setup setup = {.rule = rule,
                                         .tasks = tasks,
                                         .workers = workers,
                                         .ahead = 1,
                                         .weights = weights,
                                         .overhead_s = 0.5,
                                         .least = 1,
                                         .most = tasks};
    struct failure failure = FAILURE_INIT;
    struct dispatch *dispatch = dispatch_new_rule(&setup, &failure);
    if (!dispatch)
        fail_msg("%s", failure.text);
    return dispatch;
}

/* The next package is for that worker, from 1 on, and has so many core tasks. */
static struct package assert_next(struct dispatch *dispatch, int64_t worker, int64_t count)
{
    struct package package = {0};
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_SEND);
    if (package.worker + 1 != worker || package.count != count)
        fail_msg("worker %" PRId64 " gets %" PRId64 " core tasks, not worker %" PRId64 " %" PRId64,
                 package.worker + 1, package.count, worker, count);
    return package;
}

/* Each package is reported at once, at a second a core task. */
static void assert_sizes(const char *rule, int64_t tasks, int64_t workers, const double *weights,
                         const int64_t (*wanted)[2], size_t count)
{
    struct dispatch *dispatch = rule_new(rule, tasks, workers, weights);
    for (size_t k = 0; k < count; k++) {
        const struct package package = assert_next(dispatch, wanted[k][0], wanted[k][1]);
        dispatch_done(dispatch, &package, 0, (double)package.count);
    }
    dispatch_free(&dispatch);
}

#define ASSERT_SIZES(rule, tasks, workers, weights, ...)                                           \
    assert_sizes(rule, tasks, workers, weights, (const int64_t[][2]){__VA_ARGS__},                 \
                 COUNT_OF(((const int64_t[][2]){__VA_ARGS__})))

static void dtss_counts_workers_as_processors(void **state)
{
    static const double one_fast[] = {1, 1, 1, 6}, two[] = {2, 1}, busy[] = {1, 1, 1, 2};
    (void)state;
    ASSERT_SIZES("dtss", 1200, 4, one_fast, {4, 371}, {1, 55}, {2, 53}, {3, 51}, {4, 270}, {1, 38},
                 {2, 36}, {3, 34}, {4, 169}, {1, 21}, {2, 19}, {3, 17}, {4, 66});
    ASSERT_SIZES("dtss", 1200, 4, NULL, {1, 150}, {2, 140}, {3, 130}, {4, 120}, {1, 110}, {2, 100},
                 {3, 90}, {4, 80}, {1, 70}, {2, 60}, {3, 50}, {4, 40}, {1, 30}, {2, 20}, {3, 10});
    ASSERT_SIZES("dtss", 1000, 2, two, {1, 318}, {2, 136}, {1, 227}, {2, 91}, {1, 137}, {2, 46},
                 {1, 45});
    ASSERT_SIZES("dtss,power=integer", 1200, 4, busy, {4, 233}, {1, 107}, {2, 101}, {3, 94});
}

/* Powers 2.5 and 1: rounded down, a tenth at a time, and as they are. */
static void powers_are_rounded_as_asked(void **state)
{
    static const double half[] = {2.5, 1};
    (void)state;
    ASSERT_SIZES("dtss,power=integer", 1000, 2, half, {1, 318}, {2, 136});
    ASSERT_SIZES("dtss,power=scaled", 1000, 2, half, {1, 326}, {2, 112});
    ASSERT_SIZES("dtss,power=real", 1000, 2, half, {1, 336}, {2, 115});
    ASSERT_SIZES("dtss,power=measured", 1000, 2, half, {1, 336}, {2, 115});
}

/* Three of four work at half their speed: what is left is planned anew. With two of them it is not,
 * and sizes go on as before. */
static void dtss_plans_anew_when_most_have_changed(void **state)
{
    static const double weights[] = {1, 1, 1, 3};
    static const int64_t rounds[2][4] = {{287, 87, 82, 78}, {209, 61, 56, 52}};
    (void)state;
    for (int64_t slow = 2; slow <= 3; slow++) {
        struct dispatch *dispatch = rule_new("dtss,power=real", 1200, 4, weights);
        struct package package[4];
        for (int round = 0; round < 2; round++)
            for (int64_t k = 0; k < 4; k++) {
                const int64_t worker = k == 0 ? 4 : k;
                package[k] = assert_next(dispatch, worker, rounds[round][k]);
                if (round == 0)
                    dispatch_done(dispatch, &package[k], 0, (double)package[k].count);
            }
        for (int64_t k = 1; k <= slow; k++)
            dispatch_done(dispatch, &package[k], 1000, 1000 + 2 * (double)package[k].count);
        if (slow == 2)
            assert_next(dispatch, 1, 48);
        else
            assert_next(dispatch, 1, 16);
        dispatch_free(&dispatch);
    }
}

/* The rule alone, which is told of queues by what core tasks take: of one process in the beginning,
 * the best time so far, and then of as many as the last one took times as long. */
struct printed {
    struct rule_state state;
    struct rule_worker workers[WORKERS_MOST];
    struct power_worker powers[WORKERS_MOST];
    max_align_t own[64];
};

static void printed_begin(struct printed *printed, int64_t tasks, const double *speeds)
{
    *printed = (struct printed){.state = {.rule = &rule_dtss,
                                          .tasks = tasks,
                                          .left = tasks,
                                          .workers = WORKERS_MOST,
                                          .least = 1,
                                          .most = (double)tasks,
                                          .option = {POWER_INTEGER, 2},
                                          .worker = printed->workers,
                                          .own = printed->own}};
    assert_true(rule_dtss.state_size <= sizeof printed->own);
    for (int64_t k = 0; k < WORKERS_MOST; k++) {
        printed->workers[k] = (struct rule_worker){.weight = speeds[k], .own = &printed->powers[k]};
        printed->powers[k].best_s = printed->powers[k].recent_s = 1;
    }
    rule_dtss.start(&printed->state);
}

/* The next package is that worker's, from 1 on. */
static void printed_next(struct printed *printed, int64_t worker, int64_t count)
{
    const double chunk = rule_dtss.chunk(&printed->state, worker - 1);
    if (chunk != (double)count)
        fail_msg("worker %" PRId64 " gets %g core tasks, not %" PRId64, worker, chunk, count);
    printed->state.left -= count;
}

static void printed_queue(struct printed *printed, int64_t worker, double queue)
{
    printed->workers[worker - 1].packages = 2;
    printed->workers[worker - 1].last_s = queue;
    rule_dtss.report(&printed->state, worker - 1, 1, queue, queue);
}

/* Virtual powers 2, 2, 2 and 6, A_i = V_i / Q_i. Then three of four have another process in their
 * queues: 670 core tasks are planned anew, F = 670 / 18, N = 36, D = 36.222 / 35. Two alone have
 * smaller packages of the old steps: F = 50, D = 49 / 47, 50 - 12 D. */
static void dtss_is_as_printed(void **state)
{
    static const double speeds[] = {1, 1, 1, 3};
    struct printed printed;
    (void)state;
    for (int64_t loaded = 2; loaded <= 3; loaded++) {
        printed_begin(&printed, 1200, speeds);
        printed_next(&printed, 4, 284);
        printed_next(&printed, 1, 86);
        printed_next(&printed, 2, 82);
        printed_next(&printed, 3, 78);
        assert_int_equal(printed.state.left, 670);
        for (int64_t worker = 1; worker <= loaded; worker++)
            printed_queue(&printed, worker, 2);
        if (loaded == 2) {
            printed_next(&printed, 1, 37);
            continue;
        }
        printed_next(&printed, 4, 207);
        printed_next(&printed, 1, 31);
        printed_next(&printed, 2, 29);
        printed_next(&printed, 3, 28);
    }
}

enum { SENT_MOST = 16 };

/* All packages until the dispatch waits, in their order, at a second a core task; `shares` is what
 * each worker had of its processors, 0: not known. */
static void all_report(struct dispatch *dispatch, const double shares[WORKERS_MOST])
{
    struct package sent[SENT_MOST];
    size_t count = 0;
    while (dispatch_next(dispatch, 0, &sent[count]) == DISPATCH_SEND)
        assert_true(++count < SENT_MOST);
    for (size_t k = 0; k < count; k++)
        dispatch_report(dispatch, &sent[k],
                        (struct dispatch_times){0, (double)sent[k].count, shares[sent[k].worker]});
}

/* The same queues as printed, told by the shares that workers had, from their first packages on,
 * whose times say nothing of them: through everything that stands between a master and the
 * rule, and of packages that were sent in pieces. */
static void reported_queues_go_before_times(void **state)
{
    static const double speeds[] = {1, 1, 1, 3};
    static const double shares[][WORKERS_MOST] = {{0.5, 0.5, 1, 1}, {0.5, 0.5, 0.5, 1}};
    static const struct task_range ranges[] = {{0, 100}, {200, 200}, {1000, 900}};
    (void)state;
    for (int most = 0; most < 2; most++) {
        struct dispatch *dispatch =
            dispatch_new_recovery(dispatch_new_ranges(rule_new("dtss,power=integer,slowest=2", 1200,
                                                               WORKERS_MOST, speeds),
                                                      ranges, 3, WORKERS_MOST),
                                  WORKERS_MOST);
        assert_non_null(dispatch);
        all_report(dispatch, shares[most]);
        if (most) {
            assert_next(dispatch, 4, 207);
            assert_next(dispatch, 1, 31);
            assert_next(dispatch, 2, 29);
            assert_next(dispatch, 3, 28);
        } else {
            assert_next(dispatch, 4, 209); /* 6 (50 - 14.5 D) of the old steps, */
            assert_next(dispatch, 1, 31);  /* and 50 - 18 D */
        }
        dispatch_free(&dispatch);
    }
}

/* Two of three work at half their speed. Where their shares are not known, that is a queue; who had
 * all of its processor has none, whatever its core tasks took. */
static void times_say_what_nobody_reports(void **state)
{
    static const double unknown[WORKERS_MOST] = {0}, all[WORKERS_MOST] = {1, 1, 1};
    (void)state;
    for (int known = 0; known < 2; known++) {
        struct dispatch *dispatch = rule_new("dfss,power=measured", 1000, 3, NULL);
        struct package package[3];
        all_report(dispatch, known ? all : unknown);
        for (int64_t k = 0; k < 3; k++)
            package[k] = assert_next(dispatch, k + 1, 84);
        for (int64_t k = 0; k < 3; k++)
            dispatch_report(dispatch, &package[k],
                            (struct dispatch_times){0, k < 2 ? 168 : 84, known ? all[k] : 0});
        assert_next(dispatch, 1, known ? 42 : 31);
        dispatch_free(&dispatch);
    }
}

static void stages_are_shared_by_power(void **state)
{
    static const double weights[] = {1, 1, 2};
    (void)state;
    ASSERT_SIZES("dfss", 1000, 3, weights, {3, 250}, {1, 125}, {2, 125}, {3, 125}, {1, 63}, {2, 63},
                 {3, 63}, {1, 32}, {2, 32});
    ASSERT_SIZES("dfiss", 1000, 3, weights, {3, 83}, {1, 42}, {2, 42}, {3, 111}, {1, 56}, {2, 56},
                 {3, 139}, {1, 70}, {2, 70}, {3, 167}, {1, 84}, {2, 80});
    ASSERT_SIZES("dtfss", 1000, 3, weights, {3, 226}, {1, 113}, {2, 113}, {3, 160}, {1, 80},
                 {2, 80}, {3, 93}, {1, 47}, {2, 47}, {3, 27}, {1, 14});
}

/* The first worker's core tasks take 1 s and 3 s in turn, forty of them, before the second one has
 * reported its first, of 2 s: their mean over two says 2 s, the last one 3 s. */
static int64_t alternate(const char *rule)
{
    struct dispatch *dispatch = rule_new(rule, 1000, 2, NULL);
    struct package first = assert_next(dispatch, 1, 1), package;
    const struct package second = assert_next(dispatch, 2, 1);
    for (int k = 0; k < 40; k++) {
        dispatch_done(dispatch, &first, 0, k % 2 == 0 ? 1 : 3);
        if (k + 1 < 40)
            first = assert_next(dispatch, 1, 1);
    }
    dispatch_done(dispatch, &second, 0, 2);
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_SEND);
    dispatch_free(&dispatch);
    return package.count;
}

/* Of 959 core tasks that are left, half are shared: 479, equally or as 2 to 3. With a cost of 0.5 s
 * a package, 1 % of 2 s a core task is that of 25. */
static void monitor_finds_its_parameters(void **state)
{
    (void)state;
    assert_int_equal(alternate("monitor,eta=1"), 192);
    assert_int_equal(alternate("monitor,eta=2"), 240);
    assert_int_equal(alternate("monitor,eta=auto"), 240);
    assert_int_equal(alternate("monitor,eta=auto,r=auto"), 25);
    assert_int_equal(alternate("monitor,eta=2,r=25"), 25);
}

/* ---- whole runs of four workers without communication --------------------------------------- */

struct stage {
    struct platform_class classes[WORKERS_MOST];
    struct platform_window window;
    struct platform platform;
};

/* work_s of core tasks on a worker of speed 1. Of those that would end together the first one does,
 * by next to nothing. */
static void stage_init(struct stage *stage, int64_t tasks, double work_s, const double *speeds)
{
    *stage = (struct stage){.classes = {{.first = 0}}};
    for (int64_t k = 0; k < WORKERS_MOST; k++)
        stage->classes[k] = (struct platform_class){
            .first = k,
            .count = 1,
            .compute = {0, work_s / (double)tasks / speeds[k] * (1 + 1e-13 * (double)k)}};
    stage->window = (struct platform_window){
        .least = 1, .greatest = tasks, .classes = stage->classes, .class_count = WORKERS_MOST};
    stage->platform = (struct platform){.windows = &stage->window,
                                        .window_count = 1,
                                        .worker_count = WORKERS_MOST,
                                        .buffers = PLATFORM_BUFFERS};
}

/* What worker `at` has of its processor all the time, the others having all; ends by worker. */
static void rule_simulate(struct stage *stage, const char *rule, int64_t tasks, int64_t at,
                          double share, double ends_s[WORKERS_MOST])
{
    struct availability loads = {.series = NULL};
    struct scenario scenario = SCENARIO_INIT;
    struct dispatch_setup setup = {
        .rule = rule, .tasks = tasks, .workers = WORKERS_MOST, .ahead = 1};
    struct failure failure = FAILURE_INIT;
    struct simulation simulation;
    struct trace trace = {.count = 0};
    size_t places[WORKERS_MOST + 1] = {0};
    struct availability_series *series = availability_series(&loads, "loaded");
    assert_true(availability_add(series, 0, share, 1));
    places[at] = 1;
    loads.places = places;
    loads.workers = WORKERS_MOST;
    scenario.availability = &loads;
    double *weights = dispatch_setup_platform(&setup, &stage->platform);
    setup.most = tasks;
    struct dispatch *dispatch = dispatch_new_rule(&setup, &failure);
    if (!dispatch ||
        !simulate_scenario(&stage->platform, dispatch, &scenario, &trace, &simulation, &failure))
        fail_msg("%s", failure.text);
    for (int64_t k = 0; k < WORKERS_MOST; k++)
        ends_s[k] = 0;
    int64_t computed = 0;
    for (size_t k = 0; k < trace.count; k++)
        if (trace.events[k].operation == OPERATION_COMPUTE) {
            double *end_s = &ends_s[trace.events[k].rank - 1];
            *end_s = fmax(*end_s, trace.events[k].end_s);
            computed += trace.events[k].tasks;
        }
    assert_int_equal(computed, tasks);
    trace_release(&trace);
    dispatch_free(&dispatch);
    free(weights);
    loads.places = NULL;
    availability_release(&loads);
}

/* Xu and Chronopoulos, Table 2: published 12 12 11 86. */
static void trees_leave_a_loaded_last_worker_alone(void **state)
{
    static const double ascending[] = {1, 1, 1, 6}, descending[] = {6, 1, 1, 1};
    struct stage stage;
    double ends_s[WORKERS_MOST];
    (void)state;
    stage_init(&stage, 1200, 99, ascending);
    rule_simulate(&stage, "tree,grain=1", 1200, 4, 1, ends_s);
    for (int64_t k = 0; k < WORKERS_MOST; k++)
        assert_near(ends_s[k], k < 3 ? 10.97 : 11.01, 0.005);
    rule_simulate(&stage, "tree,grain=1", 1200, 4, 1 / 7.8, ends_s);
    for (int64_t k = 0; k < WORKERS_MOST; k++)
        assert_near(ends_s[k], k < 3 ? 10.97 : 85.91, 0.005);
    stage_init(&stage, 1200, 99, descending);
    static const double wanted[] = {20.81, 39.68, 20.71, 22.6};
    rule_simulate(&stage, "tree,grain=1", 1200, 1, 1 / 7.8, ends_s);
    for (int64_t k = 0; k < WORKERS_MOST; k++)
        assert_near(ends_s[k], wanted[k], 0.0055);
    /* The same workers from the other end. */
    stage_init(&stage, 1200, 99, ascending);
    rule_simulate(&stage, "tree,grain=1,order=descending", 1200, 4, 1 / 7.8, ends_s);
    assert_near(ends_s[3], wanted[0], 0.1);
}

/* Table 1: rows of the Mandelbrot set, every fourth one after the other, and run queues of 4, 3, 2
 * and 1 of which TSS knows nothing: published 64 47 47 45, and an imbalance of 19. */
static void tss_is_unbalanced_under_load(void **state)
{
    static const double speeds[] = {1 / 4.0, 1 / 3.0, 1 / 2.0, 1},
                        wanted[] = {53.4, 42.9, 62.5, 49.1};
    const double *costs = mandelbrot_rows();
    struct order order;
    struct stage stage;
    double ends_s[WORKERS_MOST], weights[ROWS];
    (void)state;
    assert_true(order_parse("stride:4", &order));
    order.tasks = ROWS;
    for (int64_t k = 0; k < ROWS; k++)
        weights[k] = costs[order_task(&order, k)];
    stage_init(&stage, ROWS, 108, speeds);
    stage.platform.work_tasks = ROWS;
    assert_true(work_weigh(&stage.platform.work, weights, ROWS));
    rule_simulate(&stage, "tss,step=real", ROWS, 1, 1, ends_s);
    for (int64_t k = 0; k < WORKERS_MOST; k++)
        assert_near(ends_s[k], wanted[k], 0.055);
    assert_near(ends_s[2] - ends_s[1], 19.6, 0.055);
    work_release(&stage.platform.work);
}

/* Table 1: run queues of 4, 3, 2 and 1, known beforehand: DTSS ends at once everywhere. */
static void dtss_ends_at_once_under_load(void **state)
{
    static const double speeds[] = {1 / 4.0, 1 / 3.0, 1 / 2.0, 1};
    struct stage stage;
    double ends_s[WORKERS_MOST];
    (void)state;
    stage_init(&stage, 1200, 110, speeds);
    rule_simulate(&stage, "dtss,power=real", 1200, 1, 1, ends_s);
    for (int64_t k = 0; k < WORKERS_MOST; k++)
        assert_near(ends_s[k], 52.8, 1e-9);
    static const double one_fast[] = {1, 1, 1, 6};
    stage_init(&stage, 1200, 99, one_fast);
    rule_simulate(&stage, "dtss,power=real", 1200, 1, 1, ends_s);
    assert_near(ends_s[0], 10.725, 1e-9);
    assert_near(fmin(ends_s[1], ends_s[2]), 10.8075, 1e-9); /* they ask together at 7.3425 s */
    assert_near(fmax(ends_s[1], ends_s[2]), 10.89, 1e-9);
    assert_near(ends_s[3], 11.09625, 1e-9);
}

/* Whoever is lost, every core task is owned by somebody. */
static void trees_hand_on_what_the_lost_owned(void **state)
{
    (void)state;
    for (int64_t lost = 0; lost < 4; lost++) {
        struct dispatch *dispatch = rule_new("tree,grain=5", 1000, 4, NULL);
        struct package package;
        int64_t tasks = 0;
        for (int k = 0; k < 8; k++) {
            assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_SEND);
            tasks += package.count;
            dispatch_done(dispatch, &package, 0, 1);
        }
        dispatch_lost(dispatch, lost);
        enum dispatch_answer answer;
        while ((answer = dispatch_next(dispatch, 0, &package)) == DISPATCH_SEND) {
            assert_int_not_equal(package.worker, lost);
            tasks += package.count;
            dispatch_done(dispatch, &package, 0, 1);
        }
        assert_int_equal(answer, DISPATCH_FINISHED);
        assert_int_equal(tasks, 1000);
        dispatch_free(&dispatch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dtss_counts_workers_as_processors),
        cmocka_unit_test(powers_are_rounded_as_asked),
        cmocka_unit_test(dtss_plans_anew_when_most_have_changed),
        cmocka_unit_test(dtss_is_as_printed),
        cmocka_unit_test(reported_queues_go_before_times),
        cmocka_unit_test(times_say_what_nobody_reports),
        cmocka_unit_test(stages_are_shared_by_power),
        cmocka_unit_test(monitor_finds_its_parameters),
        cmocka_unit_test(trees_leave_a_loaded_last_worker_alone),
        cmocka_unit_test(tss_is_unbalanced_under_load),
        cmocka_unit_test(dtss_ends_at_once_under_load),
        cmocka_unit_test(trees_hand_on_what_the_lost_owned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
