/* Everything that core tasks leave, written to the output file and read back by HDF5 alone, as
 * other programs do: grids, records, emitted bytes, partial states, the outcome. */
#include <hdf5.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "spmd/archive/archive.h"
#include "spmd/archive/records.h"
#include "spmd/layout/layout.h"
#include "spmd/output/outputfile.h"
#include "spmd/output/store.h"
#include "spmd/transport/link_mpi.h"
#include "tests/spmd/census.h"

enum { PACKAGE = 4 };

static struct comm comm;
static char path[200], emitted[220];

static const char plan_text[] =
    "{\"schema\": \"scow-plan-1\", \"kernel\": \"census-host\", \"scheduler\": \"by hand\", "
    "\"tasks\": 75, \"workers\": [0], \"rounds\": [{\"repeat\": 1, \"loads\": [75]}]}";
static const char outcome_text[] = "{\"tasks\": 75}";

/* ---- writing ---- */

static bool behind;                     /* results are written behind */
static const char *ordered = "natural"; /* how packages take core tasks */

/* Waits until a write that is under way is over. */
static void results_await(struct store *store)
{
    struct failure failure = FAILURE_INIT;
    double end_s;
    while (!store_await(store, 1, &end_s, &failure))
        ;
    assert_string_equal(failure.text, "");
}

static void results_hand_over(struct store *store, const struct package_results *results)
{
    struct failure failure = FAILURE_INIT;
    assert_true(store_stage(store, results, &failure));
    results_await(store);
    store_begin(store);
}

static void package_write(struct store *store, struct engine *engine, const struct job *job,
                          int64_t first, int64_t count, struct summary *summary)
{
    const struct engine_pulse no_pulse = {NULL, NULL};
    struct failure failure = FAILURE_INIT;
    size_t size;
    void *package = census_package(job, first, count, &size);
    assert_true(engine_compute(engine, first, count, package, size, no_pulse, &failure));
    assert_true(summary_add(summary, job, engine_results(engine), &failure));
    if (job->values.write_behind)
        results_hand_over(store, engine_results(engine));
    else
        assert_true(store_write(store, engine_results(engine), &failure));
    free(package);
}

/* Local: the packages of a worker, from the last to the first. */
static void worker_write(struct store *store, const struct job *job)
{
    struct failure failure = FAILURE_INIT;
    struct summary summary;
    const int64_t tasks = job->setup.tasks;
    struct engine *engine = engine_new(job, PACKAGE, 1, comm.rank, &failure);
    assert_non_null(engine);
    if (behind)
        assert_true(store_reserve(store, PACKAGE, &failure));
    summary_init(&summary);
    for (int64_t k = (tasks - 1) / PACKAGE; k >= 0; k--)
        if (k % (comm.size - 1) == comm.rank - 1)
            package_write(store, engine, job, k * PACKAGE,
                          tasks - k * PACKAGE < PACKAGE ? tasks - k * PACKAGE : PACKAGE, &summary);
    engine_free(&engine);
    if (behind)
        results_await(store);
}

static void seal(void)
{
    struct failure failure = FAILURE_INIT;
    struct summary summary;
    summary_init(&summary);
    summary.failed = 7;
    const struct output_outcome outcome = {.summary = &summary, .outcome = outcome_text};
    assert_true(outputfile_seal(path, &outcome, &failure));
}

/* Collective. The whole job into the file, by all workers. */
static void job_write(struct job *job, const struct census *census, struct output_places *places)
{
    struct failure failure = FAILURE_INIT;
    const struct store_setup setup = {.path = path, .emitted = emitted};
    const struct output_info info = {.plan = plan_text,
                                     .plugin = "/somewhere/mine.so",
                                     .plugin_sha256 = "abc",
                                     .emitted = emitted,
                                     .conditions = {.isa = "generic",
                                                    .processor = "a processor",
                                                    .threads = 3,
                                                    .workers_per_node = 2},
                                     .workers = comm.size - 1};
    census_open(job, &census_host, census);
    job->values.write_behind = behind;
    assert_true(order_parse(ordered, &job->order));
    job->order.tasks = job->setup.tasks;
    if (comm.rank == 0)
        assert_true(outputfile_create(path, job, &info, places, &failure));
    struct store *store = store_open_together(&setup, places, &comm, job, &failure);
    assert_non_null(store);
    if (comm.rank > 0)
        worker_write(store, job);
    assert_true(store_close(&store, &failure));
    comm_barrier(&comm);
}

