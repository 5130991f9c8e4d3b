/* Packages computed on threads: results do not depend on threads and divisions, and a core task
 * that does something wrong does no harm to others. */
#include "spmd/job/engine.h"

#include <stdio.h>

#include "spmd/job/summary.h"
#include "tests/spmd/census.h"
#include "tests/spmd/nonsense.h"

static const struct engine_pulse no_pulse = {NULL, NULL};
static const struct scow_task *const both[] = {&census_host, &census_own};

/* 5 x 5 x 3 tiles, those at all three ends partial. */
static const struct census everything = {
    .parts = CENSUS_ALL, .type = SCOW_F32, .extent = {9, 13, 11}, .tile = {2, 3, 4}};

/* ---- the same, whatever the threads ---- */

/* Fills the results with `byte` before a package is computed: the engine must not rely on cleared
 * memory. */
static void results_spoil(struct engine *engine, const struct job *job, int64_t most, int byte)
{
    const struct package_results *results = engine_results(engine);
    memset(results->grid, byte, (size_t)most * job->tile_size);
    memset(results->records, byte, (size_t)most * job->record_size);
    memset(results->state, byte, job->state_size);
    memset(results->ledger, byte, (size_t)most);
}

static void package_check(struct engine *engine, const struct job *job, int64_t first,
                          int64_t count, struct summary *summary)
{
    struct failure failure = FAILURE_INIT;
    size_t size;
    void *package = census_package(job, first, count, &size);
    const bool good = engine_compute(engine, first, count, package, size, no_pulse, &failure);
    assert_string_equal(failure.text, "");
    assert_true(good);
    assert_census(job, engine_results(engine));
    assert_true(summary_add(summary, job, engine_results(engine), &failure));
    free(package);
}

/* All tasks, `cut` a package, from the last to the first. */
static struct summary job_check(const struct job *job, int threads, int64_t cut)
{
    struct failure failure = FAILURE_INIT;
    struct summary summary;
    summary_init(&summary);
    struct engine *engine = engine_new(job, cut, threads, 1, &failure);
    assert_string_equal(failure.text, "");
    assert_non_null(engine);
    for (int64_t last = job->setup.tasks; last > 0; last -= cut) {
        const int64_t first = last > cut ? last - cut : 0;
        results_spoil(engine, job, cut, 0xff >> threads);
        package_check(engine, job, first, last - first, &summary);
    }
    engine_free(&engine);
    assert_null(engine);
    assert_int_equal(census_started(), 0);
    return summary;
}

static void results_do_not_depend_on_threads_or_packages(void **state)
{
    (void)state;
    static const int64_t cuts[] = {4, 32, 75};
    uint64_t checksum = 0;
    for (size_t t = 0; t < COUNT_OF(both); t++) {
        struct job job;
        census_open(&job, both[t], &everything);
        assert_int_equal(job.setup.tasks, 75);
        for (int threads = 1; threads <= 3; threads++)
            for (size_t c = 0; c < COUNT_OF(cuts); c++) {
                const struct summary summary = job_check(&job, threads, cuts[c]);
                checksum = checksum ? checksum : summary.checksum;
                assert_true(summary.checksum == checksum);
                assert_int_equal(summary.tasks, 75);
                assert_int_equal(summary.failed, 7);
            }
        job_close(&job);
    }
}

/* Packages are of consecutive positions, whatever core tasks these have. */
static void orders_change_no_result(void **state)
{
    (void)state;
    static const char *const orders[] = {"natural", "stride:4", "stride:75", "random:2"};
    uint64_t checksum = 0;
    for (size_t k = 0; k < COUNT_OF(orders) * COUNT_OF(both); k++) {
        struct job job;
        census_open(&job, both[k % COUNT_OF(both)], &everything);
        assert_true(order_parse(orders[k / COUNT_OF(both)], &job.order));
        job.order.tasks = job.setup.tasks;
        for (int threads = 1; threads <= 3; threads += 2) {
            const struct summary summary = job_check(&job, threads, 13);
            checksum = checksum ? checksum : summary.checksum;
            assert_true(summary.checksum == checksum);
            assert_int_equal(summary.tasks, 75);
            assert_int_equal(summary.failed, 7);
        }
        job_close(&job);
    }
}

