/* A job that sleeps what a hand-written profile says: every operation where the executor does it,
 * in its order, and every core task once. The run's whole time is not checked, only that no
 * operation was shorter than its cost. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "spmd/archive/archive.h"
#include "spmd/transport/link_mpi.h"
#include "tests/spmd/census.h"
#include "tests/spmd/whole_run.h"

enum { TASKS = 40, PACKAGE = 5, PACKAGES = TASKS / PACKAGE };

static struct comm comm;
static char path[200];

enum { EVENTS = OPERATION_IDLE + 1 }; /* of a package, but for results, which do not come back */

static const char profile_text[] =
    "{\"schema\": \"scow-profile-1\", \"kernel\": \"census-sleeps\", \"settings\": [{\"windows\": "
    "[{\"tasks\": [1, 100], \"envelope\": {\"latency_s\": 0.001, \"s_per_task\": 0.0002}, "
    "\"send\": {\"latency_s\": 0.001, \"s_per_task\": 0}, \"workers\": [{\"count\": 2, "
    "\"link\": {\"latency_s\": 0.002, \"s_per_task\": 0}, "
    "\"receive\": {\"latency_s\": 0.0005, \"s_per_task\": 0.0001}, "
    "\"compute\": {\"latency_s\": 0.002, \"s_per_task\": 0.0006}, "
    "\"output\": {\"latency_s\": 0.0001, \"s_per_task\": 0.0003}}]}]}]}";

/* The time of each operation of a package, as the profile has it. */
static const double costs[EVENTS] = {
    [OPERATION_ENVELOPE] = 0.001 + PACKAGE * 0.0002,
    [OPERATION_SEND] = 0.001,
    [OPERATION_LINK] = 0.002,
    [OPERATION_RECEIVE] = 0.0005 + PACKAGE * 0.0001,
    [OPERATION_COMPUTE] = 0.002 + PACKAGE * 0.0006,
    [OPERATION_OUTPUT] = 0.0001 + PACKAGE * 0.0003,
};

/* The same with an output that takes longer than all that a worker does for a package. */
static const char slow_output[] =
    "{\"schema\": \"scow-profile-1\", \"kernel\": \"census-sleeps\", "
    "\"parameters\": {\"write-behind\": \"yes\"}, \"settings\": [{\"windows\": "
    "[{\"tasks\": [1, 100], \"envelope\": {\"latency_s\": 0.001, \"s_per_task\": 0.0002}, "
    "\"send\": {\"latency_s\": 0.001, \"s_per_task\": 0}, \"workers\": [{\"count\": 2, "
    "\"link\": {\"latency_s\": 0.002, \"s_per_task\": 0}, "
    "\"receive\": {\"latency_s\": 0.0005, \"s_per_task\": 0.0001}, "
    "\"compute\": {\"latency_s\": 0.002, \"s_per_task\": 0.0006}, "
    "\"output\": {\"latency_s\": 0.2, \"s_per_task\": 0.002}}]}]}]}";
static const double slow_output_s = 0.2 + PACKAGE * 0.002;

/* The same with results that return to the master, over a port, or to a master, that is the slowest
 * of all. */
#define RETURNED(results, collect, result)                                                         \
    "{\"schema\": \"scow-profile-1\", \"kernel\": \"census-sleeps\", "                             \
    "\"parameters\": {\"results\": \"" results "\"}, \"settings\": [{\"windows\": "                \
    "[{\"tasks\": [1, 100], \"envelope\": {\"latency_s\": 0.001, \"s_per_task\": 0.0002}, "        \
    "\"send\": {\"latency_s\": 0.001, \"s_per_task\": 0}, "                                        \
    "\"collect\": {\"latency_s\": " collect ", \"s_per_task\": 0.0001}, \"workers\": "             \
    "[{\"count\": 2, \"link\": {\"latency_s\": 0.002, \"s_per_task\": 0}, "                        \
    "\"receive\": {\"latency_s\": 0.0005, \"s_per_task\": 0.0001}, "                               \
    "\"compute\": {\"latency_s\": 0.002, \"s_per_task\": 0.0006}, "                                \
    "\"result\": {\"latency_s\": " result ", \"s_per_task\": 0.002}}]}]}]}"