/* Collective. */
static void job_remove(struct job *job)
{
    char name[240];
    comm_barrier(&comm);
    job_close(job);
    snprintf(name, sizeof name, "%s.%d", emitted, comm.rank);
    unlink(name);
    if (comm.rank == 0)
        unlink(path);
    comm_barrier(&comm);
}

/* ---- grids ---- */

static hid_t type_of(int type)
{
    const hid_t types[] = {
        [SCOW_U8] = H5T_STD_U8LE,    [SCOW_U16] = H5T_STD_U16LE,  [SCOW_U32] = H5T_STD_U32LE,
        [SCOW_U64] = H5T_STD_U64LE,  [SCOW_I32] = H5T_STD_I32LE,  [SCOW_I64] = H5T_STD_I64LE,
        [SCOW_F32] = H5T_IEEE_F32LE, [SCOW_F64] = H5T_IEEE_F64LE,
    };
    return types[type];
}

static void check_shape(hid_t dataset, const struct census *census)
{
    hsize_t shape[3];
    hid_t space = H5Dget_space(dataset), creation = H5Dget_create_plist(dataset);
    hid_t type = H5Dget_type(dataset);
    assert_int_equal(H5Sget_simple_extent_dims(space, shape, NULL), 3);
    assert_int_equal(H5Pget_layout(creation), H5D_CONTIGUOUS);
    for (int i = 0; i < 3; i++)
        assert_int_equal(shape[i], census->extent[i]);
    assert_true(H5Tequal(type, type_of(census->type)) > 0);
    H5Tclose(type);
    H5Pclose(creation);
    H5Sclose(space);
}

/* Doubles hold every value of every type here. */
static void check_grid(const struct census *census)
{
    enum { CELLS_MOST = 2000 };
    static double values[CELLS_MOST];
    const int64_t *extent = census->extent;
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t dataset = H5Dopen2(file, "/response", H5P_DEFAULT);
    check_shape(dataset, census);
    assert_true(extent[0] * extent[1] * extent[2] <= CELLS_MOST);
    assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    const double *value = values;
    for (int64_t z = 0; z < extent[0]; z++)
        for (int64_t y = 0; y < extent[1]; y++)
            for (int64_t x = 0; x < extent[2]; x++)
                assert_true(*value++ == census_value(census->type, z, y, x));
    assert_true(H5Lexists(file, "/result", H5P_DEFAULT) == 0);
    assert_true(H5Lexists(file, "/emitted", H5P_DEFAULT) == 0);
    assert_true(H5Lexists(file, "/partial", H5P_DEFAULT) == 0);
    H5Dclose(dataset);
    H5Fclose(file);
}

/* A line, a picture and a volume, in tiles of one size and of several. */
static const struct census shapes[] = {
    {.extent = {1, 1, 37}, .tile = {1, 1, 5}},
    {.extent = {1, 13, 11}, .tile = {1, 4, 3}},
    {.extent = {5, 7, 9}, .tile = {2, 3, 4}},
    {.extent = {3, 4, 4}, .tile = {1, 4, 4}},
};

/* Each type in one shape, each shape in two types. */
static void grids_of_every_type_and_shape(void **state)
{
    (void)state;
    for (int type = SCOW_U8; type <= SCOW_F64; type++) {
        struct census census = shapes[(size_t)(type - SCOW_U8) % COUNT_OF(shapes)];
        struct output_places places = {0};
        struct job job;
        census.type = type;
        census.parts = CENSUS_GRID;
        job_write(&job, &census, &places);
        if (comm.rank == 0)
            check_grid(&census);
        job_remove(&job);
    }
}

/* ---- everything else ---- */

static const struct census everything = {
    .parts = CENSUS_ALL, .type = SCOW_U16, .extent = {9, 13, 11}, .tile = {2, 3, 4}};
enum { TASKS = 75 };

/* As its reader wants it: another order, and without the rank. */
struct row {
    char name[12];
    double squares[3];
    int32_t number;
};

static void check_records(hid_t file)
{
    static struct row rows[TASKS];
    const hsize_t three = 3;
    hid_t name = H5Tcopy(H5T_C_S1), squares = H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &three);
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct row));
    H5Tset_size(name, 12);
    H5Tset_cset(name, H5T_CSET_UTF8);
    H5Tinsert(type, "name", offsetof(struct row, name), name);
    H5Tinsert(type, "squares", offsetof(struct row, squares), squares);
    H5Tinsert(type, "number", offsetof(struct row, number), H5T_NATIVE_INT32);
    hid_t dataset = H5Dopen2(file, "/result", H5P_DEFAULT);
    assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0);
    for (int64_t task = 0; task < TASKS; task++) {
        char expected[12];
        snprintf(expected, sizeof expected, "task %d", (int)(task % 1000));
        assert_int_equal(rows[task].number, task);
        assert_string_equal(rows[task].name, expected);
        assert_true(rows[task].squares[2] == (double)((task + 2) * (task + 2)));
    }
    H5Dclose(dataset);
    H5Tclose(type);
    H5Tclose(squares);
    H5Tclose(name);
}

