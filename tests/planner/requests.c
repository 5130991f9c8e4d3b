/* The cost of requests: the simulation spends it where a run does, and it is found again in the
 * trace. */
#include "planner/model/requests.h"

#include <inttypes.h>
#include <math.h>

#include "planner/dispatch/dispatch.h"
#include "planner/simulate/scenario.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

static struct simulation simulate(const struct platform *platform,
                                  const struct dispatch_setup *setup, struct trace *trace)
{
    const struct scenario usual = SCENARIO_INIT;
    struct simulation simulation = {0};
    struct failure failure = FAILURE_INIT;
    struct dispatch *dispatch = dispatch_new_rule(setup, &failure);
    if (!dispatch || !simulate_scenario(platform, dispatch, &usual, trace, &simulation, &failure))
        fail_msg("%s", failure.text);
    dispatch_free(&dispatch);
    return simulation;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* One worker that asks: everything comes one after the other, but for the first request. */
static void one_worker_waits_for_every_answer(void **state)
{
    enum { TASKS = 50 };
    struct platform_class class = {
        .count = 1, .link = {3e-4, 0}, .compute = {0, 1e-2}, .request = {2e-3, 1e-5}};
    struct platform_window window = {.least = 1,
                                     .greatest = 1,
                                     .envelope = {1e-4, 0},
                                     .send = {2e-4, 0},
                                     .classes = &class,
                                     .class_count = 1,
                                     .answer = {5e-4, 0}};
    const struct platform platform = {
        .windows = &window, .window_count = 1, .worker_count = 1, .buffers = 2};
    const struct dispatch_setup setup = {
        .rule = "ss", .tasks = TASKS, .workers = 1, .ahead = 1, .least = 1, .most = 1};
    (void)state;
    const double package_s = 1e-4 + 2e-4 + 3e-4 + 1e-2, request_s = 2e-3 + 1e-5;
    const struct simulation simulation = simulate(&platform, &setup, NULL);
    assert_true(near(simulation.makespan_s, TASKS * package_s + (TASKS - 1) * request_s));
    /* An answer that takes longer than the request says takes that long all the same. */
    window.answer.latency_s = 7e-3;
    assert_true(
        near(simulate(&platform, &setup, NULL).makespan_s, TASKS * package_s + (TASKS - 1) * 7e-3));
    /* With two packages ahead they hide behind the work. */
    struct dispatch_setup ahead = setup;
    ahead.ahead = 2;
    window.answer.latency_s = 5e-4;
    assert_true(near(simulate(&platform, &ahead, NULL).makespan_s, 6e-4 + TASKS * 1e-2));
}

/* Source 002: 26 workers, packages of 400 of 12^6 tasks, assigned on request, took 3.46 s, where
 * envelopes and sends alone take 2.66: what a request took of the master's time there. */
static void a_busy_master_pays_for_every_answer(void **state)
{
    enum { WORKERS = 26, TASKS = 2985984, PACKAGE = 400 };
    struct platform_class class = {
        .count = WORKERS, .receive = {2.3e-5, 3.9e-7}, .compute = {2.0e-5, 1.1e-5}};
    struct platform_window window = {.least = 1,
                                     .greatest = 450,
                                     .envelope = {2.2e-5, 4.6e-7},
                                     .send = {2.2e-5, 3.2e-7},
                                     .classes = &class,
                                     .class_count = 1};
    const struct platform platform = {
        .windows = &window, .window_count = 1, .worker_count = WORKERS, .buffers = 2};
    const struct dispatch_setup setup = {.rule = "fsc",
                                         .tasks = TASKS,
                                         .workers = WORKERS,
                                         .ahead = 1,
                                         .least = PACKAGE,
                                         .most = PACKAGE};
    const double packages = ceil((double)TASKS / PACKAGE);
    (void)state;
    const double before_s = simulate(&platform, &setup, NULL).makespan_s;
    assert_true(fabs(before_s - 2.66) < 0.01);
    window.answer.latency_s = (3.46 - before_s) / packages;
    const double after_s = simulate(&platform, &setup, NULL).makespan_s;
    assert_true(fabs(after_s - 3.46) < 0.01);
}

static double longest(const struct requests *requests, bool waited)
{
    double most_s = 0;
    for (size_t i = 0; i < requests->count; i++)
        if ((requests->items[i].late_s <= 0) == waited)
            most_s = fmax(most_s, requests->items[i].seconds);
    return most_s;
}

/* What was put into a simulation comes out of its trace: no request of a waiting master takes less
 * than was put in. A busy one takes in all reports that have come before it sends again, so that
 * its own part is the mean. */
static void a_trace_gives_them_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct dice dice = {seed};
        const int64_t workers = dice_whole(&dice, 1, 9);
        const double request_s = dice_scale(&dice, 1e-4, 1e-2);
        const double answer_s = request_s * dice_unit(&dice);
        struct platform_class class = {.count = workers,
                                       .link = {dice_scale(&dice, 1e-5, 1e-3), 0},
                                       .compute = {0, dice_scale(&dice, 1e-4, 1)},
                                       .request = {request_s, 0}};
        struct platform_window window = {.least = 1,
                                         .greatest = 1000,
                                         .envelope = {dice_scale(&dice, 1e-5, 1e-2), 0},
                                         .send = {1e-5, 0},
                                         .classes = &class,
                                         .class_count = 1,
                                         .answer = {answer_s, 0}};
        const struct platform platform = {
            .windows = &window, .window_count = 1, .worker_count = workers, .buffers = 2};
        const int ahead = (int)dice_whole(&dice, 1, 3);
        const struct dispatch_setup setup = {.rule = "fac",
                                             .tasks = 1000,
                                             .workers = workers,
                                             .ahead = ahead,
                                             .least = 1,
                                             .most = 1000};
        struct trace trace = {.count = 0};
        struct requests requests;
        const struct simulation simulation = simulate(&platform, &setup, &trace);
        assert_true(requests_find(&trace, ahead, &requests));
        if (simulation.packages > workers * ahead)
            assert_int_equal(requests.count, simulation.packages - workers * ahead);
        for (size_t i = 0; i < requests.count; i++) {
            const struct request *request = &requests.items[i];
            if (request->late_s <= 0 && request->seconds < request_s - 1e-9)
                fail_msg("seed %" PRIu64 ": %.9g s, and %.9g s at least", seed, request->seconds,
                         request_s);
        }
        /* One worker's requests are never in each other's way. */
        if (workers == 1 && ahead == 1)
            assert_true(fabs(longest(&requests, true) - request_s) < 1e-9 &&
                        longest(&requests, false) == 0);
        requests_release(&requests);
        trace_release(&trace);
    }
}