static const struct census everything = {.parts = CENSUS_ALL & ~CENSUS_REJECTS,
                                         .type = SCOW_I32,
                                         .extent = {1, 1, TASKS},
                                         .tile = {1, 1, 1}};

/* How results get into the output. */
enum ways { WRITTEN, WRITTEN_BEHIND, RETURNING, RETURNING_AT_THE_END };

static bool task_run(const struct scow_task *task, const char *profile, enum ways ways,
                     enum operating operating, struct run_outcome *outcome, struct failure *failure)
{
    struct values values;
    census_values(&values, task, &everything);
    values.write_behind = ways == WRITTEN_BEHIND;
    values.results = ways == RETURNING              ? RESULTS_PACKAGE
                     : ways == RETURNING_AT_THE_END ? RESULTS_END
                                                    : RESULTS_UNSAID;
    const struct whole_run run = {.comm = &comm,
                                  .task = task,
                                  .values = &values,
                                  .tasks = TASKS,
                                  .package = PACKAGE,
                                  .threads = 1,
                                  .operating = operating,
                                  .profile = profile,
                                  .output = path};
    const bool good = whole_run(&run, outcome, failure);
    if (good && comm.rank == 0) {
        struct run_record record;
        assert_true(archive_read(path, 0, &record, failure));
        assert_int_equal(record.tasks_done, TASKS);
        assert_int_equal(outcome->trace.count, 0); /* it is written as the run goes on */
        outcome->trace = record.trace;
        record.trace = (struct trace){.count = 0};
        run_record_release(&record);
    }
    whole_run_remove(&run);
    values_release(&values);
    return good;
}

static bool sleep_run(const char *profile, enum ways ways, struct run_outcome *outcome,
                      struct failure *failure)
{
    return task_run(&census_sleeps, profile, ways, OPERATING_SINGLE_PORT, outcome, failure);
}

/* Workers that start for so long. */
static const double start_s = 0.15;
static const char slow_start[] =
    "{\"schema\": \"scow-profile-1\", \"kernel\": \"census-sleeps\", \"settings\": [{\"windows\": "
    "[{\"tasks\": [1, 100], \"envelope\": {\"latency_s\": 0.001, \"s_per_task\": 0.0002}, "
    "\"send\": {\"latency_s\": 0.001, \"s_per_task\": 0}, \"workers\": [{\"count\": 2, "
    "\"link\": {\"latency_s\": 0.002, \"s_per_task\": 0}, "
    "\"receive\": {\"latency_s\": 0.0005, \"s_per_task\": 0.0001}, "
    "\"compute\": {\"latency_s\": 0.002, \"s_per_task\": 0.0006}, "
    "\"output\": {\"latency_s\": 0.0001, \"s_per_task\": 0.0003}, "
    "\"start\": {\"latency_s\": 0.15}}]}]}]}";

/* [package][operation]; every one is there once. */
static struct trace_event events[PACKAGES][EVENTS];

static void events_sort(const struct trace *trace)
{
    bool there[PACKAGES][EVENTS] = {{false}};
    assert_int_equal(trace->count, PACKAGES * RUN_EVENTS_PER_PACKAGE);
    for (size_t i = 0; i < trace->count; i++) {
        const struct trace_event *event = &trace->events[i];
        assert_in_range(event->package, 0, PACKAGES - 1);
        assert_in_range(event->operation, 0, EVENTS - 1);
        assert_false(there[event->package][event->operation]);
        there[event->package][event->operation] = true;
        events[event->package][event->operation] = *event;
    }
}

/* Whose events they are, and of which tasks. */
static void check_package(int64_t package)
{
    const int worker = 1 + (int)(package % (comm.size - 1));
    for (int operation = 0; operation < EVENTS; operation++) {
        const struct trace_event *event = &events[package][operation];
        const bool masters = operation == OPERATION_ENVELOPE || operation == OPERATION_SEND;
        if (operation == OPERATION_RESULT || operation == OPERATION_COLLECT)
            continue;
        assert_int_equal(event->rank, masters ? 0 : worker);
        assert_int_equal(event->first, package * PACKAGE);
        assert_int_equal(event->tasks, PACKAGE);
        assert_true(event->end_s >= event->start_s);
        if (operation != OPERATION_LINK && operation != OPERATION_IDLE)
            assert_true(event->end_s - event->start_s >= costs[operation] * 0.999);
    }
}