static void *rows_read(hid_t file, const char *name, hid_t type, size_t bytes)
{
    void *rows = calloc(1, bytes);
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    assert_non_null(rows);
    assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0);
    H5Dclose(dataset);
    return rows;
}

static void check_emitted_bytes(const struct layout_emitted *row, const char *expected)
{
    char name[240], bytes[200] = "";
    snprintf(name, sizeof name, "%s.%d", emitted, row->rank);
    FILE *in = fopen(name, "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, (long)row->place, SEEK_SET), 0);
    assert_int_equal(fread(bytes, 1, (size_t)row->size, in), row->size);
    assert_string_equal(bytes, expected);
    fclose(in);
}

/* Numbers that failed tasks emitted are kept, too. */
static void check_emitted(hid_t file)
{
    hid_t type = layout_emitted_type();
    struct layout_emitted *rows =
        rows_read(file, "/emitted", type, TASKS * sizeof(struct layout_emitted));
    for (int64_t task = 0; task < TASKS; task++) {
        char expected[200] = "";
        size_t size = 0;
        for (int piece = 0; piece < census_pieces(task); piece++)
            size += census_piece(task, piece, expected + size);
        assert_int_equal(rows[task].size, size);
        assert_int_equal(rows[task].rank > 0 && rows[task].rank<comm.size, size> 0);
        if (size > 0)
            check_emitted_bytes(&rows[task], expected);
    }
    free(rows);
    H5Tclose(type);
}

static void check_ledger(hid_t file)
{
    uint8_t *ledger = rows_read(file, "/ledger", H5T_NATIVE_UINT8, TASKS);
    for (int64_t task = 0; task < TASKS; task++)
        assert_int_equal(ledger[task], census_rejected(task) ? 2 : 1);
    free(ledger);
}

/* The reason of every task that failed is kept, whichever package it was in. */
static void check_reasons(hid_t file)
{
    const size_t size = layout_reason_size(TASKS);
    const hid_t type = layout_text_type(size);
    char *reasons = rows_read(file, "/reason", type, TASKS * size);
    for (int64_t task = 0; task < TASKS; task++) {
        char why[120] = "";
        if (census_rejected(task))
            census_rejection(task, why, sizeof why);
        assert_string_equal(reasons + (size_t)task * size, why);
    }
    free(reasons);
    H5Tclose(type);
}

/* ---- reductions ---- */

/* Bytes of /partial, [worker][2][slot]. */
static char *slots_read(hid_t file)
{
    const size_t size = layout_slot_size(sizeof(struct census_state));
    return rows_read(file, "/partial", H5T_NATIVE_UINT8, (size_t)(comm.size - 1) * 2 * size);
}

/* The later one of a worker's slots that are whole; NULL: none is. */
static const struct layout_partial *slot_latest(const char *slots, int worker)
{
    const size_t size = layout_slot_size(sizeof(struct census_state));
    const struct layout_partial *latest = NULL;
    for (int k = 0; k < 2; k++) {
        const struct layout_partial *slot =
            (const struct layout_partial *)(const void *)(slots +
                                                          (size_t)(2 * (worker - 1) + k) * size);
        if (slot->sequence > 0 &&
            layout_slot_digest(slot, slot + 1, sizeof(struct census_state)) == slot->digest &&
            (!latest || slot->sequence > latest->sequence))
            latest = slot;
    }
    return latest;
}

static void check_partial(hid_t file, const struct job *job)
{
    char *slots = slots_read(file);
    struct census_state sum;
    uint64_t squares = 0, packages = 0;
    job->task->reset(job->opened, &sum);
    for (int worker = 1; worker < comm.size; worker++) {
        const struct layout_partial *slot = slot_latest(slots, worker);
        assert_non_null(slot);
        job->task->merge(job->opened, &sum, slot + 1);
        packages += slot->sequence;
        assert_int_equal(slot->first, (worker - 1) * PACKAGE); /* packages are done backwards */
        assert_int_equal(slot->count, PACKAGE);
    }
    for (uint64_t task = 0; task < TASKS; task++)
        squares += task * task;
    assert_int_equal(sum.tasks, TASKS);
    assert_int_equal(sum.least, 0);
    assert_int_equal(sum.greatest, TASKS - 1);
    assert_true(sum.squares == squares);
    assert_int_equal(packages, (TASKS + PACKAGE - 1) / PACKAGE);
    free(slots);
}

/* A worker that dies while it writes one slot leaves the other: everything but one package. */
static void check_torn(const struct output_places *places)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    char *slots = slots_read(file);
    H5Fclose(file);
    const struct layout_partial *slot = slot_latest(slots, 1);
    const uint64_t sequence = slot->sequence;
    const long place = (long)places->partial + (long)((const char *)slot - slots);
    const struct census_state whole = *(const struct census_state *)(const void *)(slot + 1);
    free(slots);
    FILE *out = fopen(path, "rb+");
    assert_non_null(out);
    assert_int_equal(fseek(out, place + (long)sizeof *slot, SEEK_SET), 0);
    assert_int_equal(fputc('x', out), 'x');
    assert_int_equal(fclose(out), 0);
    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    slots = slots_read(file);
    H5Fclose(file);
    slot = slot_latest(slots, 1);
    assert_non_null(slot);
    assert_int_equal(slot->sequence, sequence - 1);
    assert_int_equal(slot->first, (comm.size - 1) * PACKAGE); /* the package before */
    assert_int_equal(((const struct census_state *)(const void *)(slot + 1))->tasks,
                     whole.tasks - PACKAGE);
    free(slots);
}