static void a_job_may_leave_little_behind(void **state)
{
    (void)state;
    static const int parts[] = {CENSUS_GRID,
                                CENSUS_RECORDS,
                                CENSUS_REDUCTION,
                                CENSUS_EMITS,
                                0,
                                CENSUS_REJECTS,
                                CENSUS_EMITS | CENSUS_REJECTS};
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        struct census census = everything;
        struct failure failure = FAILURE_INIT;
        struct summary summary;
        struct job job;
        census.parts = parts[i];
        census_open(&job, &census_host, &census);
        struct engine *engine = engine_new(&job, 75, 2, 1, &failure);
        assert_non_null(engine);
        summary_init(&summary);
        package_check(engine, &job, 0, 75, &summary);
        engine_free(&engine);
        job_close(&job);
    }
}

static void the_rank_is_in_the_records(void **state)
{
    (void)state;
    struct job job;
    struct failure failure = FAILURE_INIT;
    struct summary summary;
    census_open(&job, &census_host, &everything);
    struct engine *engine = engine_new(&job, 5, 2, 17, &failure);
    assert_non_null(engine);
    summary_init(&summary);
    package_check(engine, &job, 20, 5, &summary);
    const struct census_record *records =
        (const struct census_record *)(const void *)engine_results(engine)->records;
    for (int i = 0; i < 5; i++)
        assert_int_equal(records[i].rank, 17);
    engine_free(&engine);
    job_close(&job);
}

static void results_can_be_moved(void **state)
{
    (void)state;
    struct job job;
    struct failure failure = FAILURE_INIT;
    struct summary summary;
    census_open(&job, &census_host, &everything);
    struct engine *engine = engine_new(&job, 5, 1, 1, &failure);
    assert_non_null(engine);
    summary_init(&summary);
    package_check(engine, &job, 20, 5, &summary);
    const struct package_results *results = engine_results(engine);
    engine_results_move(engine, 50);
    assert_int_equal(results->first, 50);
    assert_int_equal(results->count, 5);
    assert_int_equal(results->emissions.items[0].task, 50);                            /* of 20 */
    assert_int_equal(results->emissions.items[2].task, 52);                            /* of 22 */
    assert_int_equal(results->emissions.items[results->emissions.count - 1].task, 53); /* of 23 */
    engine_free(&engine);
    job_close(&job);
}

/* One after the other, from the last one. */
static int compute_backwards(const struct scow_host *host, const void *job,
                             const struct scow_batch *batch)
{
    int status = SCOW_OK;
    for (int64_t k = batch->count - 1; status == SCOW_OK && k >= 0; k--) {
        struct scow_batch one = *batch;
        one.first += k;
        one.count = 1;
        status = census_host.compute(host, job, &one);
    }
    return status;
}

static void emissions_and_rejections_are_put_in_order(void **state)
{
    (void)state;
    struct census census = everything;
    struct scow_task task = census_host;
    struct failure failure = FAILURE_INIT;
    struct summary summary;
    struct job job;
    census.parts = CENSUS_EMITS | CENSUS_REJECTS;
    task.compute = compute_backwards;
    census_open(&job, &task, &census);
    for (int threads = 1; threads <= 2; threads++) {
        struct engine *engine = engine_new(&job, 75, threads, 1, &failure);
        assert_non_null(engine);
        summary_init(&summary);
        package_check(engine, &job, 0, 75, &summary);
        engine_free(&engine);
    }
    job_close(&job);
}

/* ---- stopping ---- */

/* While it waits, tasks take as long as they are let. */
static bool waits;
static int entered; /* callers that wait, or have waited; atomic */
static const void *workspaces[8];
static const struct scow_task *patient;

struct stopper {
    int calls, after, callers;
};

static bool stop_after(void *self)
{
    struct stopper *stopper = self;
    int there;
#pragma omp atomic read
    there = entered;
    return ++stopper->calls > stopper->after && there >= stopper->callers;
}

static int compute_patiently(const struct scow_host *host, const void *job,
                             const struct scow_batch *batch)
{
    int number;
    if (!waits)
        return patient->compute(host, job, batch);
#pragma omp atomic capture
    number = entered++;
    workspaces[number % 8] = batch->workspace;
    while (!host->pulse(host))
        continue;
    return SCOW_STOPPED;
}

