/* Whole runs: the outcome does not depend on packages and threads; and when a core task does
 * something wrong, every rank ends with the same sentence, and the next run is not affected. */
#include <stdio.h>
#include <unistd.h>

#include "spmd/transport/link_mpi.h"
#include "tests/spmd/census.h"
#include "tests/spmd/nonsense.h"
#include "tests/spmd/whole_run.h"

static struct comm comm;
static char path[200];

static const struct census everything = {
    .parts = CENSUS_ALL, .type = SCOW_F64, .extent = {9, 13, 11}, .tile = {2, 3, 4}};
enum { TASKS = 75 };
static const char outcome_text[] =
    "{\"tasks\": 75, \"least\": 0, \"greatest\": 74, \"squares\": 137825}";

/* ---- what must come out ---- */

/* The summary of all tasks, computed here. */
static struct summary summary_alone(void)
{
    const struct engine_pulse no_pulse = {NULL, NULL};
    struct failure failure = FAILURE_INIT;
    struct summary summary;
    struct job job;
    size_t size;
    summary_init(&summary);
    census_open(&job, &census_host, &everything);
    void *package = census_package(&job, 0, TASKS, &size);
    struct engine *engine = engine_new(&job, TASKS, 1, 1, &failure);
    assert_true(engine_compute(engine, 0, TASKS, package, size, no_pulse, &failure));
    assert_true(summary_add(&summary, &job, engine_results(engine), &failure));
    summary_add_outcome(&summary, outcome_text);
    engine_free(&engine);
    free(package);
    job_close(&job);
    return summary;
}

static void check_outcome(const struct run_outcome *outcome, int64_t packages)
{
    const struct summary expected = summary_alone(), *summary = &outcome->summary;
    assert_true(summary->checksum == expected.checksum);
    assert_true(summary->minimum == expected.minimum && summary->maximum == expected.maximum);
    assert_int_equal(summary->tasks, TASKS);
    assert_int_equal(summary->values, expected.values);
    assert_int_equal(summary->failed, 7);
    if (comm.rank != 0)
        return;
    assert_string_equal(outcome->json, outcome_text);
    assert_int_equal(outcome->packages, packages);
    assert_int_equal(outcome->trace.count, 0); /* it is written as the run goes on */
    assert_int_equal(outcome->rejection_count, RUN_REJECTIONS);
}

/* The reasons told are of different packages' lowest tasks, sorted. */
static void check_rejections(const struct run_outcome *outcome)
{
    for (int i = 0; comm.rank == 0 && i < outcome->rejection_count; i++) {
        const struct rejection *rejection = &outcome->rejections[i];
        char why[120];
        census_rejection(rejection->task, why, sizeof why);
        assert_true(census_rejected(rejection->task));
        assert_string_equal(rejection->why, why);
        assert_int_equal(rejection->task, 4 + 11 * i);
    }
}

static void check_run(const struct scow_task *task, int64_t package, bool write_behind, int buffers)
{
    struct values values;
    struct failure failure = FAILURE_INIT;
    struct run_outcome outcome = {0};
    census_values(&values, task, &everything);
    values.write_behind = write_behind;
    const struct whole_run run = {.comm = &comm,
                                  .task = task,
                                  .values = &values,
                                  .tasks = TASKS,
                                  .package = package,
                                  .threads = 1 + (int)(package % 2),
                                  .buffers = buffers,
                                  .output = path};
    const bool good = whole_run(&run, &outcome, &failure);
    assert_string_equal(failure.text, "");
    assert_true(good);
    check_outcome(&outcome, (TASKS + package - 1) / package);
    check_rejections(&outcome);
    assert_true(whole_run_remove(&run));
    run_outcome_release(&outcome);
    values_release(&values);
}

static void runs_come_to_the_same(void **state)
{
    (void)state;
    for (int behind = 0; behind < 2; behind++) {
        check_run(&census_host, 3, behind, 0);
        check_run(&census_host, 8, behind, 1);
        check_run(&census_own, 3, behind, 3);
        check_run(&census_own, 8, behind, 4);
    }
    assert_int_equal(census_started(), 0);
}

/* ---- nonsense: some of each kind; single ones are tested where they are found ---- */

/* Packages of nonsense's 40 core tasks. */
static bool nonsense_run(const char *fault, bool *left, struct failure *failure)
{
    struct values values;
    struct run_outcome outcome = {0};
    nonsense_values(&values, fault, 40);
    const struct whole_run run = {.comm = &comm,
                                  .task = &scow_plugin,
                                  .values = &values,
                                  .tasks = 40,
                                  .package = 6,
                                  .threads = 2,
                                  .output = path};
    const bool good = whole_run(&run, &outcome, failure);
    *left = whole_run_remove(&run);
    run_outcome_release(&outcome);
    values_release(&values);
    return good;
}