/* ---- through our own reader ---- */

static void check_archive(void)
{
    struct run_record record;
    struct failure failure = FAILURE_INIT;
    assert_true(archive_read(path, 0, &record, &failure));
    assert_int_equal(record.tasks, TASKS);
    assert_int_equal(record.tasks_failed, 7);
    assert_int_equal(record.tasks_done, TASKS - 7);
    assert_string_equal(record.outcome, outcome_text);
    assert_string_equal(record.plugin, "/somewhere/mine.so");
    assert_null(record.input);
    run_record_release(&record);
}

static void check_task(int64_t task, const char *expected)
{
    struct text text = TEXT_INIT;
    struct failure failure = FAILURE_INIT;
    assert_true(archive_task(path, task, &text, &failure));
    char *words = text_take(&text), *rank = strstr(words, "rank        ");
    assert_non_null(rank);
    rank[12] = '#'; /* whose task it was is nobody's business here */
    assert_string_equal(words, expected);
    free(words);
}

static void check_tasks(void)
{
    struct text text = TEXT_INIT;
    struct failure failure = FAILURE_INIT;
    check_task(5, "core task   6\nstate       done\nnumber      5\nsquares     25, 36, 49\n"
                  "name        task 5\nrank        #\n5, piece 0\n5, piece 1\n");
    check_task(4, "core task   5\nstate       failed\nnumber      4\nsquares     16, 25, 36\n"
                  "name        task 4\nrank        #\n4, piece 0\n");
    check_task(3, "core task   4\nstate       done\nnumber      3\nsquares     9, 16, 25\n"
                  "name        task 3\nrank        #\n");
    assert_false(archive_task(path, TASKS, &text, &failure));
    assert_int_equal(failure.code, FAILURE_USAGE);
    assert_non_null(strstr(failure.text, ": has core tasks 1 to 75, and no 76"));
}

/* As text, with all that a record holds. */
static void check_table(void)
{
    char name[240], line[200];
    snprintf(name, sizeof name, "%s.csv", path);
    struct text note = TEXT_INIT;
    struct failure failure = FAILURE_INIT;
    const struct records_request request = {path, name, RECORDS_CSV};
    assert_true(records_write(&request, &note, &failure));
    assert_null(note.bytes);
    FILE *in = fopen(name, "r");
    assert_non_null(in);
    const char *const wanted[] = {
        "task,state,reason,number,squares[0],squares[1],squares[2],name,rank",
        "1,done,,0,0,1,4,task 0,",
        "2,done,,1,1,4,9,task 1,",
        "3,done,,2,4,9,16,task 2,",
        "4,done,,3,9,16,25,task 3,",
        "5,failed,task 4 is 4 more than a multiple of 11,4,16,25,36,task 4,"};
    for (size_t k = 0; k < COUNT_OF(wanted); k++) {
        assert_non_null(fgets(line, sizeof line, in));
        line[strlen(wanted[k])] = '\0'; /* but for the rank */
        assert_string_equal(line, wanted[k]);
    }
    fclose(in);
    unlink(name);
}

