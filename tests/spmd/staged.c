/* Jobs whose workers read their packages themselves: from the same input as the master, or not at
 * all. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/tasks/table.h"
#include "spmd/archive/archive.h"
#include "spmd/launch/making.h"
#include "spmd/transport/link_mpi.h"
#include "tests/spmd/census.h"
#include "tests/spmd/whole_run.h"

enum { TASKS = 30 };

static struct comm comm;
static char path[200];

static const struct census lines = {.parts = CENSUS_RECORDS | CENSUS_REDUCTION,
                                    .type = SCOW_F32,
                                    .extent = {1, 1, TASKS},
                                    .tile = {1, 1, 1}};

/* Every rank's own, in a directory of its own. */
static void text_write(int count)
{
    FILE *out = fopen("lines.txt", "w");
    assert_non_null(out);
    for (int i = 0; i < count; i++)
        fprintf(out, "line %d\n", i);
    assert_int_equal(fclose(out), 0);
}

static bool make_of(struct making *making, const char *name, bool staged, struct failure *failure)
{
    struct values values;
    census_values(&values, &census_lines, &lines);
    values.staged = staged;
    const bool good = making_start(making, &comm, &census_lines, &values, name, NULL, failure);
    values_release(&values);
    return good;
}

static bool make(struct making *making, bool staged, struct failure *failure)
{
    return make_of(making, "lines.txt", staged, failure);
}

static void inputs_are_opened_where_they_are_read(void **state)
{
    (void)state;
    for (int staged = 0; staged < 2; staged++) {
        struct making making;
        struct failure failure = FAILURE_INIT;
        text_write(TASKS);
        const bool good = make(&making, staged, &failure);
        assert_string_equal(failure.text, "");
        assert_true(good);
        assert_int_equal(making.input != NULL, staged || comm.rank == 0);
        assert_int_equal(making.job.setup.tasks, TASKS);
        assert_int_equal(making.job.setup.input.extent[0], TASKS);
        assert_string_equal(making.job.setup.input.name, "lines.txt");
        assert_int_equal(making.job.values.staged, staged);
        assert_int_equal(strlen(making.digest), staged ? 64 : 0); /* every rank has a copy */
        making_release(&making);
    }
}

/* Before the job is made, that is. */
static void one_file_for_all_is_not_read_for_its_digest(void **state)
{
    struct making making;
    struct failure failure = FAILURE_INIT;
    (void)state;
    text_write(TASKS);
    if (comm.rank == 0)
        assert_int_equal(rename("lines.txt", "../lines.txt"), 0);
    comm_barrier(&comm);
    assert_true(make_of(&making, "../lines.txt", true, &failure));
    assert_non_null(making.input);
    assert_string_equal(making.digest, "");
    making_release(&making);
    comm_barrier(&comm);
    if (comm.rank == 0)
        unlink("../lines.txt");
}

/* The same sentence on every rank, about the one that differs. */
static void another_input_is_refused(void **state)
{
    (void)state;
    for (int other = 1; other < comm.size; other++) {
        struct making making;
        struct failure failure = FAILURE_INIT;
        char sentence[300];
        text_write(comm.rank == other ? TASKS + 1 : TASKS);
        assert_false(make(&making, true, &failure));
        snprintf(sentence, sizeof sentence,
                 "lines.txt: is not the same on rank %d as on the master: copy it to a file system "
                 "that all nodes see, or leave --staged out",
                 other);
        assert_failure(failure, FAILURE_MISMATCH, sentence);
        making_release(&making);
        /* Read by the master alone, it does not matter. */
        failure = (struct failure)FAILURE_INIT;
        assert_true(make(&making, false, &failure));
        making_release(&making);
    }
}

/* The image has as many pixels, but of another type. */
static void an_image_of_another_type_is_refused(void **state)
{
    (void)state;
    const struct scow_task *task = task_find("matched-filter");
    const struct parameter_list none = {0};
    static const char pixels[2 * 70 * 70];
    struct making making;
    struct values values;
    struct failure failure = FAILURE_INIT;
    const int wide = comm.rank == comm.size - 1;
    FILE *out = fopen("image.pgm", "w");
    assert_non_null(out);
    fprintf(out, "P5\n70 70\n%d\n", wide ? 65535 : 255);
    assert_int_equal(fwrite(pixels, wide ? 2 : 1, 70 * 70, out), 70 * 70);
    assert_int_equal(fclose(out), 0);
    assert_true(values_read(&values, task, &none, "x", true, &failure));
    values.staged = true;
    assert_false(making_start(&making, &comm, task, &values, "image.pgm", NULL, &failure));
    assert_int_equal(failure.code, FAILURE_MISMATCH);
    assert_non_null(strstr(failure.text, "image.pgm: is not the same on rank "));
    making_release(&making);
    values_release(&values);
    unlink("image.pgm");
}