static void check_after(const struct trace_event *event, const struct trace_event *before)
{
    assert_true(event->start_s >= before->end_s);
}

/* The master packs and sends in the plan's order; a worker does one package after the other. */
static void check_order(int64_t package)
{
    const struct trace_event *own = events[package];
    check_after(&own[OPERATION_SEND], &own[OPERATION_ENVELOPE]);
    check_after(&own[OPERATION_COMPUTE], &own[OPERATION_RECEIVE]);
    check_after(&own[OPERATION_OUTPUT], &own[OPERATION_COMPUTE]);
    if (package > 0)
        check_after(&own[OPERATION_ENVELOPE], &events[package - 1][OPERATION_SEND]);
    const int64_t before = package - (comm.size - 1);
    if (before < 0)
        return;
    check_after(&own[OPERATION_RECEIVE], &events[before][OPERATION_OUTPUT]);
    /* To one worker in order; one that is late with its buffers holds up no package of others. */
    assert_true(own[OPERATION_LINK].end_s >= events[before][OPERATION_LINK].end_s);
}

static void operations_follow_each_other(void **state)
{
    (void)state;
    struct run_outcome outcome = {0};
    struct failure failure = FAILURE_INIT;
    const bool good = sleep_run(profile_text, WRITTEN, &outcome, &failure);
    assert_string_equal(failure.text, "");
    assert_true(good);
    if (comm.rank == 0) {
        assert_string_equal(outcome.json,
                            "{\"tasks\": 40, \"least\": 0, \"greatest\": 39, \"squares\": 20540}");
        events_sort(&outcome.trace);
        for (int64_t package = 0; package < PACKAGES; package++) {
            check_package(package);
            check_order(package);
        }
    }
    run_outcome_release(&outcome);
}

/* One write at a time, each once its results are there and as long as it costs; the next package
 * begins when the results of the one before have been handed over. */
static void check_behind(int64_t package)
{
    const struct trace_event *own = events[package];
    const struct trace_event *output = &own[OPERATION_OUTPUT];
    const int64_t before = package - (comm.size - 1);
    check_after(&own[OPERATION_COMPUTE], &own[OPERATION_RECEIVE]);
    check_after(output, &own[OPERATION_COMPUTE]);
    assert_true(output->end_s - output->start_s >= slow_output_s * 0.999);
    if (before < 0)
        return;
    check_after(output, &events[before][OPERATION_OUTPUT]);
    assert_true(own[OPERATION_RECEIVE].start_s >= events[before][OPERATION_OUTPUT].start_s);
}

/* Is it begun while the results of the worker's last one are being written? */
static bool is_hidden(int64_t package)
{
    const int64_t before = package - (comm.size - 1);
    return before >= 0 &&
           events[package][OPERATION_RECEIVE].start_s < events[before][OPERATION_OUTPUT].end_s;
}

static void output_is_hidden_behind_computing(void **state)
{
    (void)state;
    struct run_outcome outcome = {0};
    struct failure failure = FAILURE_INIT;
    const bool good = sleep_run(slow_output, WRITTEN_BEHIND, &outcome, &failure);
    assert_string_equal(failure.text, "");
    assert_true(good);
    if (comm.rank == 0) {
        int hidden = 0;
        events_sort(&outcome.trace);
        for (int64_t package = 0; package < PACKAGES; package++) {
            check_behind(package);
            hidden += is_hidden(package);
        }
        assert_true(hidden > 0);
    }
    run_outcome_release(&outcome);
}

/* Finds the event of that operation for each package; each package has exactly one. */
static void events_find(const struct trace *trace, enum operation operation,
                        const struct trace_event *found[PACKAGES])
{
    memset(found, 0, PACKAGES * sizeof *found);
    for (size_t i = 0; i < trace->count; i++)
        if (trace->events[i].operation == (int32_t)operation) {
            assert_null(found[trace->events[i].package]);
            found[trace->events[i].package] = &trace->events[i];
        }
    for (int package = 0; package < PACKAGES; package++)
        assert_non_null(found[package]);
}

