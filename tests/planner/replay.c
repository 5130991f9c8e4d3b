/* The parts of a prediction's error: what a run's own costs explain, and what they do not. */
#include "planner/report/replay.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "planner/report/residuals.h"
#include "planner/simulate/scenario.h"
#include "tests/checks.h"
#include "tests/planner/runs.h"
#include "tests/planner/samples.h"

static double makespan_of(const struct trace *trace)
{
    double makespan_s = 0;
    for (size_t k = 0; k < trace->count; k++)
        if (trace->events[k].rank > 0 && trace->events[k].operation != OPERATION_LINK)
            makespan_s = fmax(makespan_s, trace->events[k].end_s);
    return makespan_s;
}

/* However much operations differ from what was predicted: they happened by the rules. */
static void costs_explain_simulated_runs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct run_record record;
        run_sample(seed, 0.4, &record);
        json_t *json = run_report(&record);
        const double error = run_member(json, "error"), drift = run_member(json, "drift");
        const double model = run_member(json, "model_error");
        if (fabs(model) > 1e-9)
            fail_msg("seed %" PRIu64 ": the model is %.3g off", seed, model);
        assert_true(fabs((1 + drift) * (1 + model) - (1 + error)) < 1e-9);
        json_decref(json);
        run_record_release(&record);
    }
}

/* Operations that take 1.41 times as long each: the drift of each, and of the whole. */
static void drift_is_told_by_operation(void **state)
{
    (void)state;
    struct run_record record;
    const char *key;
    json_t *value;
    run_sample(7, 0, &record);
    for (size_t k = 0; k < record.trace.count; k++) {
        record.trace.events[k].start_s *= 1.41;
        record.trace.events[k].end_s *= 1.41;
    }
    json_t *json = run_report(&record);
    assert_true(fabs(run_member(json, "drift") - 0.41) < 1e-9);
    assert_true(fabs(run_member(json, "model_error")) < 1e-9);
    json_object_foreach(json_object_get(json, "operations"), key, value)
    {
        if (run_member(value, "predicted_s") == 0)
            continue;
        assert_true(fabs(run_member(value, "drift") - 0.41) < 1e-6);
        assert_true(fabs(run_member(value, "model_error")) < 1e-6);
    }
    assert_non_null(strstr(json_string_value(json_object_get(json, "explanation")),
                           "With this run's own costs the plan takes 41 % more"));
    json_decref(json);
    run_record_release(&record);
}

/* Workers that hesitate before they begin: no cost says so. */
static void what_no_cost_explains_is_the_models(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct run_record record;
        run_sample(seed, 0, &record);
        const double predicted_s = makespan_of(&record.trace), late_s = predicted_s / 20;
        for (size_t k = 0; k < record.trace.count; k++) {
            struct trace_event *event = &record.trace.events[k];
            if (event->rank == 0 || event->operation == OPERATION_LINK)
                continue;
            event->start_s += late_s;
            event->end_s += late_s;
        }
        json_t *json = run_report(&record);
        assert_true(fabs(run_member(json, "model_error") - 0.05) < 1e-9);
        assert_true(fabs(run_member(json, "drift")) < 1e-9);
        json_decref(json);
        run_record_release(&record);
    }
}

/* Two workers, transfers of 1 ms, packages that take 0.1 s: a worker sees only between packages
 * that the next one has come, and the port was not busy for that long. */
static void late_looks_are_no_transfers(void **state)
{
    enum { PACKAGES = 20 };
    struct trace trace = {.count = 0}, again = {.count = 0};
    struct replay replay;
    struct failure failure = FAILURE_INIT;
    double free_s[2] = {0, 0}, started_s[2] = {0, 0}, port_s = 0;
    (void)state;
    for (int k = 0; k < PACKAGES; k++) {
        const int worker = k % 2;
        const double left_s = fmax(port_s, fmax(1e-4 * (k + 1), started_s[worker]));
        const double arrived_s = left_s + 1e-3;
        const double start_s = fmax(arrived_s, free_s[worker]);
        const double seen_s = start_s; /* the worker looks up */
        const struct trace_event events[] = {
            {0, OPERATION_ENVELOPE, k / 2, k, k, 1, 1e-4 * k, 1e-4 * (k + 1)},
            {worker + 1, OPERATION_LINK, k / 2, k, k, 1, left_s, seen_s},
            {worker + 1, OPERATION_COMPUTE, k / 2, k, k, 1, start_s, start_s + 0.1}};
        for (size_t i = 0; i < COUNT_OF(events); i++)
            assert_true(trace_add(&trace, &events[i]));
        port_s = arrived_s;
        started_s[worker] = free_s[worker] > 0 ? free_s[worker] - 0.1 : 0;
        free_s[worker] = start_s + 0.1;
    }
    const struct replay_setup setup = {.workers = 2, .trace = &again};
    assert_true(replay_init(&replay, &setup, &failure));
    assert_true(replay_take(&replay, &trace, &failure) && replay_end(&replay, &failure));
    assert_true(replay.complete);
    /* Worker 1 waits 2.1 ms for its first package and then computes ten of them. */
    assert_true(fabs(makespan_of(&trace) - 1.0021) < 1e-9);
    if (fabs(makespan_of(&again) - 1.0021) > 1e-9)
        fail_msg("%.6f s instead of 1.0021 s", makespan_of(&again));
    replay_release(&replay);
    trace_release(&trace);
    trace_release(&again);
}