/* Workers that are done at once keep the master busy all the time. */
static void a_busy_trace_gives_the_answers_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct dice dice = {seed};
        const int64_t workers = dice_whole(&dice, 8, 20);
        const double answer_s = dice_scale(&dice, 1e-6, 1e-3);
        struct platform_class class = {
            .count = workers, .compute = {0, 1e-9}, .request = {answer_s, 0}};
        struct platform_window window = {.least = 1,
                                         .greatest = 1,
                                         .envelope = {1e-3, 0},
                                         .classes = &class,
                                         .class_count = 1,
                                         .answer = {answer_s, 0}};
        const struct platform platform = {
            .windows = &window, .window_count = 1, .worker_count = workers, .buffers = 2};
        const struct dispatch_setup setup = {
            .rule = "ss", .tasks = 2000, .workers = workers, .ahead = 1, .least = 1, .most = 1};
        struct trace trace = {.count = 0};
        struct requests requests;
        simulate(&platform, &setup, &trace);
        assert_true(requests_find(&trace, 1, &requests));
        assert_int_equal(requests.count, 2000 - workers);
        const double mean_s = requests_sum(&requests) / (double)requests.count;
        if (fabs(mean_s / answer_s - 1) > 0.02)
            fail_msg("seed %" PRIu64 ": %.9g s, and %.9g s were put in", seed, mean_s, answer_s);
        requests_release(&requests);
        trace_release(&trace);
    }
}

/* Dearer requests never make one-task packages on equal workers end earlier. */
static void dearer_requests_take_longer(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct dice dice = {seed};
        const int64_t workers = dice_whole(&dice, 1, 12);
        struct platform_class class = {.count = workers,
                                       .compute = {0, dice_scale(&dice, 1e-3, 1)}};
        struct platform_window window = {.least = 1,
                                         .greatest = 1,
                                         .envelope = {dice_scale(&dice, 1e-5, 1e-2), 0},
                                         .classes = &class,
                                         .class_count = 1};
        const struct platform platform = {
            .windows = &window, .window_count = 1, .worker_count = workers, .buffers = 2};
        const struct dispatch_setup setup = {
            .rule = "ss", .tasks = 200, .workers = workers, .ahead = 1, .least = 1, .most = 1};
        double before_s = 0;
        for (int k = 0; k < 8; k++) {
            const double now_s = simulate(&platform, &setup, NULL).makespan_s;
            if (now_s < before_s * (1 - 1e-12))
                fail_msg("seed %" PRIu64 ", step %d: %.9g s after %.9g s", seed, k, now_s,
                         before_s);
            before_s = now_s;
            class.request.latency_s += 3e-4;
            window.answer.latency_s += 1e-4;
        }
    }
}

/* Traces of files may hold anything. */
static void odd_traces_ask_for_nothing(void **state)
{
    struct trace_event events[] = {
        {0, OPERATION_SEND, 0, 7, 0, 1, 0, 1},
        {0, OPERATION_SEND, 0, -1, 0, 1, 0, 1},
        {1, OPERATION_COMPUTE, 0, 0, 0, 1, 1, 2},
        {1, OPERATION_COMPUTE, 0, 2, 0, 1, 3, 4},
    };
    const struct trace trace = {.events = events, .count = sizeof events / sizeof *events};
    const struct trace none = {.count = 0};
    struct requests requests;
    (void)state;
    assert_true(requests_find(&trace, 1, &requests));
    assert_int_equal(requests.count, 0);
    requests_release(&requests);
    assert_true(requests_find(&none, 1, &requests));
    assert_int_equal(requests.count, 0);
    assert_true(requests_sum(&requests) == 0);
    requests_release(&requests);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_worker_waits_for_every_answer),
        cmocka_unit_test(a_busy_master_pays_for_every_answer),
        cmocka_unit_test(a_trace_gives_them_back),
        cmocka_unit_test(a_busy_trace_gives_the_answers_back),
        cmocka_unit_test(dearer_requests_take_longer),
        cmocka_unit_test(odd_traces_ask_for_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
