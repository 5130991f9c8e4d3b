/* Why runs of several masters, and of trees, took longer or shorter than predicted: where their
 * workers' time went, and the sentence that says so. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "planner/files/plan_json.h"
#include "planner/model/platform.h"
#include "planner/report/causes.h"
#include "planner/report/masters.h"
#include "planner/simulate/scenario.h"
#include "planner/simulate/simulate.h"
#include "tests/checks.h"
#include "tests/planner/parsed.h"
#include "tests/planner/runs.h"

/* Two masters of two workers each, ranks 0 and 3; the first one's part is the larger. */
enum { SECOND_MASTER = 3, STARS = 2, WORKERS = 6 };
static const char plan_text[] =
    "{\"schema\": \"scow-plan-1\", \"kernel\": \"sleep\", \"scheduler\": \"by hand\", \"tasks\": "
    "36, \"stars\": ["
    "{\"scheduler\": \"by hand\", \"tasks\": 20, \"workers\": [0, 1], \"rounds\": [{\"repeat\": 2, "
    "\"loads\": [5, 5]}]},"
    "{\"master\": 3, \"scheduler\": \"by hand\", \"tasks\": 16, \"workers\": [3, 4], \"rounds\": "
    "[{\"repeat\": 2, \"loads\": [4, 4]}]}],"
    "\"predicted\": {\"makespan_s\": 11, \"interval\": [10, 12]}}";
static const char profile_text[] =
    "{\"schema\": \"scow-profile-1\", \"kernel\": \"sleep\", \"settings\": [{\"windows\": "
    "[{\"tasks\": [1, 1000],"
    "\"envelope\": {\"latency_s\": %g, \"s_per_task\": 0}, \"send\": {\"latency_s\": 0, "
    "\"s_per_task\": 0},"
    "\"workers\": [{\"count\": %d, \"link\": {\"latency_s\": %g, \"s_per_task\": 0}, \"receive\": "
    "{\"latency_s\": 0.25, \"s_per_task\": 0},"
    "\"compute\": {\"latency_s\": 0, \"s_per_task\": %g}}]}]}]}";

/* What a star's run had. */
struct had {
    double envelope_s, s_per_task;
    double later_s; /* it began so much later */
    double lost_s;  /* its first worker was lost then; 0: none was */
    double link_s;
};

static const struct had planned = {0.5, 1, 0, 0, 0};

static struct profile profile_make(const struct had *had)
{
    return profile_read(profile_text, had->envelope_s, WORKERS, had->link_s, had->s_per_task);
}

/* As its master sees it: its workers are 0 and 1. */
static void star_simulate(const struct plan *star, const struct had *had, struct trace *trace)
{
    int64_t workers[] = {0, 1};
    struct profile profile = profile_make(had);
    struct scenario scenario = SCENARIO_INIT;
    struct platform platform;
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    struct plan plan = *star;
    plan.workers = workers;
    if (had->lost_s > 0)
        scenario = (struct scenario){
            .slow_factor = 1, .outlier_factor = 1, .lost_worker = 0, .lost_s = had->lost_s};
    assert_true(platform_init(&platform, &profile.settings[0], 2, &failure));
    struct dispatch *dispatch = dispatch_new_recovery(dispatch_new_plan(&plan), 2);
    assert_non_null(dispatch);
    if (!simulate_scenario(&platform, dispatch, &scenario, trace, &simulation, &failure))
        fail_msg("%s", failure.text);
    dispatch_free(&dispatch);
    platform_release(&platform);
    profile_release(&profile);
}

/* What the lost one had not reported is not in a run's trace. */
static bool is_gone(const struct trace *trace, const struct trace_event *event, double lost_s)
{
    for (size_t k = 0; lost_s > 0 && event->rank == 1 && k < trace->count; k++)
        if (trace->events[k].rank == 1 && trace->events[k].package == event->package &&
            trace->events[k].end_s > lost_s)
            return true;
    return false;
}

static void star_run(const struct plan *star, const struct had *had, struct trace *to)
{
    struct trace trace = {.count = 0};
    star_simulate(star, had, &trace);
    for (size_t k = 0; k < trace.count; k++) {
        struct trace_event event = trace.events[k];
        if (is_gone(&trace, &event, had->lost_s))
            continue;
        event.rank += (int32_t)star->master;
        event.start_s += had->later_s;
        event.end_s += had->later_s;
        event.first += (int64_t)star->first;
        assert_true(trace_add(to, &event));
    }
    trace_release(&trace);
}

