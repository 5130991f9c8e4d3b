/* What a report says of the processors that workers had, and of the network that they found. */
#include "planner/report/had.h"

#include <stdlib.h>

#include "planner/report/network.h"
#include "planner/report/replay.h"
#include "planner/report/sensed.h"

#include "tests/checks.h"

static double shares[] = {0.9, 0, 0.5};

static void is_said(void (*say)(const struct run_record *, struct text *),
                    const struct run_record *record, const char *wanted)
{
    struct text text = TEXT_INIT;
    say(record, &text);
    assert_string_equal(text.bytes ? text.bytes : "", wanted);
    text_release(&text);
}

static void column_is(const struct run_record *record, int64_t worker, const char *wanted)
{
    struct text text = TEXT_INIT;
    had_column(record, worker, &text);
    assert_string_equal(text.bytes ? text.bytes : "", wanted);
    text_release(&text);
}

/* The second worker is not known, nor is a fourth, who did not tell. */
static void the_mean_and_the_least_are_told(void **state)
{
    const struct run_record record = {.had = shares, .had_count = 3};
    struct text text = TEXT_INIT;
    (void)state;
    is_said(had_text, &record,
            "processors  workers had 70.0 % of theirs while they computed, worker 3 the least: "
            "50.0 %\n");
    is_said(had_head, &record, "  processors");
    column_is(&record, 0, "      90.0 %");
    column_is(&record, 1, "           -");
    column_is(&record, 3, "           -");
    struct json_text json = json_open(&text, "{", ", ");
    had_json(&record, 0, &json);
    json_close(&json, "}");
    assert_string_equal(text.bytes, "{\"availability\": 0.9}");
    text_release(&text);
    json = json_open(&text, "{", ", ");
    had_json(&record, 1, &json);
    json_close(&json, "}");
    assert_string_equal(text.bytes, "{\"availability\": null}");
    text_release(&text);
}

static void one_alone_is_no_least(void **state)
{
    const struct run_record record = {.had = shares, .had_count = 1};
    (void)state;
    is_said(had_text, &record, "processors  workers had 90.0 % of theirs while they computed\n");
}

static void what_nobody_knows_is_not_told(void **state)
{
    const struct run_record none = {.had_count = 0}, unknown = {.had = shares + 1, .had_count = 1};
    struct text text = TEXT_INIT;
    (void)state;
    is_said(had_text, &none, "");
    is_said(had_text, &unknown, "");
    is_said(had_head, &unknown, "");
    column_is(&unknown, 0, "");
    struct json_text json = json_open(&text, "{", ", ");
    had_json(&none, 0, &json);
    json_close(&json, "}");
    assert_string_equal(text.bytes, "{}");
    text_release(&text);
}

/* One class of which the profile says that it had 0.8, and one of which it says nothing; three
 * quarters of that, and half of all, were forecast, and of the network half. Messages are of
 * 16 KiB and 32 KiB a core task. */
struct shared_run {
    struct profile_worker workers[2];
    struct profile_window window;
    struct profile_setting setting;
    struct plan_shared shared[2];
    struct run_record record;
};

static void shared_run_init(struct shared_run *run)
{
    *run = (struct shared_run){
        .workers = {{.count = 1,
                     .link = {{2, 4}, {0}},
                     .compute = {{0, 1}, {0}},
                     .availability = 0.8,
                     .bandwidth = 2e9},
                    {.count = 1, .link = {{2, 4}, {0}}, .compute = {{0, 1}, {0}}}},
        .shared = {{1, 1, 0.75, 0, 0.5, 0}, {2, 2, 0.5, 0, 0, 0}}};
    run->window = (struct profile_window){1, 100, .workers = run->workers, .worker_count = 2};
    run->setting =
        (struct profile_setting){.windows = &run->window,
                                 .window_count = 1,
                                 .memory = {.message = 16384, .message_per_task = 32768}};
    run->record = (struct run_record){
        .plan = {.shared = run->shared, .shared_count = 2},
        .profile = {.settings = &run->setting, .setting_count = 1, .shared = true},
        .has_profile = true,
        .had = shares,
        .had_count = 1};
}

static void plans_stand_beside_what_was_had(void **state)
{
    struct shared_run run;
    struct text text = TEXT_INIT;
    (void)state;
    shared_run_init(&run);
    is_said(had_text, &run.record,
            "processors  workers had 90.0 % of theirs while they computed; planned with 60.0 %\n");
    run.record.had_count = 3; /* of the third one the profile knows nothing */
    is_said(had_text, &run.record,
            "processors  workers had 70.0 % of theirs while they computed, worker 3 the least: "
            "50.0 %\n");
    struct json_text json = json_open(&text, "{", ", ");
    had_json(&run.record, 1, &json);
    json_close(&json, "}");
    assert_string_equal(text.bytes, "{\"availability\": null, \"availability_planned\": 0.5}");
    text_release(&text);
}

static void package_add(struct network_finding *finding, int64_t worker, int64_t tasks,
                        double link_s)
{
    const struct replay_package package = {
        .worker = worker, .tasks = tasks, .cost = {.link_s = link_s}};
    network_finding_take(finding, &package);
}

/* Planned with half of 2 GB/s, by which packages of 2 and 9 core tasks take 10 and 38 s on their
 * way; they took 15 and 81, so that there were 0.5 GB/s. One of 48 KiB does not count, nor do those
 * of the second worker, of whose network nobody knew what it was. */
