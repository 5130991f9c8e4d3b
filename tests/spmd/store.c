/* The output file: written by several ranks, read back by one. */
#include <hdf5.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spmd/archive/archive.h"
#include "spmd/layout/layout.h"
#include "spmd/output/outputfile.h"
#include "spmd/output/store.h"
#include "spmd/output/trace_writer.h"
#include "spmd/transport/link_mpi.h"
#include "tests/spmd/census.h"

enum { ROWS = 70, COLUMNS = 50, SLICES = 2, BLOCK = 32, TASKS = SLICES * 3 * 2 };

static struct comm comm;
static struct job job;
static char path[200];

static const char plan_text[] =
    "{\"schema\": \"scow-plan-1\", \"kernel\": \"census-host\", \"scheduler\": \"by hand\", "
    "\"tasks\": 12, \"workers\": [0], \"rounds\": [{\"repeat\": 1, \"loads\": [12]}]}";

static const struct output_info info = {.plan = plan_text,
                                        .input = "input.png",
                                        .input_sha256 = "abc",
                                        .emitted = "",
                                        .conditions = {.isa = "generic",
                                                       .processor = "a processor",
                                                       .threads = 3,
                                                       .workers_per_node = 2},
                                        .events = 3,
                                        .workers = 1};

static double value_at(int64_t z, int64_t y, int64_t x)
{
    return census_value(SCOW_F32, z, y, x);
}

static void task_fill(int64_t task, float *values)
{
    int64_t start[3], count[3];
    job.task->place(job.opened, task, start, count);
    for (int64_t y = 0; y < count[1]; y++)
        for (int64_t x = 0; x < count[2]; x++)
            *values++ = (float)value_at(start[0], start[1] + y, start[2] + x);
}

static struct summary extremes(void)
{
    struct summary summary;
    summary_init(&summary);
    summary.minimum = value_at(0, 0, 0);
    summary.maximum = value_at(SLICES - 1, ROWS - 1, COLUMNS - 1);
    return summary;
}

/* Tasks are assigned to the ranks; the last one stays undone. */
static void write_share(struct store *store)
{
    float *values = calloc(1, job.tile_size);
    unsigned char done = 1;
    struct failure failure = FAILURE_INIT;
    const struct summary summary = extremes();
    assert_non_null(values);
    for (int64_t task = comm.rank; task < TASKS - 1; task += comm.size) {
        const struct package_results results = {
            .first = task, .count = 1, .grid = (char *)values, .ledger = &done};
        task_fill(task, values);
        assert_true(store_write(store, &results, &failure));
        assert_true(store_normalize(store, task, 1, &summary, 1, &failure));
    }
    free(values);
}

static bool is_undone(int z, int y, int x)
{
    int64_t start[3], count[3];
    job.task->place(job.opened, TASKS - 1, start, count);
    return z >= start[0] && y >= start[1] && x >= start[2];
}