/* There is room for them. */
static void loss_add(struct run_record *record, int64_t worker, double time_s)
{
    record->losses[record->loss_count++] = (struct run_loss){.worker = worker, .time_s = time_s};
}

/* To be released. */
static struct run_record run_of(const struct had *first, const struct had *second)
{
    const struct had *had[STARS] = {first, second};
    struct failure failure = FAILURE_INIT;
    struct run_record record = {.has_profile = true, .tasks = 36, .tasks_done = 36};
    record.kernel = strdup("sleep");
    record.losses = calloc(STARS, sizeof *record.losses);
    assert_non_null(record.losses);
    record.profile = profile_make(&planned);
    if (!plan_parse_any(&record.plan, plan_text, strlen(plan_text), "p.json", &failure))
        fail_msg("%s", failure.text);
    for (size_t k = 0; k < STARS; k++) {
        star_run(&record.plan.stars[k], had[k], &record.trace);
        if (had[k]->lost_s > 0)
            loss_add(&record, record.plan.stars[k].workers[0], had[k]->lost_s);
    }
    return record;
}

/* Owned. */
static char *explanation_of(const struct run_record *record)
{
    json_t *json = run_report(record);
    const char *words = json_string_value(json_object_get(json, "explanation"));
    assert_non_null(words);
    char *copy = strdup(words);
    json_decref(json);
    return copy;
}

static void explained_as(const struct run_record *record, const char *expected)
{
    char *words = explanation_of(record);
    assert_string_equal(words, expected);
    free(words);
}

/* What each of the workers did and waited for is the makespan, and together it is the sums. */
static void all_adds_up(json_t *json, const char *which)
{
    json_t *operations = json_object_get(json, "operations"),
           *causes = json_object_get(json, "causes"), *row, *value;
    const double makespan_s = run_member(json, which[0] == 'p' ? "predicted_s" : "measured_s");
    static const char *const own[] = {"start", "receive", "compute", "output"};
    double idle_s = 0;
    size_t index;
    const char *key;
    json_array_foreach(json_object_get(json, "workers"), index, row)
    {
        double all_s = 0, waits_s = 0;
        for (size_t k = 0; k < COUNT_OF(own); k++)
            all_s += run_member(json_object_get(json_object_get(row, "operations"), own[k]), which);
        json_object_foreach(json_object_get(row, "causes"), key, value) waits_s +=
            run_member(value, which);
        idle_s += waits_s;
        if (fabs(all_s + waits_s - makespan_s) > 1e-9)
            fail_msg("worker %zu: %s %g and %g of %g", index, which, all_s, waits_s, makespan_s);
        assert_true(
            fabs(run_member(json_object_get(json_object_get(row, "operations"), "idle"), which) -
                 waits_s) < 1e-9);
    }
    assert_true(fabs(run_member(json_object_get(operations, "idle"), which) - idle_s) < 1e-9);
    json_object_foreach(causes, key, value) idle_s -= run_member(value, which);
    assert_true(fabs(idle_s) < 1e-9);
}

static void both_add_up(const struct run_record *record)
{
    json_t *json = run_report(record);
    assert_int_equal(json_array_size(json_object_get(json, "workers")), 4);
    all_adds_up(json, "predicted_s");
    all_adds_up(json, "measured_s");
    json_decref(json);
}

/* The one with less to do is done earlier: its workers wait for the end of all. */
static void a_run_as_planned(void **state)
{
    struct run_record record = run_of(&planned, &planned);
    struct residuals residuals;
    struct failure failure = FAILURE_INIT;
    (void)state;
    explained_as(&record, "The run went as predicted, to 0.0 %.");
    both_add_up(&record);
    assert_true(residuals_make(&record, &residuals, &failure));
    const double ends_s =
        residuals.stars[0].measured.makespan_s - residuals.stars[1].measured.makespan_s;
    assert_true(ends_s > 1);
    assert_true(causes_worker(&residuals.causes.measured, SECOND_MASTER + 1).seconds[CAUSE_END] >=
                ends_s);
    assert_true(residuals.interval_s[0] == 10 && residuals.interval_s[1] == 12);
    const double share = (2 * 20 + 2 * 16 + 8 * 0.25 - 36) / (4 * residuals.measured.makespan_s);
    assert_true(fabs(residuals.measured.worker_busy_share - share) < 1e-12);
    residuals_release(&residuals);
    run_record_release(&record);
}