/* HDF5 readers want the text by itself. */
static void check_outcome(hid_t file)
{
    hid_t dataset = H5Dopen2(file, "/run/result", H5P_DEFAULT);
    hid_t type = H5Dget_type(dataset);
    char *text = calloc(H5Tget_size(type) + 1, 1);
    assert_non_null(text);
    assert_int_equal(H5Tget_class(type), H5T_STRING);
    assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    assert_string_equal(text, outcome_text);
    free(text);
    H5Tclose(type);
    H5Dclose(dataset);
}

static void check_everything(const struct job *job, const struct output_places *places)
{
    seal();
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    check_records(file);
    check_emitted(file);
    check_ledger(file);
    check_reasons(file);
    check_partial(file, job);
    check_outcome(file);
    H5Fclose(file);
    check_archive();
    check_tasks();
    check_table();
    check_torn(places);
}

static void all_kinds_together(void **state)
{
    (void)state;
    struct output_places places = {0};
    struct job job;
    job_write(&job, &everything, &places);
    if (comm.rank == 0)
        check_everything(&job, &places);
    job_remove(&job);
}

/* Of a rank that emits to FILE.R. */
static void check_emitting_fails(const char *file, enum failure_code code, const char *sentence)
{
    struct failure failure = FAILURE_INIT;
    struct output_places places = {0};
    const struct store_setup setup = {.path = path, .emitted = file};
    const struct output_info info = {
        .plan = plan_text, .emitted = emitted, .conditions.isa = "", .workers = comm.size - 1};
    const struct census census = {CENSUS_EMITS, SCOW_F32, {1, 1, 8}, {1, 1, 1}};
    struct job job;
    census_open(&job, &census_host, &census);
    if (comm.rank == 0)
        assert_true(outputfile_create(path, &job, &info, &places, &failure));
    struct store *store = store_open_together(&setup, &places, &comm, &job, &failure);
    assert_non_null(store);
    unsigned char ledger = 1;
    char byte = 'x';
    struct emission emission = {2, 0, 1, 0};
    const struct package_results results = {
        .first = 2, .count = 1, .emissions = {&emission, 1, 1, &byte, 1, 1}, .ledger = &ledger};
    assert_false(store_write(store, &results, &failure));
    assert_failure(failure, code, sentence);
    failure = (struct failure)FAILURE_INIT;
    assert_true(store_close(&store, &failure));
    job_remove(&job);
}

/* A file that is in the way of what a rank's tasks emit is reported, not overwritten. */
static void a_file_in_the_way_is_told(void **state)
{
    (void)state;
    char name[240], sentence[480];
    snprintf(name, sizeof name, "%s.%d", emitted, comm.rank);
    snprintf(sentence, sizeof sentence,
             "%s: cannot be created: File exists: remove it, or choose another name with --results",
             name);
    FILE *out = fopen(name, "w");
    assert_non_null(out);
    fclose(out);
    check_emitting_fails(emitted, FAILURE_MISMATCH, sentence);
}

static void a_missing_directory_is_told(void **state)
{
    (void)state;
    char sentence[480];
    snprintf(sentence, sizeof sentence,
             "/nonexistent/x.%d: cannot be created: No such file or directory: choose another "
             "place with --results",
             comm.rank);
    check_emitting_fails("/nonexistent/x", FAILURE_FAILED, sentence);
}

static void behind_computing_they_are_written_the_same(void **state)
{
    behind = true;
    grids_of_every_type_and_shape(state);
    all_kinds_together(state);
    behind = false;
}

static void in_any_order_they_lie_where_they_belong(void **state)
{
    static const char *const orders[] = {"stride:7", "random:1"};
    for (size_t k = 0; k < COUNT_OF(orders); k++) {
        ordered = orders[k];
        behind = k == 1;
        grids_of_every_type_and_shape(state);
        all_kinds_together(state);
    }
    ordered = "natural";
    behind = false;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    comm_init(&comm, link_mpi(MPI_COMM_WORLD));
    snprintf(path, sizeof path, "results-test-%ld.h5", (long)getpid());
    comm_broadcast(&comm, path, sizeof path);
    snprintf(emitted, sizeof emitted, "%s.results", path);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_of_every_type_and_shape),
        cmocka_unit_test(all_kinds_together),
        cmocka_unit_test(behind_computing_they_are_written_the_same),
        cmocka_unit_test(in_any_order_they_lie_where_they_belong),
        cmocka_unit_test(a_missing_directory_is_told),
        cmocka_unit_test(a_file_in_the_way_is_told),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