static bool can_be_replayed(const struct run_record *record)
{
    struct failure failure = FAILURE_INIT;
    const struct replay_setup setup = {.workers = run_record_ranks(record)};
    struct replay replay;
    assert_true(replay_init(&replay, &setup, &failure));
    assert_true(replay_take(&replay, &record->trace, &failure) && replay_end(&replay, &failure));
    const bool complete = replay.complete;
    replay_release(&replay);
    return complete;
}

/* A package that two workers computed, or that none did: there is no such plan. */
static void other_runs_are_not_replayed(void **state)
{
    struct run_record record;
    (void)state;
    run_sample(9, 0.1, &record);
    for (size_t k = 0; k < record.trace.count; k++)
        if (record.trace.events[k].package == 0 && record.trace.events[k].rank > 0)
            record.trace.events[k].package = 1;
    assert_false(can_be_replayed(&record));
    json_t *json = run_report(&record);
    assert_true(json_is_null(json_object_get(json, "model_error")));
    assert_true(json_is_null(json_object_get(json, "drift")));
    json_decref(json);
    record.trace.events[0].package = INT64_MAX;
    assert_false(can_be_replayed(&record));
    run_record_release(&record);
}

/* The time of a random loss: in the run, and before its worker has ended. */
static double loss_draw(struct dice *dice, const struct run_record *record, int64_t worker)
{
    double end_s = 0;
    for (size_t k = 0; k < record->trace.count; k++)
        if (record->trace.events[k].rank == worker + 1)
            end_s = fmax(end_s, record->trace.events[k].end_s);
    return end_s * dice_unit(dice);
}

/* The plan of `record` again, with a worker lost: its trace is as a run leaves it. */
static void loss_simulate(struct run_record *record, uint64_t seed, double noise)
{
    struct dice dice = {seed};
    struct scenario scenario = SCENARIO_INIT;
    struct platform platform;
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    struct trace trace = {.count = 0};
    scenario.noise = noise;
    scenario.seed = seed;
    scenario.lost_worker =
        record->plan.workers[dice_whole(&dice, 0, record->plan.worker_count - 1)];
    scenario.lost_s = loss_draw(&dice, record, scenario.lost_worker);
    assert_true(platform_init(&platform, &record->profile.settings[0], 0, &failure));
    struct dispatch *dispatch =
        dispatch_new_recovery(dispatch_new_plan(&record->plan), platform.worker_count);
    assert_non_null(dispatch);
    assert_true(simulate_scenario(&platform, dispatch, &scenario, &trace, &simulation, &failure));
    dispatch_free(&dispatch);
    platform_release(&platform);
    bool *gone = calloc(trace.count + 1, sizeof *gone);
    record->losses = calloc(1, sizeof *record->losses);
    assert_true(gone && record->losses);
    record->losses[record->loss_count++] =
        (struct run_loss){.worker = scenario.lost_worker, .time_s = scenario.lost_s};
    for (size_t k = 0; k < trace.count; k++) {
        const struct trace_event *event = &trace.events[k];
        if (event->rank == scenario.lost_worker + 1 && event->end_s > scenario.lost_s)
            gone[event->package] = true;
    }
    record->trace.count = 0;
    for (size_t k = 0; k < trace.count; k++)
        if (trace.events[k].rank == 0 || !gone[trace.events[k].package])
            assert_true(trace_add(&record->trace, &trace.events[k]));
    free(gone);
    trace_release(&trace);
}