/* Its own workers wait for it, and no other master had anything to do with that. */
static void a_slow_master_is_named(void **state)
{
    const struct had slow = {.envelope_s = 3, .s_per_task = 1};
    struct run_record record = run_of(&planned, &slow);
    (void)state;
    explained_as(&record, "The run took 41.3 % longer than predicted: worker 5, which ended last, "
                          "spent 4.750 s more on waiting for packages. With this run's own costs "
                          "the plan takes 41.3 % more (preparing packages costs 500 % more than at "
                          "calibration, at master 3); the model itself is 0 % off.");
    both_add_up(&record);
    run_record_release(&record);
}

static void slow_workers_of_a_star_are_counted(void **state)
{
    const struct had slow = {.envelope_s = 0.5, .s_per_task = 2};
    struct run_record record = run_of(&planned, &slow);
    (void)state;
    explained_as(&record, "The run took 52.2 % longer than predicted: worker 5, which ended last, "
                          "spent 8.000 s more on computing core tasks. With this run's own costs "
                          "the plan takes 52.2 % more (computing core tasks costs 100 % more than "
                          "at calibration, on 2 of 4 workers); the model itself is 0 % off.");
    both_add_up(&record);
    run_record_release(&record);
}

/* Until then its workers have waited for their first package. */
static void a_star_that_began_late(void **state)
{
    const struct had late = {.envelope_s = 0.5, .s_per_task = 1, .later_s = 5};
    struct run_record record = run_of(&planned, &late);
    (void)state;
    explained_as(
        &record,
        "The run took 26.1 % longer than predicted: worker 5, which ended last, spent 3.000 s more "
        "on waiting for packages. With this run's own costs and beginnings the plan takes 26.1 % "
        "more (master 3 began 5.000 s after the first one); the model itself is 0 % off.");
    both_add_up(&record);
    run_record_release(&record);
}

/* The others of its star do what it had: what that costs is the whole run's. */
static void a_lost_worker_has_a_price(void **state)
{
    const struct had lost = {.envelope_s = 0.5, .s_per_task = 1, .lost_s = 5};
    struct run_record record = run_of(&planned, &lost);
    (void)state;
    explained_as(&record, "The loss of 1 worker costs 2.750 s by the model, which had predicted "
                          "11.50 s without it. The run went as predicted, to 0.0 %. A worker was "
                          "lost during the run, and others did its core tasks.");
    run_record_release(&record);
}

/* ---- trees ---------------------------------------------------------------------------------- */

/* Two groups of two workers each; what rank 0 has takes no time. */
static const char tree_text[] =
    "{\"schema\": \"scow-plan-1\", \"kernel\": \"sleep\", \"scheduler\": \"by hand\", \"tasks\": "
    "36, \"workers\": [0, 3], \"rounds\": [{\"repeat\": 1, \"loads\": [20, 16]}], \"children\": ["
    "{\"scheduler\": \"by hand\", \"tasks\": 20, \"workers\": [1, 2], \"rounds\": [{\"repeat\": 1, "
    "\"loads\": [10, 10]}]},"
    "{\"scheduler\": \"by hand\", \"tasks\": 16, \"workers\": [4, 5], \"rounds\": [{\"repeat\": 1, "
    "\"loads\": [8, 8]}]}]}";

/* A package that a worker, or the master of a group, gets at that time and then works on. */
static void package_add(struct run_record *record, int32_t master, int32_t rank, int32_t number,
                        int64_t tasks, double at_s, double works_s)
{
    const double prepared_s = at_s + 0.5;
    const struct trace_event events[] = {
        {.rank = master, .operation = OPERATION_ENVELOPE, .start_s = at_s, .end_s = prepared_s},
        {.rank = rank, .operation = OPERATION_RECEIVE, .start_s = prepared_s, .end_s = prepared_s},
        {.rank = rank,
         .operation = OPERATION_COMPUTE,
         .start_s = prepared_s,
         .end_s = prepared_s + works_s}};
    for (size_t k = 0; k < COUNT_OF(events); k++) {
        struct trace_event event = events[k];
        event.package = number;
        event.tasks = tasks;
        assert_true(trace_add(&record->trace, &event));
    }
}

/* One that rank 4 begins to pack then, which takes it 3 s, for one of its workers. */
static void package_late(struct run_record *record, int32_t rank, int32_t number, double at_s,
                         double works_s)
{
    const size_t first = record->trace.count;
    package_add(record, 4, rank, number, 4, at_s, works_s);
    struct trace_event *events = &record->trace.events[first];
    events[0].end_s = events[1].start_s = events[1].end_s = events[2].start_s = at_s + 3;
    events[2].end_s = at_s + 3 + works_s;
}