/* After the caller said to stop, no thread begins another piece. */
static void stop_check(struct engine *engine, const struct job *job, int after, int callers)
{
    struct failure failure = FAILURE_INIT;
    struct stopper stopper = {0, after, callers};
    const struct engine_pulse pulse = {stop_after, &stopper};
    struct summary summary;
    size_t size;
    void *package = census_package(job, 0, 75, &size);
    waits = true;
    entered = 0;
    assert_false(engine_compute(engine, 0, 75, package, size, pulse, &failure));
    waits = false;
    assert_int_equal(failure.code, FAILURE_NONE);
    assert_true(stopper.calls > after);
    assert_int_equal(entered, callers);
    for (int i = 0; i < callers; i++)
        for (int k = 0; k < i; k++)
            assert_ptr_not_equal(workspaces[i], workspaces[k]);
    free(package);
    /* The next package, as if nothing had been. */
    summary_init(&summary);
    package_check(engine, job, 0, 75, &summary);
}

/* By the thread that called, wherever it is; which is not a failure. */
static void a_pulse_stops_it(void **state)
{
    (void)state;
    for (size_t t = 0; t < COUNT_OF(both); t++) {
        struct scow_task task = *both[t];
        struct job job;
        task.compute = compute_patiently;
        patient = both[t];
        census_open(&job, &task, &everything);
        for (int threads = 1; threads <= 3; threads++) {
            struct failure failure = FAILURE_INIT;
            struct engine *engine = engine_new(&job, 75, threads, 1, &failure);
            assert_non_null(engine);
            for (int after = 0; after < 10; after += 3)
                stop_check(engine, &job, after, both[t] == &census_host ? threads : 1);
            engine_free(&engine);
        }
        job_close(&job);
    }
    assert_int_equal(census_started(), 0);
}

/* ---- workspaces ---- */

/* When one thread cannot be started, those that were started are stopped. */
static void starting_may_fail(void **state)
{
    (void)state;
    struct job job;
    census_open(&job, &census_host, &everything);
    for (int nth = 1; nth <= 3; nth++) {
        struct failure failure = FAILURE_INIT;
        char sentence[80];
        census_start_refuse(nth);
        assert_null(engine_new(&job, 10, 3, 1, &failure));
        snprintf(sentence, sizeof sentence, "workspace %d could not be started", nth);
        assert_failure(failure, FAILURE_FAILED, sentence);
        assert_int_equal(census_started(), 0);
    }
    census_start_refuse(0);
    struct failure failure = FAILURE_INIT;
    struct engine *engine = engine_new(&job, 10, 3, 1, &failure);
    assert_int_equal(census_started(), 3);
    engine_free(&engine);
    assert_int_equal(census_started(), 0);
    job_close(&job);
}

static void memory_is_told_beforehand(void **state)
{
    (void)state;
    struct job job;
    census_open(&job, &census_host, &everything);
    const double one = engine_memory(&job, 1, 1), ten = engine_memory(&job, 10, 1);
    const size_t task = job.tile_size + job.record_size + 1;
    assert_true(ten - one == 9 * (double)task);
    assert_true(engine_memory(&job, 1, 2) > one);
    job_close(&job);
}

/* ---- what tasks do wrong ---- */

/* What is said of it in a package of COUNT core tasks where `most` may come; "": nothing, and all
 * is well. */
static void package_fault_check(const char *fault, int64_t most, int threads, const char *sentence)
{
    enum { COUNT = 10 };
    struct job job = {0};
    struct failure failure = FAILURE_INIT;
    int64_t package[COUNT + JOB_GUARD / 8];
    size_t size = 0;
    assert_true(nonsense_open(&job, fault, 40, &failure));
    struct engine *engine = engine_new(&job, most, threads, 1, &failure);
    if (engine) {
        assert_true(job_pack(&job, NULL, 5, COUNT, package, &size, &failure));
        const bool good = engine_compute(engine, 5, COUNT, package, size, no_pulse, &failure);
        assert_int_equal(good, sentence[0] == '\0');
    }
    assert_string_equal(failure.text, sentence);
    engine_free(&engine);
    job_close(&job);
}

static void fault_check(const char *fault, int threads, const char *sentence)
{
    package_fault_check(fault, 10, threads, sentence);
    package_fault_check(fault, 17, threads, sentence);
}

static void nothing_wrong_is_said_of_a_good_task(void **state)
{
    (void)state;
    fault_check("none", 1, "");
    fault_check("none", 3, "");
}

static void writing_too_much_is_told(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        fault_check("grid-overrun", threads,
                    "core task 'nonsense' wrote more than it said into its grid: report this to "
                    "its author");
        fault_check("records-overrun", threads,
                    "core task 'nonsense' wrote more than it said into its records: report this to "
                    "its author");
        fault_check(
            "state-overrun", threads,
            "core task 'nonsense' wrote more than it said into its reduction's state: report "
            "this to its author");
        fault_check(
            "workspace-overrun", threads,
            "core task 'nonsense' wrote more than it said into its workspace: report this to "
            "its author");
    }
}