/* Before anything was done: no rank has a file left. */
static void check_before(const char *fault, const char *sentence)
{
    struct failure failure = FAILURE_INIT;
    bool left;
    assert_false(nonsense_run(fault, &left, &failure));
    assert_string_equal(failure.text, sentence);
    assert_false(left);
}

/* The same sentence on all ranks, which begins with `start`. */
static void check_during(const char *fault, const char *start)
{
    struct failure failure = FAILURE_INIT;
    char masters[sizeof failure.text];
    bool left;
    const bool good = nonsense_run(fault, &left, &failure);
    memcpy(masters, failure.text, sizeof masters);
    comm_broadcast(&comm, masters, sizeof masters);
    assert_string_equal(failure.text, masters);
    if (strncmp(failure.text, start, strlen(start)) != 0)
        assert_string_equal(failure.text, start);
    assert_int_equal(good, start[0] == '\0');
    assert_int_equal(failure.code == FAILURE_NONE, start[0] == '\0');
}

static void jobs_that_cannot_be_made(void **state)
{
    (void)state;
    check_before("huge-tasks", "core task 'nonsense': makes 9223372036854775807 core tasks of this "
                               "input, and only 1 to 2^53 can be planned: check its parameters");
    check_before("settles-nonsense",
                 "core task 'nonsense': changes its parameter fault to 1000000000, which is "
                 "out of its range: report this to its author");
    check_before("open-silent",
                 "core task 'nonsense': making the job ready failed without saying why "
                 "(status 1): report this to its author");
    check_before("field-outside", "core task 'nonsense': a record's field is of no known type, or "
                                  "outside of it: report this to its author");
}

static void workers_that_cannot_start(void **state)
{
    (void)state;
    check_before("start-silent",
                 "core task 'nonsense': starting failed without saying why (status 1): "
                 "report this to its author");
    if (comm.size > 2 && getenv("PMI_RANK"))
        check_before("start-on-one", "rank 2 has no licence");
}

static void packages_that_cannot_be_made(void **state)
{
    (void)state;
    check_before(
        "pack-overruns",
        "core task 'nonsense' wrote more than it said into a package: report this to its author");
    check_before("pack-rejects", "a core task can be rejected in compute only (not while packing)");
}

static void packages_that_cannot_be_computed(void **state)
{
    (void)state;
    check_during("compute-says", "task ");
    check_during("compute-unknown",
                 "core task 'nonsense': computing failed without saying why (status "
                 "12345): report this to its author");
    check_during("compute-stops",
                 "core task 'nonsense': computing failed without saying why (status "
                 "2): report this to its author");
    check_during("rejects-elsewhere", "core task 'nonsense' rejects core task ");
}

static void results_in_the_wrong_place(void **state)
{
    (void)state;
    check_during(
        "grid-overrun",
        "core task 'nonsense' wrote more than it said into its grid: report this to its author");
    check_during("workspace-overrun", "core task 'nonsense' wrote more than it said into its "
                                      "workspace: report this to its author");
    check_during("place-outside", "core task 'nonsense': core task ");
}

static void outcomes_and_methods(void **state)
{
    (void)state;
    check_during("print-no-json",
                 "core task 'nonsense': its outcome is no JSON text of less than 64 "
                 "KiB: report this to its author");
    check_during(
        "print-overrun",
        "core task 'nonsense' wrote more than it said into its outcome: report this to its author");
    check_during("method-overrun", "");
}

static void nothing_of_it_stays(void **state)
{
    (void)state;
    check_during("none", "");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    comm_init(&comm, link_mpi(MPI_COMM_WORLD));
    comm_align_clocks(&comm);
    snprintf(path, sizeof path, "execute-test-%ld.h5", (long)getpid());
    comm_broadcast(&comm, path, sizeof path);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_come_to_the_same),
        cmocka_unit_test(jobs_that_cannot_be_made),
        cmocka_unit_test(workers_that_cannot_start),
        cmocka_unit_test(packages_that_cannot_be_made),
        cmocka_unit_test(packages_that_cannot_be_computed),
        cmocka_unit_test(results_in_the_wrong_place),
        cmocka_unit_test(outcomes_and_methods),
        cmocka_unit_test(nothing_of_it_stays),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
