/* What a run has sent compared with its prediction, where no plan says what it sends. */
#include "planner/report/report.h"

#include <math.h>

#include "planner/model/platform.h"
#include "planner/report/prediction.h"
#include "planner/report/resumed.h"
#include "planner/simulate/simulate.h"
#include "tests/checks.h"
#include "tests/planner/runs.h"
#include "tests/planner/samples.h"

/* A run that was resumed, to be released. */
static void resumed_sample(uint64_t seed, struct run_record *record)
{
    run_sample(seed, 0, record);
    record->resumed = 1;
    record->complete = true;
}

/* Between core tasks that were done before, less may be left than any package that was measured: it
 * is predicted as the nearest of these. */
static void what_was_left_may_lie_in_no_window(void **state)
{
    struct run_record record;
    (void)state;
    resumed_sample(5, &record);
    assert_true(run_record_last_part(&record));
    json_t *before = run_report(&record);
    for (size_t k = 0; k < record.profile.settings[0].window_count; k++) {
        record.profile.settings[0].windows[k].least += INT64_C(1) << 40;
        record.profile.settings[0].windows[k].greatest += INT64_C(1) << 40;
    }
    json_t *after = run_report(&record);
    assert_true(run_member(before, "predicted_s") > 0 && run_member(after, "predicted_s") > 0);
    run_tells(&record, "resumed     once");
    json_decref(before);
    json_decref(after);
    run_record_release(&record);
}

/* Of a plan on the record's profile, whose costs vary along the job. */
static double simulated_s(const struct run_record *record, const struct plan *plan)
{
    const struct profile_setting *setting = &record->profile.settings[0];
    struct platform platform;
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    assert_true(platform_init(&platform, setting, 0, &failure));
    platform.buffers = plan_buffers(plan);
    assert_true(platform_map(&platform, setting, (double)record->tasks, &failure));
    if (!simulate_plan(&platform, plan, NULL, &simulation, &failure))
        fail_msg("%s", failure.text);
    platform_release(&platform);
    return simulation.makespan_s;
}

/* The first quarter of the job costs more. */
static void map_make(struct run_record *record)
{
    struct work *work = &record->profile.settings[0].map.work;
    work->tasks = 4 * (record->tasks / 4 > 0 ? record->tasks / 4 : 1);
    work->region_count = 2;
    work->regions = calloc(2, sizeof *work->regions);
    assert_non_null(work->regions);
    work->regions[0] = (struct work_region){.tasks = work->tasks / 4, .cost = 3};
    work->regions[1] = (struct work_region){.tasks = 3 * (work->tasks / 4), .cost = 1};
    assert_true(work_settle(work));
}

/* As the simulation of a plan of the same packages; numbers may be left out. */
static void what_was_sent_is_predicted_as_a_plan_of_it(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct run_record record;
        run_sample(seed, 0.2, &record);
        map_make(&record);
        const double planned_s = simulated_s(&record, &record.plan);
        assert_true(run_record_sent(&record));
        assert_false(record.spread);
        const double sent_s = simulated_s(&record, &record.plan), here_s = prediction_end(&record);
        for (size_t k = 0; k < record.trace.count; k++)
            record.trace.events[k].package = 5 + 3 * record.trace.events[k].package;
        const double renumbered_s = prediction_end(&record);
        if (!(fabs(here_s - planned_s) <= 1e-9 * planned_s) || here_s != sent_s ||
            here_s != renumbered_s)
            fail_msg("seed %d: %.17g planned, %.17g sent, %.17g and %.17g predicted", (int)seed,
                     planned_s, sent_s, here_s, renumbered_s);
        run_record_release(&record);
    }
}

/* The order in which pieces of a job were sent is not that of their places in it. */
static void what_was_sent_costs_what_its_places_do(void **state)
{
    struct run_record record;
    (void)state;
    run_sample(8, 0, &record);
    map_make(&record);
    assert_true(run_record_sent(&record));
    const double before_s = prediction_end(&record);
    for (size_t k = 0; k < record.trace.count; k++)
        record.trace.events[k].first = record.tasks - record.trace.events[k].tasks;
    assert_true(prediction_end(&record) < 0.99 * before_s);
    run_record_release(&record);
}