/* What was decided is simulated, the loss included: by the profile's costs and by the run's own. */
static void losses_are_split_too(void **state)
{
    enum { RUNS = 40 };
    double off = 0, drifts = 0;
    int runs = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        const double noise = seed % 2 ? 0 : 0.2;
        struct run_record record;
        run_sample(seed, 0, &record);
        /* Which worker starts for how long before packages that nobody reports is not known. */
        if (record.plan.worker_count > 1 && seed % 5 != 2) {
            loss_simulate(&record, seed, noise);
            json_t *json = run_report(&record);
            const double error = run_member(json, "error"), drift = run_member(json, "drift");
            const double model = run_member(json, "model_error");
            assert_true(fabs((1 + drift) * (1 + model) - (1 + error)) < 1e-6);
            assert_true(run_member(json_object_get(json, "without_losses"), "predicted_s") > 0);
            off += fabs(model);
            drifts += noise > 0 ? 0 : fabs(drift);
            runs++;
            json_decref(json);
        }
        run_record_release(&record);
    }
    print_message("%d runs: model %.3f %%, drift without noise %.3f %%\n", runs, 100 * off / runs,
                  100 * drifts / runs);
    assert_true(runs > RUNS / 3);
    assert_true(off / runs < 0.02);
    assert_true(drifts / runs < 0.02);
}

static void intervals_are_reported(void **state)
{
    struct run_record record;
    (void)state;
    run_sample(3, 0, &record);
    json_t *json = run_report(&record);
    const double measured_s = run_member(json, "measured_s");
    json_decref(json);
    record.plan.predicted.interval_s[0] = measured_s * 0.9;
    for (int above = 0; above < 2; above++) {
        struct failure failure = FAILURE_INIT;
        record.plan.predicted.interval_s[1] = measured_s * (above ? 0.95 : 1.1);
        json = run_report(&record);
        json_t *interval = json_object_get(json, "interval");
        assert_true(json_real_value(json_array_get(interval, 0)) == measured_s * 0.9);
        assert_true(json_is_true(json_object_get(json, "inside")) == !above);
        json_decref(json);
        char *text = report_text(&record, &failure);
        assert_non_null(
            strstr(text, above ? "is above its interval\n" : "is inside its interval\n"));
        free(text);
    }
    record.plan.predicted.interval_s[1] = 0;
    json = run_report(&record);
    assert_true(json_is_null(json_object_get(json, "interval")));
    json_decref(json);
    run_record_release(&record);
}

struct drawn {
    int process, row;
    double start_us, end_us;
};

static int drawn_compare(const void *a, const void *b)
{
    const struct drawn *x = a, *y = b;
    if (x->process != y->process)
        return x->process - y->process;
    if (x->row != y->row)
        return x->row - y->row;
    return (x->start_us > y->start_us) - (x->start_us < y->start_us);
}

/* Viewers want spans of one row one after the other. Runs with transfers that overlap. */
static void rows_of_a_chrome_trace_never_overlap(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct run_record record;
        struct failure failure = FAILURE_INIT;
        size_t count = 0, index;
        json_t *event;
        run_sample(seed, 0.2, &record);
        for (size_t k = 0; k < record.trace.count; k++)
            if (record.trace.events[k].operation == OPERATION_LINK)
                record.trace.events[k].end_s += 0.1 * makespan_of(&record.trace);
        char *text = report_chrome_trace(&record, &failure);
        assert_non_null(text);
        json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
        assert_true(json_is_array(json));
        struct drawn *drawn = calloc(json_array_size(json), sizeof *drawn);
        assert_non_null(drawn);
        json_array_foreach(json, index, event)
        {
            if (strcmp(json_string_value(json_object_get(event, "ph")), "X") != 0)
                continue;
            const double start_us = run_member(event, "ts");
            drawn[count++] =
                (struct drawn){(int)run_member(event, "pid"), (int)run_member(event, "tid"),
                               start_us, start_us + run_member(event, "dur")};
        }
        qsort(drawn, count, sizeof *drawn, drawn_compare);
        for (size_t k = 1; k < count; k++)
            if (drawn[k].process == drawn[k - 1].process && drawn[k].row == drawn[k - 1].row)
                assert_true(drawn[k].start_us >= drawn[k - 1].end_us - 1e-4);
        free(drawn);
        json_decref(json);
        free(text);
        run_record_release(&record);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_explain_simulated_runs),
        cmocka_unit_test(drift_is_told_by_operation),
        cmocka_unit_test(what_no_cost_explains_is_the_models),
        cmocka_unit_test(late_looks_are_no_transfers),
        cmocka_unit_test(other_runs_are_not_replayed),
        cmocka_unit_test(losses_are_split_too),
        cmocka_unit_test(intervals_are_reported),
        cmocka_unit_test(rows_of_a_chrome_trace_never_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