static void statuses_that_make_no_sense(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        fault_check(
            "compute-silent", threads,
            "core task 'nonsense': computing failed without saying why (status 1): report this "
            "to its author");
        fault_check(
            "compute-unknown", threads,
            "core task 'nonsense': computing failed without saying why (status 12345): report "
            "this to its author");
        fault_check("compute-both", threads, "said, but not returned");
        fault_check(
            "start-silent", threads,
            "core task 'nonsense': starting failed without saying why (status 1): report this "
            "to its author");
    }
    fault_check("compute-says", 1, "task 5 needs a larger number");
    /* Of several threads, one of which has failed, others may have stopped because of it. */
    fault_check(
        "compute-stops", 3,
        "core task 'nonsense': computing failed without saying why (status 2): report this to "
        "its author");
    fault_check("compute-reads", 1, "lines and sequences can be read in describe and pack only");
}

static void tasks_of_other_packages_are_left_alone(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        fault_check("rejects-elsewhere", threads,
                    "core task 'nonsense' rejects core task 16, which is not in its package");
        fault_check(
            "emits-elsewhere", threads,
            "core task 'nonsense' emits bytes for core task 5, which is not in its package, or "
            "does not say that it emits");
        fault_check("emits-huge", threads, "out of memory for what core tasks emit");
    }
    fault_check(
        "emits-unsaid", 1,
        "core task 'nonsense' emits bytes for core task 6, which is not in its package, or does "
        "not say that it emits");
}

static void rejection_check(const char *fault, const char *why)
{
    struct job job = {0};
    struct failure failure = FAILURE_INIT;
    int64_t package[4 + JOB_GUARD / 8];
    size_t size = 0;
    assert_true(nonsense_open(&job, fault, 40, &failure));
    struct engine *engine = engine_new(&job, 4, 1, 1, &failure);
    assert_non_null(engine);
    assert_true(job_pack(&job, NULL, 0, 4, package, &size, &failure));
    assert_true(engine_compute(engine, 0, 4, package, size, no_pulse, &failure));
    assert_int_equal(engine_results(engine)->rejected, 4);
    assert_string_equal(engine_results(engine)->rejection.why, why);
    engine_free(&engine);
    job_close(&job);
}

static void reasons_are_one_line(void **state)
{
    (void)state;
    rejection_check("rejects-lines", "not today");
    rejection_check("rejects-blanks", "without a reason");
}

/* A place that makes no sense is found before anything is written. */
static void places_are_checked_in_the_summary(void **state)
{
    (void)state;
    struct job job = {0};
    struct failure failure = FAILURE_INIT;
    struct summary summary;
    int64_t package[4 + JOB_GUARD / 8];
    size_t size;
    assert_true(nonsense_open(&job, "place-outside", 40, &failure));
    struct engine *engine = engine_new(&job, 4, 1, 1, &failure);
    assert_non_null(engine);
    assert_true(job_pack(&job, NULL, 0, 4, package, &size, &failure));
    assert_true(engine_compute(engine, 0, 4, package, size, no_pulse, &failure));
    summary_init(&summary);
    assert_false(summary_add(&summary, &job, engine_results(engine), &failure));
    assert_failure(failure, FAILURE_MISMATCH,
                   "core task 'nonsense': core task 2 has no place in its own grid: report this to "
                   "its author");
    engine_free(&engine);
    job_close(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_do_not_depend_on_threads_or_packages),
        cmocka_unit_test(orders_change_no_result),
        cmocka_unit_test(a_job_may_leave_little_behind),
        cmocka_unit_test(the_rank_is_in_the_records),
        cmocka_unit_test(results_can_be_moved),
        cmocka_unit_test(emissions_and_rejections_are_put_in_order),
        cmocka_unit_test(a_pulse_stops_it),
        cmocka_unit_test(starting_may_fail),
        cmocka_unit_test(memory_is_told_beforehand),
        cmocka_unit_test(nothing_wrong_is_said_of_a_good_task),
        cmocka_unit_test(writing_too_much_is_told),
        cmocka_unit_test(statuses_that_make_no_sense),
        cmocka_unit_test(tasks_of_other_packages_are_left_alone),
        cmocka_unit_test(reasons_are_one_line),
        cmocka_unit_test(places_are_checked_in_the_summary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