/* What the master computed itself is simulated, too: here it takes longer than all others. */
static void what_the_master_computed_is_predicted(void **state)
{
    struct run_record record;
    (void)state;
    run_sample(9, 0, &record);
    assert_true(run_record_sent(&record));
    const double others_s = prediction_end(&record);
    const struct trace_event own[] = {{0, OPERATION_COMPUTE, -1, -1, record.tasks, 4, 0, 1},
                                      {0, OPERATION_COMPUTE, -1, -1, record.tasks + 4, 6, 1, 3}};
    assert_true(trace_add(&record.trace, &own[0]) && trace_add(&record.trace, &own[1]));
    record.plan.own.task_s = others_s;
    const double all_s = prediction_end(&record);
    json_t *json = run_report(&record);
    assert_true(all_s >= 10 * others_s && all_s < 11.5 * others_s);
    assert_true(run_member(json, "predicted_s") == all_s);
    json_decref(json);
    run_record_release(&record);
}

/* So many rounds are needed by a worker of a high rank that they are not listed; what is predicted
 * and the totals are those of the packages. */
static void too_many_packages_are_not_listed(void **state)
{
    enum { RANK = 2000, PACKAGES = 4000 };
    struct run_record record;
    struct failure failure = FAILURE_INIT;
    struct text text = TEXT_INIT;
    (void)state;
    run_sample(4, 0, &record);
    trace_release(&record.trace);
    record.tasks = record.tasks_done = 0;
    for (int64_t k = 0; k < PACKAGES; k++) {
        const int64_t tasks = 1 + k % 3;
        const struct trace_event events[] = {
            {0, OPERATION_ENVELOPE, 0, k, record.tasks, tasks, (double)k, (double)k},
            {RANK, OPERATION_COMPUTE, 0, k, record.tasks, tasks, (double)k, (double)k + 1}};
        assert_true(trace_add(&record.trace, &events[0]) && trace_add(&record.trace, &events[1]));
        record.tasks += tasks;
    }
    record.tasks_done = record.tasks;
    assert_true(run_record_sent(&record));
    assert_true(record.spread);
    assert_true(record.plan.tasks == (double)record.tasks);
    assert_int_equal(plan_packages(&record.plan), PACKAGES);
    assert_true(plan_largest_load(&record.plan) == 3);
    /* The same packages, planned. */
    double loads[][1] = {{1}, {2}, {3}, {1}};
    struct plan_round rounds[PACKAGES];
    for (int64_t k = 0; k < PACKAGES; k++)
        rounds[k] = (struct plan_round){1, loads[k % 3]};
    struct plan plan = record.plan;
    int64_t worker = RANK - 1;
    plan.workers = &worker;
    plan.worker_count = 1;
    plan.rounds = rounds;
    plan.round_count = PACKAGES;
    const double planned_s = simulated_s(&record, &plan), sent_s = prediction_end(&record);
    assert_true(fabs(sent_s - planned_s) <= 1e-9 * planned_s);
    run_record_spread_tell(&record, &text);
    assert_non_null(strstr(text.bytes, "too many to be listed"));
    text_release(&text);
    record.plan.predicted.known = false; /* nothing is drawn */
    char *report = report_text(&record, &failure);
    assert_non_null(report);
    free(report);
    run_record_release(&record);
}

static void more_ranks_may_go_on_than_were_measured(void **state)
{
    struct run_record record;
    int32_t moved = 0;
    (void)state;
    resumed_sample(6, &record);
    const int64_t measured = profile_workers(&record.profile.settings[0].windows[0]);
    for (size_t k = 0; k < record.trace.count; k++) {
        struct trace_event *event = &record.trace.events[k];
        moved = moved == 0 ? event->rank : moved;
        if (event->rank > 0 && event->rank == moved)
            event->rank = (int32_t)measured + 3;
    }
    assert_true(moved > 0);
    assert_true(run_record_last_part(&record));
    assert_int_equal(record.plan.beyond.workers, 3);
    run_tells(&record, "beyond      3 workers beyond those measured");
    json_t *report = run_report(&record);
    assert_true(run_member(report, "predicted_s") > 0);
    json_decref(report);
    run_record_release(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_left_may_lie_in_no_window),
        cmocka_unit_test(what_was_sent_is_predicted_as_a_plan_of_it),
        cmocka_unit_test(what_was_sent_costs_what_its_places_do),
        cmocka_unit_test(what_the_master_computed_is_predicted),
        cmocka_unit_test(too_many_packages_are_not_listed),
        cmocka_unit_test(more_ranks_may_go_on_than_were_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