static void a_missing_input_is_told(void **state)
{
    (void)state;
    struct making making;
    struct failure failure = FAILURE_INIT;
    text_write(TASKS);
    if (comm.rank == comm.size - 1)
        unlink("lines.txt");
    assert_false(make(&making, true, &failure));
    assert_int_equal(failure.code, FAILURE_MISMATCH);
    assert_non_null(strstr(failure.text, "lines.txt"));
    making_release(&making);
}

/* ---- whole runs ---- */

static int packed; /* on this rank */

static int pack_counting(const struct scow_host *host, const void *job, int64_t first,
                         int64_t count, void *package, size_t *size)
{
    packed++;
    return census_lines.pack(host, job, first, count, package, size);
}

static void check_task(int64_t task)
{
    struct text text = TEXT_INIT;
    struct failure failure = FAILURE_INIT;
    char expected[80];
    assert_true(archive_task(path, task, &text, &failure));
    char *words = text_take(&text);
    snprintf(expected, sizeof expected, "name        line %d\n", (int)task);
    assert_non_null(strstr(words, expected));
    free(words);
}

/* Returns the checksum. */
static uint64_t run_lines(const struct scow_task *task, bool staged)
{
    struct values values;
    struct run_outcome outcome = {0};
    struct failure failure = FAILURE_INIT;
    census_values(&values, task, &lines);
    values.staged = staged;
    const struct whole_run run = {.comm = &comm,
                                  .task = task,
                                  .values = &values,
                                  .tasks = TASKS,
                                  .package = 4,
                                  .threads = 1,
                                  .input = "lines.txt",
                                  .output = path};
    packed = 0;
    const bool good = whole_run(&run, &outcome, &failure);
    assert_string_equal(failure.text, "");
    assert_true(good);
    assert_int_equal(packed > 0, staged == (comm.rank > 0)); /* by whom is what it is about */
    const uint64_t checksum = outcome.summary.checksum;
    for (int64_t number = 0; comm.rank == 0 && number < TASKS; number += 7)
        check_task(number);
    whole_run_remove(&run);
    run_outcome_release(&outcome);
    values_release(&values);
    return checksum;
}

static void a_staged_run_comes_to_the_same(void **state)
{
    (void)state;
    struct scow_task task = census_lines;
    task.pack = pack_counting;
    text_write(TASKS);
    assert_true(run_lines(&task, false) == run_lines(&task, true));
}

/* All ranks in one new directory, each in one of its own in it. */
static void directory_enter(char own[32])
{
    char shared[] = "staged-XXXXXX", whole[150];
    if (comm.rank == 0 && !mkdtemp(shared))
        abort();
    comm_broadcast(&comm, shared, sizeof shared);
    snprintf(own, 32, "%d", comm.rank);
    if (chdir(shared) != 0 || mkdir(own, 0777) != 0 || !getcwd(whole, sizeof whole) ||
        chdir(own) != 0)
        abort();
    snprintf(path, sizeof path, "%s/out.h5", whole);
}

static void directory_leave(const char *own)
{
    char whole[200];
    unlink("lines.txt");
    if (chdir("..") != 0)
        return;
    rmdir(own);
    comm_barrier(&comm);
    if (comm.rank == 0 && getcwd(whole, sizeof whole))
        rmdir(whole);
}

int main(int argc, char **argv)
{
    char own[32];
    MPI_Init(&argc, &argv);
    comm_init(&comm, link_mpi(MPI_COMM_WORLD));
    comm_align_clocks(&comm);
    directory_enter(own);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_are_opened_where_they_are_read),
        cmocka_unit_test(one_file_for_all_is_not_read_for_its_digest),
        cmocka_unit_test(another_input_is_refused),
        cmocka_unit_test(an_image_of_another_type_is_refused),
        cmocka_unit_test(a_missing_input_is_told),
        cmocka_unit_test(a_staged_run_comes_to_the_same),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    directory_leave(own);
    if (failed)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