/* Neither has begun when the other one has not ended. */
static void check_apart(const struct trace_event *a, const struct trace_event *b)
{
    assert_true(a->end_s <= b->start_s || b->end_s <= a->start_s);
}

/* One result at a time over the port, from when it is computed on; then the master takes it in,
 * which it does beside nothing else. */
static void check_returned(const char *profile, double result_s, double collect_s)
{
    struct run_outcome outcome = {0};
    struct failure failure = FAILURE_INIT;
    const struct trace_event *computes[PACKAGES], *results[PACKAGES], *collects[PACKAGES],
        *envelopes[PACKAGES], *sends[PACKAGES];
    const bool good = sleep_run(profile, RETURNING, &outcome, &failure);
    assert_string_equal(failure.text, "");
    assert_true(good);
    if (comm.rank == 0) {
        assert_string_equal(outcome.json,
                            "{\"tasks\": 40, \"least\": 0, \"greatest\": 39, \"squares\": 20540}");
        events_find(&outcome.trace, OPERATION_COMPUTE, computes);
        events_find(&outcome.trace, OPERATION_RESULT, results);
        events_find(&outcome.trace, OPERATION_COLLECT, collects);
        events_find(&outcome.trace, OPERATION_ENVELOPE, envelopes);
        events_find(&outcome.trace, OPERATION_SEND, sends);
    }
    for (int a = 0; comm.rank == 0 && a < PACKAGES; a++) {
        assert_int_equal(results[a]->rank, computes[a]->rank);
        assert_int_equal(collects[a]->rank, 0);
        check_after(results[a], computes[a]);
        check_after(collects[a], results[a]);
        assert_true(results[a]->end_s - results[a]->start_s >= result_s * 0.999);
        assert_true(collects[a]->end_s - collects[a]->start_s >= collect_s * 0.999);
        assert_true(outcome.makespan_s >= collects[a]->end_s);
        for (int b = 0; b < PACKAGES; b++) {
            check_apart(collects[a], envelopes[b]);
            check_apart(collects[a], sends[b]);
            if (a != b)
                check_apart(results[a], results[b]);
        }
    }
    for (size_t i = 0; comm.rank == 0 && i < outcome.trace.count; i++)
        assert_int_not_equal(outcome.trace.events[i].operation, OPERATION_OUTPUT);
    run_outcome_release(&outcome);
}

static void results_return_over_the_port(void **state)
{
    (void)state;
    check_returned(RETURNED("package", "0.001", "0.01"), 0.01 + PACKAGE * 0.002,
                   0.001 + PACKAGE * 0.0001);
}

/* Reports come while the master is busy with the results of the one before. */
static void a_slow_master_takes_in_one_after_the_other(void **state)
{
    (void)state;
    check_returned(RETURNED("package", "0.03", "0.0001"), 0.0001 + PACKAGE * 0.002,
                   0.03 + PACKAGE * 0.0001);
}

/* Of that worker and operation, the last event but for what the master does; its core tasks and how
 * many packages there are of it. */
static const struct trace_event *worker_last(const struct trace *trace, int rank,
                                             enum operation operation, int64_t *tasks,
                                             int64_t *packages)
{
    const struct trace_event *last = NULL;
    *tasks = *packages = 0;
    for (size_t i = 0; i < trace->count; i++) {
        const struct trace_event *event = &trace->events[i];
        if (event->rank != rank || event->operation != (int32_t)operation)
            continue;
        *tasks += event->tasks;
        ++*packages;
        if (!last || event->start_s > last->start_s)
            last = event;
    }
    return last;
}

/* All results of a worker go over the port together, when its last package is computed, and one
 * worker's after the other's; the master takes them in after that. */