/* To be released. What a group's master gets it has passed on at once. */
static struct run_record tree_run(void)
{
    const struct had linked = {.envelope_s = 0.5, .s_per_task = 1, .link_s = 0.25};
    struct failure failure = FAILURE_INIT;
    struct run_record record = {.has_profile = true, .tasks = 36, .tasks_done = 36};
    record.kernel = strdup("sleep");
    record.profile = profile_make(&linked);
    if (!plan_parse_any(&record.plan, tree_text, strlen(tree_text), "p.json", &failure))
        fail_msg("%s", failure.text);
    package_add(&record, 0, 1, 0, 20, 0, 0);
    package_add(&record, 0, 4, 1, 16, 0.5, 0);
    package_add(&record, 1, 2, 0, 10, 0.5, 10);
    package_add(&record, 1, 3, 1, 10, 1, 14);
    package_add(&record, 4, 5, 0, 8, 1, 8);
    package_add(&record, 4, 6, 1, 8, 1.5, 8);
    return record;
}

/* They get packages, but it is their workers' time that is explained. */
static void masters_of_groups_are_no_workers(void **state)
{
    struct run_record record = tree_run();
    size_t index;
    json_t *row;
    (void)state;
    json_t *json = run_report(&record);
    static const int workers[] = {1, 2, 4, 5};
    assert_int_equal(json_array_size(json_object_get(json, "workers")), COUNT_OF(workers));
    json_array_foreach(json_object_get(json, "workers"), index, row)
    {
        assert_true(run_member(row, "worker") == workers[index]);
    }
    all_adds_up(json, "measured_s");
    all_adds_up(json, "predicted_s");
    assert_true(run_member(json, "measured_s") == 15.5);
    assert_non_null(strstr(json_string_value(json_object_get(json, "explanation")),
                           "worker 3, which ended last, spent "));
    json_array_foreach(json_object_get(json, "rounds"), index, row)
    {
        assert_true(json_is_null(json_object_get(row, "predicted_end_s")));
    }
    json_decref(json);
    run_record_release(&record);
}

/* Rank 4 has its group's core tasks at 1 s, packs each package for 3 s, and its second worker gets
 * another one at the end: what its workers wait for is rank 4, and those of the other group do not
 * wait for it. */
static void a_late_groups_master_is_named(void **state)
{
    struct failure failure = FAILURE_INIT;
    struct run_record record = tree_run();
    struct residuals residuals;
    (void)state;
    record.trace.count -= 6;
    package_late(&record, 5, 0, 1, 4);
    package_late(&record, 6, 1, 4, 4);
    package_late(&record, 5, 2, 8, 4);
    package_late(&record, 6, 3, 14, 4);
    assert_true(residuals_make(&record, &residuals, &failure));
    const struct causes *causes = &residuals.causes.measured;
    for (int64_t worker = 1; worker <= 2; worker++)
        assert_true(causes_worker(causes, worker).seconds[CAUSE_MASTER] == 0);
    /* At 4 and 7 the first ones are there; done at 8 and 11, and the next ones at 11 and 17. */
    assert_true(causes_worker(causes, 4).seconds[CAUSE_START] == 4);
    assert_true(causes_worker(causes, 4).seconds[CAUSE_MASTER] == 3);
    assert_true(causes_worker(causes, 5).seconds[CAUSE_START] == 7);
    assert_true(causes_worker(causes, 5).seconds[CAUSE_MASTER] == 6);
    assert_true(causes_worker(causes, 3).busy_s == 0); /* rank 4 is none */
    residuals_release(&residuals);
    json_t *json = run_report(&record);
    all_adds_up(json, "measured_s");
    all_adds_up(json, "predicted_s");
    assert_non_null(strstr(json_string_value(json_object_get(json, "explanation")),
                           " more on waiting for packages, of rank 4, its group's master."));
    json_decref(json);
    run_record_release(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_as_planned),
        cmocka_unit_test(a_slow_master_is_named),
        cmocka_unit_test(slow_workers_of_a_star_are_counted),
        cmocka_unit_test(a_star_that_began_late),
        cmocka_unit_test(a_lost_worker_has_a_price),
        cmocka_unit_test(masters_of_groups_are_no_workers),
        cmocka_unit_test(a_late_groups_master_is_named),
    };
    tests_choose();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