static void check_values(void)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t response = H5Dopen2(file, "/response", H5P_DEFAULT);
    hid_t normalized = H5Dopen2(file, "/normalized", H5P_DEFAULT);
    static float values[SLICES][ROWS][COLUMNS];
    static uint8_t bytes[SLICES][ROWS][COLUMNS];
    const double range = extremes().maximum;
    assert_true(H5Dread(response, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    assert_true(H5Dread(normalized, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0);
    for (int z = 0; z < SLICES; z++)
        for (int y = 0; y < ROWS; y++)
            for (int x = 0; x < COLUMNS; x++)
                if (!is_undone(z, y, x)) {
                    assert_true((double)values[z][y][x] == value_at(z, y, x));
                    assert_int_equal(bytes[z][y][x], lrint(255 * (value_at(z, y, x) / range)));
                }
    assert_true(H5Aexists(normalized, "IMAGE_SUBCLASS") > 0);
    H5Dclose(normalized);
    H5Dclose(response);
    H5Fclose(file);
}

static void check_record(void)
{
    struct run_record record;
    struct failure failure = FAILURE_INIT;
    assert_true(archive_read(path, 0, &record, &failure));
    assert_int_equal(record.tasks, TASKS);
    assert_int_equal(record.tasks_done, TASKS - 1);
    assert_int_equal(record.tasks_failed, 0);
    assert_true(record.complete);
    assert_string_equal(record.input, "input.png");
    assert_string_equal(record.kernel, "census-host");
    assert_null(record.plugin);
    assert_null(record.outcome);
    assert_string_equal(record.isa, "generic");
    assert_string_equal(record.processor, "a processor");
    assert_int_equal(record.threads, 3);
    assert_int_equal(record.workers_per_node, 2);
    char method[JOB_METHOD_SIZE];
    job_method(&job, method, sizeof method);
    assert_string_equal(record.method, method);
    assert_string_equal(record.plan.scheduler, "by hand");
    assert_false(record.has_profile);
    assert_true(record.checksum == 0xfedcba9876543210u);
    assert_int_equal(record.trace.count, 3);
    assert_int_equal(record.trace.events[1].rank, 1);
    assert_int_equal(record.trace.events[1].operation, OPERATION_COMPUTE);
    assert_true(record.trace.events[1].end_s == 2.5);
    run_record_release(&record);
}

static void seal(void)
{
    struct failure failure = FAILURE_INIT;
    const struct trace_event event = {1, OPERATION_COMPUTE, 0, 0, 0, 12, 1.5, 2.5};
    struct trace_writer tracing;
    trace_writer_begin(&tracing, path, "scow run", &(struct trace_part){0, info.part.began_s});
    for (int i = 0; i < 3; i++)
        trace_writer_add(&tracing, &event);
    assert_true(trace_writer_end(&tracing));
    struct summary summary = extremes();
    summary.checksum = 0xfedcba9876543210u;
    const struct output_outcome outcome = {.summary = &summary, .finish_s = 0.5};
    assert_true(outputfile_seal(path, &outcome, &failure));
}

static struct store *store_make(void)
{
    struct failure failure = FAILURE_INIT;
    struct output_places places = {0};
    const struct store_setup setup = {.path = path, .emitted = path};
    if (comm.rank == 0)
        assert_true(outputfile_create(path, &job, &info, &places, &failure));
    struct store *store = store_open_together(&setup, &places, &comm, &job, &failure);
    assert_non_null(store);
    return store;
}

static void test_write_and_read(void **state)
{
    (void)state;
    struct failure failure = FAILURE_INIT;
    struct store *store = store_make();
    write_share(store);
    assert_true(store_close(&store, &failure));
    assert_null(store);
    comm_barrier(&comm);
    if (comm.rank == 0) {
        seal();
        check_values();
        check_record();
    }
    comm_barrier(&comm);
}

/* The master's word is what counts, and all leave together. */
static void test_a_missing_file_is_refused_everywhere(void **state)
{
    (void)state;
    struct failure failure = FAILURE_INIT;
    const struct output_places places = {0};
    const struct store_setup setup = {.path = "/nonexistent/x.h5", .emitted = "x"};
    assert_null(store_open_together(&setup, &places, &comm, &job, &failure));
    assert_failure(failure, FAILURE_FAILED,
                   "/nonexistent/x.h5: cannot be opened on rank 0: write to a file system that "
                   "all nodes see");
}

static void test_an_existing_file_is_refused(void **state)
{
    (void)state;
    struct output_places places = {0};
    struct failure failure = FAILURE_INIT;
    assert_false(outputfile_create(path, &job, &info, &places, &failure));
    assert_int_equal(failure.code, FAILURE_MISMATCH);
    assert_non_null(strstr(failure.text, "exists already"));
    assert_int_equal(access(path, F_OK), 0); /* and it is still there */
}

/* A file of the user's that happens to be named like a draft is nobody's business. */
static void test_a_neighbour_is_left_alone(void **state)
{
    (void)state;
    char name[220], neighbour[240];
    snprintf(name, sizeof name, "near-%d-%s", comm.rank, path);
    snprintf(neighbour, sizeof neighbour, "%s.new", name);
    FILE *file = fopen(neighbour, "w");
    assert_non_null(file);
    assert_true(fputs("precious", file) >= 0);
    assert_int_equal(fclose(file), 0);
    struct output_places places = {0};
    struct failure failure = FAILURE_INIT;
    assert_true(outputfile_create(name, &job, &info, &places, &failure));
    assert_true(places.response > 0 && places.normalized > 0 && places.ledger > 0);
    assert_true(places.records == 0 && places.emitted == 0 && places.partial == 0);
    struct stat status;
    assert_int_equal(stat(neighbour, &status), 0);
    assert_int_equal(status.st_size, 8);
    unlink(name);
    unlink(neighbour);
}

static void test_a_missing_directory_is_refused(void **state)
{
    (void)state;
    struct output_places places = {0};
    struct failure failure = FAILURE_INIT;
    assert_false(outputfile_create("/nonexistent/x.h5", &job, &info, &places, &failure));
    assert_string_equal(failure.text, "/nonexistent/x.h5: cannot be created: No such file or "
                                      "directory: choose a directory that you can write to");
}

/* The file size limit stands for a full disk: creation fails whole and leaves nothing. */
static void test_a_full_disk_leaves_nothing(void **state)
{
    (void)state;
    struct output_places places = {0};
    char name[220], draft[250];
    snprintf(name, sizeof name, "full-%d-%s", comm.rank, path);
    snprintf(draft, sizeof draft, "%s.%d.new", name, (int)getpid());
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 8192;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    struct failure failure = FAILURE_INIT;
    bool created = outputfile_create(name, &job, &info, &places, &failure);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_false(created);
    assert_int_equal(failure.code, FAILURE_FAILED);
    assert_non_null(strstr(failure.text,
                           ": there is no room for 0.0 MB (File too large): free some "
                           "space or write to another disk"));
    assert_int_equal(access(name, F_OK), -1);
    assert_int_equal(access(draft, F_OK), -1);
}

/* Of a task's results, the ledger's byte is not in the file. */
static void check_not_done(const char *name, const struct output_places *places)
{
    FILE *in = fopen(name, "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, places->ledger, SEEK_SET), 0);
    assert_int_equal(fgetc(in), 0);
    fclose(in);
}

static bool write_behind(struct store *store, const struct package_results *results,
                         struct failure *failure)
{
    double end_s;
    assert_true(store_stage(store, results, failure));
    store_begin(store);
    while (!store_await(store, 1, &end_s, failure))
        ;
    return failure->code == FAILURE_NONE;
}

/* Core tasks are counted from 1, as everywhere. */
static void check_a_task_that_cannot_be_written(bool behind)
{
    struct output_places places = {0};
    struct comm alone;
    char name[220], sentence[320];
    snprintf(name, sizeof name, "late-%d-%s", comm.rank, path);
    snprintf(sentence, sizeof sentence, "%s: core task 1 could not be written ", name);
    struct rlimit before, small;
    struct failure failure = FAILURE_INIT;
    const struct store_setup setup = {.path = name, .emitted = name};
    comm_init(&alone, link_mpi(MPI_COMM_SELF));
    job.values.write_behind = behind;
    assert_true(outputfile_create(name, &job, &info, &places, &failure));
    struct store *store = store_open(&setup, &places, &alone, &job, &failure);
    assert_non_null(store);
    assert_true(!behind || store_reserve(store, 1, &failure));
    float *values = calloc(1, job.tile_size);
    unsigned char done = 1;
    assert_non_null(values);
    const struct package_results results = {
        .first = 0, .count = 1, .grid = (char *)values, .ledger = &done};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 1;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const bool written =
        behind ? write_behind(store, &results, &failure) : store_write(store, &results, &failure);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_false(written);
    assert_memory_equal(failure.text, sentence, strlen(sentence));
    check_not_done(name, &places);
    failure = (struct failure)FAILURE_INIT;
    assert_true(store_close(&store, &failure));
    free(values);
    unlink(name);
    job.values.write_behind = false;
}

static void test_a_task_that_cannot_be_written(void **state)
{
    (void)state;
    check_a_task_that_cannot_be_written(false);
    check_a_task_that_cannot_be_written(true);
}

static void test_archives_refused(void **state)
{
    (void)state;
    struct run_record record;
    struct failure missing = FAILURE_INIT, foreign = FAILURE_INIT;
    assert_false(archive_read("/nonexistent.h5", 0, &record, &missing));
    assert_int_equal(missing.code, FAILURE_MISMATCH);
    assert_false(archive_read("/proc/self/cmdline", 0, &record, &foreign));
    assert_string_equal(foreign.text, "/proc/self/cmdline: is no readable HDF5 file: name an "
                                      "output of scow run");
}

/* ---- states of a group --------------------------------------------------------------------- */

static struct job reducing; /* of whole numbers, of which each core task has one */

/* Writes the state as that rank would for these core tasks, whose numbers add up to `sum`. */
static void state_put(const struct output_places *places, int rank, int64_t first, int64_t sum)
{
    enum { EACH = 4 };
    struct failure failure = FAILURE_INIT;
    const struct store_setup setup = {.path = path, .emitted = path, .master_as = rank};
    uint8_t ledger[EACH] = {1, 1, 1, 1};
    int64_t state[4];
    assert_int_equal(reducing.state_size, sizeof state);
    reducing.task->reset(reducing.opened, state);
    state[0] = sum;
    const struct package_results results = {
        .first = first, .count = EACH, .state = (char *)state, .ledger = ledger};
    struct store *store = store_open(&setup, places, &comm, &reducing, &failure);
    assert_non_null(store);
    assert_true(store_write(store, &results, &failure));
    assert_true(store_close(&store, &failure));
}

static struct store *states_open(const struct output_places *places)
{
    struct failure failure = FAILURE_INIT;
    const struct store_setup setup = {
        .path = path, .emitted = path, .master_as = 4, .slots = 4, .resumed = true};
    struct store *store = store_open(&setup, places, &comm, &reducing, &failure);
    assert_non_null(store);
    return store;
}

/* Checks that the file has, for these ranks, so many core tasks from `first` on, and their sum. */
static void states_check(const struct output_places *places, const int *ranks, int count,
                         int64_t tasks, int64_t sum)
{
    struct failure failure = FAILURE_INIT;
    struct store *store = states_open(places);
    char *all = calloc(1, store_group_size(&reducing));
    const struct layout_partial *head = (const struct layout_partial *)(const void *)all;
    int64_t state[4];
    assert_true(store_group_read(store, ranks, count, all));
    memcpy(state, head + 1, sizeof state);
    assert_int_equal(head->tasks, tasks);
    assert_true(head->members == layout_members(0, tasks));
    assert_int_equal(state[0], sum);
    free(all);
    assert_true(store_close(&store, &failure));
}

/* Ranks 1 and 2 are a group; rank 3 is in none. */
static void a_lost_group_keeps_what_it_has_reported(void **unused)
{
    (void)unused;
    static const int group[] = {1, 2}, other[] = {3};
    const struct output_info made = {
        .plan = plan_text, .emitted = "", .conditions.isa = "generic", .events = 1, .workers = 4};
    struct failure failure = FAILURE_INIT;
    struct output_places places = {0};
    if (comm.rank > 0)
        return;
    unlink(path);
    assert_true(outputfile_create(path, &reducing, &made, &places, &failure));
    state_put(&places, 1, 0, 100);
    state_put(&places, 2, 4, 11);
    states_check(&places, group, 2, 8, 111);
    states_check(&places, other, 1, 0, 0);

    char *reported = calloc(1, store_group_size(&reducing));
    const int64_t part[4] = {100, INT64_MAX, INT64_MIN, 0};
    struct store *store = states_open(&places);
    assert_true(store_group_read(store, other, 1, reported)); /* nothing */
    store_group_add(&reducing, reported, &(struct package){.first = 0, .count = 4}, part);
    store_group_replace(store, group, 2, reported);
    assert_true(store_close(&store, &failure));
    states_check(&places, group, 2, 4, 100);
    states_check(&places, group, 1, 4, 100);
    states_check(&places, group + 1, 1, 0, 0);

    store = states_open(&places);
    assert_true(store_group_read(store, other, 1, reported));
    store_group_replace(store, group, 2, reported);
    assert_true(store_close(&store, &failure));
    states_check(&places, group, 2, 0, 0);
    free(reported);
    unlink(path);
}

static void job_begin(void)
{
    const struct census sum = {
        CENSUS_REDUCTION, SCOW_F32, {SLICES, ROWS, COLUMNS}, {1, BLOCK, BLOCK}};
    census_open(&reducing, &census_host, &sum);
    const struct census census = {
        CENSUS_GRID | CENSUS_PICTURE, SCOW_F32, {SLICES, ROWS, COLUMNS}, {1, BLOCK, BLOCK}};
    census_open(&job, &census_host, &census);
    snprintf(path, sizeof path, "store test ä:%ld.h5", (long)getpid());
    comm_broadcast(&comm, path, sizeof path);
}

/* What comes next removes the file that this rank may be the last one to look at. */
static int leave_together(void **state)
{
    (void)state;
    comm_barrier(&comm);
    return 0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    comm_init(&comm, link_mpi(MPI_COMM_WORLD));
    job_begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write_and_read),
        cmocka_unit_test(test_a_missing_file_is_refused_everywhere),
        cmocka_unit_test_teardown(test_an_existing_file_is_refused, leave_together),
        cmocka_unit_test(test_a_neighbour_is_left_alone),
        cmocka_unit_test(test_a_missing_directory_is_refused),
        cmocka_unit_test(test_a_full_disk_leaves_nothing),
        cmocka_unit_test(test_a_task_that_cannot_be_written),
        cmocka_unit_test(test_archives_refused),
        cmocka_unit_test(a_lost_group_keeps_what_it_has_reported),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    comm_barrier(&comm);
    if (comm.rank == 0)
        unlink(path);
    if (failed)
        MPI_Abort(MPI_COMM_WORLD, 1);
    job_close(&job);
    job_close(&reducing);
    MPI_Finalize();
    return 0;
}