static void results_return_at_the_end(void **state)
{
    (void)state;
    const double latency_s = 0.01, s_per_task = 0.002;
    struct run_outcome outcome = {0};
    struct failure failure = FAILURE_INIT;
    const struct trace_event *collects[PACKAGES], *results[8];
    const bool good =
        sleep_run(RETURNED("end", "0.001", "0.01"), RETURNING_AT_THE_END, &outcome, &failure);
    assert_string_equal(failure.text, "");
    assert_true(good);
    if (comm.rank == 0) {
        assert_string_equal(outcome.json,
                            "{\"tasks\": 40, \"least\": 0, \"greatest\": 39, \"squares\": 20540}");
        events_find(&outcome.trace, OPERATION_COLLECT, collects);
    }
    for (int rank = 1; comm.rank == 0 && rank < comm.size; rank++) {
        int64_t tasks, packages, transfers, ignored;
        const struct trace_event *computed =
            worker_last(&outcome.trace, rank, OPERATION_COMPUTE, &tasks, &packages);
        const struct trace_event *result =
            worker_last(&outcome.trace, rank, OPERATION_RESULT, &ignored, &transfers);
        assert_true(computed && result && packages > 1);
        assert_int_equal(transfers, 1);
        assert_int_equal(result->package, computed->package);
        check_after(result, computed);
        check_after(collects[result->package], result);
        assert_true(result->end_s - result->start_s >=
                    0.999 * (latency_s + s_per_task * (double)tasks));
        assert_true(collects[result->package]->end_s - collects[result->package]->start_s >=
                    0.999 * (0.001 + 0.0001 * (double)tasks));
        results[rank] = result;
        for (int other = 1; other < rank; other++)
            check_apart(results[rank], results[other]);
        assert_true(outcome.makespan_s >= collects[result->package]->end_s);
    }
    run_outcome_release(&outcome);
}

/* Each worker starts once, while its first package is on its way, and then begins it. */
static void check_start(const struct trace *trace, int rank)
{
    const struct trace_event *start = NULL, *receive = NULL;
    for (size_t i = 0; i < trace->count; i++) {
        const struct trace_event *event = &trace->events[i];
        if (event->rank != rank)
            continue;
        if (event->operation == OPERATION_START) {
            assert_null(start);
            start = event;
        }
        if (event->operation == OPERATION_RECEIVE && !receive)
            receive = event;
    }
    assert_true(start && receive);
    assert_true(start->start_s == 0 && start->end_s >= 0.5 * start_s);
    assert_int_equal(start->package, receive->package);
    check_after(receive, start);
}

static void workers_start_first(void **state)
{
    (void)state;
    struct run_outcome outcome = {0};
    struct failure failure = FAILURE_INIT;
    const bool good = sleep_run(slow_start, WRITTEN, &outcome, &failure);
    assert_string_equal(failure.text, "");
    assert_true(good);
    for (int rank = 1; comm.rank == 0 && rank < comm.size; rank++)
        check_start(&outcome.trace, rank);
    run_outcome_release(&outcome);
}

/* ---- operating models ------------------------------------------------------------------------ */

/* Of each package; link and result by the master's ports, the others as they were measured. */
enum { SIMULATED = OPERATION_COLLECT + 1 };
static const struct trace_event *simulated[SIMULATED][PACKAGES];

/* Clocks of two ranks are not quite the same. */
static void check_apart_nearly(const struct trace_event *a, const struct trace_event *b)
{
    const double clocks_s = 1e-4;
    assert_true(a->end_s <= b->start_s + clocks_s || b->end_s <= a->start_s + clocks_s);
}

/* One operation of package a beside those of package b, on the master's ports and its processor. */
static void check_master(const struct operating_traits *traits, int a, int b)
{
    const struct trace_event *link = simulated[OPERATION_LINK][a],
                             *result = simulated[OPERATION_RESULT][a];
    static const enum operation processor[] = {OPERATION_ENVELOPE, OPERATION_SEND,
                                               OPERATION_COLLECT};
    const bool same = !traits->port_each || link->rank == simulated[OPERATION_LINK][b]->rank;
    for (size_t k = 0; k < sizeof processor / sizeof *processor; k++) {
        if (traits->master_sends)
            check_apart(link, simulated[processor[k]][b]);
        if (traits->master_takes)
            check_apart(result, simulated[processor[k]][b]);
    }
    if (a != b && same) {
        check_apart(link, simulated[OPERATION_LINK][b]);
        check_apart(result, simulated[OPERATION_RESULT][b]);
    }
    if (traits->half_duplex || (traits->master_sends && traits->master_takes))
        check_apart(link, simulated[OPERATION_RESULT][b]);
}