static void packages_find_bandwidth(void **state)
{
    struct shared_run run;
    struct network_finding finding;
    struct network network;
    struct failure failure = FAILURE_INIT;
    struct text text = TEXT_INIT;
    (void)state;
    shared_run_init(&run);
    assert_true(network_finding_init(&finding, &run.record, 2, &failure));
    package_add(&finding, 0, 2, 15);
    package_add(&finding, 0, 9, 81);
    package_add(&finding, 0, 1, 1000);
    package_add(&finding, 1, 9, 1000);
    package_add(&finding, 2, 9, 1000);
    package_add(&finding, -1, 9, 1000);
    assert_true(network_finding_end(&finding, &network, &failure));
    network_finding_release(&finding);
    assert_int_equal(network.count, 2);
    assert_true(network.workers[0].found_bytes_s == 0.5e9);
    assert_true(network.workers[0].planned_bytes_s == 1e9);
    assert_true(network.workers[1].found_bytes_s == 0);
    network_text(&network, &text);
    assert_string_equal(text.bytes, "network     packages found 0.5 GB/s; planned with 1 GB/s\n");
    text_release(&text);
    for (int64_t k = 0; k < 3; k++) {
        struct json_text json = json_open(&text, "{", ", ");
        network_json(&network, k, &json);
        json_close(&json, "}");
        assert_string_equal(text.bytes,
                            k == 0 ? "{\"bandwidth\": 500000000, \"bandwidth_planned\": 1000000000}"
                                   : "{\"bandwidth\": null, \"bandwidth_planned\": null}");
        text_release(&text);
    }
    network_release(&network);
}

/* By a link of 2 + 4 b s, for 2 core tasks of which twice the mean bytes are sent: 18 s. */
static void packages_find_what_was_sent(void **state)
{
    static const double sent[] = {2, 2, 0, 0};
    struct shared_run run;
    struct network_finding finding;
    struct network network;
    struct failure failure = FAILURE_INIT;
    (void)state;
    shared_run_init(&run);
    struct task_weights *weights = weights_alike(4);
    weights->bytes = weights_new("b", "", sent, 4);
    run.setting.weights = weights;
    run.record.tasks = 4;
    run.record.plan.tasks = 4;
    assert_true(network_finding_init(&finding, &run.record, 2, &failure));
    package_add(&finding, 0, 2, 36);
    assert_true(network_finding_end(&finding, &network, &failure));
    network_finding_release(&finding);
    assert_true(network.workers[0].found_bytes_s == 0.5e9);
    network_release(&network);
    weights_free(weights);
}

static void least_bandwidth_is_named(void **state)
{
    struct network_worker workers[] = {{2e9, 1e9}, {0, 0}, {1e9, 3e9}};
    const struct network network = {workers, 3};
    struct text text = TEXT_INIT;
    (void)state;
    network_text(&network, &text);
    assert_string_equal(text.bytes, "network     packages found 1.5 GB/s, worker 3 the least: 1 "
                                    "GB/s; planned with 2 GB/s\n");
    text_release(&text);
}

/* Messages that are small, a profile that does not say its bandwidth, or none. */
static void nothing_is_found_where_nothing_is_known(void **state)
{
    struct shared_run run;
    struct network_finding finding;
    struct network network;
    struct failure failure = FAILURE_INIT;
    struct text text = TEXT_INIT;
    (void)state;
    for (int turn = 0; turn < 3; turn++) {
        shared_run_init(&run);
        if (turn == 0)
            run.setting.memory.message_per_task = 100;
        run.workers[0].bandwidth = turn == 1 ? 0 : 2e9;
        run.record.has_profile = turn != 2;
        assert_true(network_finding_init(&finding, &run.record, 2, &failure));
        package_add(&finding, 0, 9, 81);
        assert_true(network_finding_end(&finding, &network, &failure));
        network_finding_release(&finding);
        assert_int_equal(network.count, 0);
        network_text(&network, &text);
        assert_null(text.bytes);
    }
}

/* The first class is on one node, the second one on two; nobody knows anything of a third. */
static void runs_are_looks_at_their_nodes(void **state)
{
    struct shared_run run;
    struct failure failure = FAILURE_INIT;
    struct text text = TEXT_INIT;
    char one[] = "n1:1", two[] = "n2:1 to n3:4";
    (void)state;
    shared_run_init(&run);
    run.workers[0].name = one;
    run.workers[1].name = two;
    run.workers[1].count = 3;
    run.record.had_count = 3;
    const struct trace_event event = {1, OPERATION_COMPUTE, 0, 0, 0, 1, 0, 1};
    assert_true(trace_add(&run.record.trace, &event));
    assert_true(sensed_lines(&run.record, 1.5, &text, &failure));
    assert_string_equal(text.bytes, "1.500\tn1\tcpu\t0.9\n1.500\tn2\tcpu\t0.5\n"
                                    "1.500\tn3\tcpu\t0.5\n");
    text_release(&text);
    run.record.had_count = 0;
    assert_false(sensed_lines(&run.record, 1.5, &text, &failure));
    assert_failure(failure, FAILURE_MISMATCH,
                   "the run did not record what its workers had of their processors, or on which "
                   "nodes they were: use 'scow sense' there");
    trace_release(&run.record.trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mean_and_the_least_are_told),
        cmocka_unit_test(one_alone_is_no_least),
        cmocka_unit_test(what_nobody_knows_is_not_told),
        cmocka_unit_test(plans_stand_beside_what_was_had),
        cmocka_unit_test(packages_find_bandwidth),
        cmocka_unit_test(packages_find_what_was_sent),
        cmocka_unit_test(least_bandwidth_is_named),
        cmocka_unit_test(nothing_is_found_where_nothing_is_known),
        cmocka_unit_test(runs_are_looks_at_their_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