/* And at the worker, where both are its. */
static void check_worker(const struct operating_traits *traits, int a, int b)
{
    for (enum operation k = OPERATION_RECEIVE; k <= OPERATION_COMPUTE; k++) {
        if (traits->worker_takes)
            check_apart_nearly(simulated[OPERATION_LINK][a], simulated[k][b]);
        if (traits->worker_returns)
            check_apart_nearly(simulated[OPERATION_RESULT][a], simulated[k][b]);
    }
    if (traits->worker_takes && traits->worker_returns)
        check_apart(simulated[OPERATION_LINK][a], simulated[OPERATION_RESULT][b]);
}

static void check_model(enum operating operating)
{
    const struct operating_traits *traits = operating_traits(operating);
    struct run_outcome outcome = {0};
    struct failure failure = FAILURE_INIT;
    const bool good = task_run(&census_sleeps, RETURNED("package", "0.001", "0.002"), RETURNING,
                               operating, &outcome, &failure);
    assert_string_equal(failure.text, "");
    assert_true(good);
    for (int k = 0; comm.rank == 0 && k < SIMULATED; k++)
        if (k != OPERATION_OUTPUT)
            events_find(&outcome.trace, (enum operation)k, simulated[k]);
    for (int a = 0; comm.rank == 0 && a < PACKAGES; a++) {
        const struct trace_event *link = simulated[OPERATION_LINK][a];
        assert_true(link->end_s - link->start_s >= costs[OPERATION_LINK] * 0.999);
        check_after(link, simulated[OPERATION_SEND][a]);
        check_after(simulated[OPERATION_COLLECT][a], simulated[OPERATION_RESULT][a]);
        check_apart_nearly(link, simulated[OPERATION_RECEIVE][a]);
        for (int b = 0; b < PACKAGES; b++) {
            check_master(traits, a, b);
            if (link->rank == simulated[OPERATION_LINK][b]->rank)
                check_worker(traits, a, b);
        }
    }
    run_outcome_release(&outcome);
}

/* Among several workers. */
static void models_are_kept_to(void **state)
{
    (void)state;
    for (int k = 0; comm.size > 2 && k < OPERATING_COUNT; k++)
        if (k != OPERATING_SINGLE_PORT)
            check_model((enum operating)k);
}

static void refuse(const struct scow_task *task, enum ways ways, const char *sentence)
{
    struct run_outcome outcome = {0};
    struct failure failure = FAILURE_INIT;
    assert_false(task_run(task, profile_text, ways, OPERATING_NONE, &outcome, &failure));
    assert_failure(failure, FAILURE_MISMATCH, sentence);
    run_outcome_release(&outcome);
}

static void others_are_what_they_are(void **state)
{
    (void)state;
    refuse(&census_host, WRITTEN,
           "plan.json: is for the operating model no-parallelism, which only the core task 'sleep' "
           "can follow, because all others run with a single port: plan again with --model "
           "single-port");
    refuse(&census_sleeps, WRITTEN_BEHIND,
           "plan.json: is for the operating model no-parallelism, in which workers cannot "
           "write while they compute: plan again with --set write-behind=no");
}

static void without_a_profile_nobody_knows_how_long(void **state)
{
    (void)state;
    struct run_outcome outcome = {0};
    struct failure failure = FAILURE_INIT;
    assert_false(sleep_run(NULL, WRITTEN, &outcome, &failure));
    assert_failure(
        failure, FAILURE_USAGE,
        "core task 'census-sleeps' sleeps for as long as a profile says: name the plan's "
        "with -p PROFILE");
    run_outcome_release(&outcome);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    comm_init(&comm, link_mpi(MPI_COMM_WORLD));
    comm_align_clocks(&comm);
    snprintf(path, sizeof path, "sleep-test-%ld.h5", (long)getpid());
    comm_broadcast(&comm, path, sizeof path);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_follow_each_other),
        cmocka_unit_test(output_is_hidden_behind_computing),
        cmocka_unit_test(results_return_over_the_port),
        cmocka_unit_test(a_slow_master_takes_in_one_after_the_other),
        cmocka_unit_test(results_return_at_the_end),
        cmocka_unit_test(workers_start_first),
        cmocka_unit_test(models_are_kept_to),
        cmocka_unit_test(others_are_what_they_are),
        cmocka_unit_test(without_a_profile_nobody_knows_how_long),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
