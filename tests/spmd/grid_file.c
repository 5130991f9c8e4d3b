/* The output of a run of strips: grids in two slots in turn, what happens to a damaged one, which
 * process may write to the file, and which files are not resumed. */
#include <fcntl.h>
#include <hdf5.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planner/files/strips_json.h"
#include "spmd/archive/strips_file.h"
#include "spmd/layout/grid_slots.h"
#include "spmd/layout/layout.h"
#include "spmd/strips/grid_file.h"
#include "tests/checks.h"

enum { ROWS = 5, COLUMNS = 7 };

/* Two strips; %d: iterations, %s: what else is said. */
static const char plan_format[] =
    "{\"schema\": \"scow-strips-1\", \"kernel\": \"jacobi\", \"parameters\": {\"north\": %d},\n"
    " \"rows\": 5, \"columns\": 7, \"iterations\": 100, \"every\": 10, \"keep\": true,\n"
    " \"strips\": [{\"rank\": 1, \"columns\": 4}, {\"rank\": 2, \"columns\": 3}]}\n";

static struct {
    char folder[64], path[96], text[512];
    struct strips_plan plan;
    struct comm comm;
    struct grid_file_setup setup;
    struct grid_file *file;
    struct grid_there there;
    struct failure failure;
} trial;

static void plan_take(int north)
{
    struct failure failure = FAILURE_INIT;
    strips_plan_release(&trial.plan);
    snprintf(trial.text, sizeof trial.text, plan_format, north);
    assert_true(strips_parse(&trial.plan, trial.text, strlen(trial.text), "plan", &failure));
}

static int trial_begin(void **state)
{
    (void)state;
    memset(&trial, 0, sizeof trial);
    strcpy(trial.folder, "/tmp/scow-grid-XXXXXX");
    if (!mkdtemp(trial.folder))
        return 1;
    snprintf(trial.path, sizeof trial.path, "%s/out.h5", trial.folder);
    plan_take(1);
    trial.setup = (struct grid_file_setup){.comm = &trial.comm,
                                           .path = trial.path,
                                           .plan = &trial.plan,
                                           .plan_text = trial.text,
                                           .command_line = "scow run"};
    return 0;
}

static int trial_end(void **state)
{
    (void)state;
    grid_file_close(&trial.file);
    strips_plan_release(&trial.plan);
    unlink(trial.path);
    return rmdir(trial.folder); /* nothing else is left */
}

static bool opened(bool resume, bool trust)
{
    trial.failure = (struct failure)FAILURE_INIT;
    trial.setup.resume = resume;
    trial.setup.trust = trust;
    return grid_file_open(&trial.setup, &trial.file, &trial.there, &trial.failure);
}

static void refused(enum failure_code code, const char *sentence)
{
    char whole[600];
    snprintf(whole, sizeof whole, "%s%s", trial.path, sentence);
    assert_string_equal(trial.failure.text, whole);
    assert_int_equal(trial.failure.code, code);
    grid_file_close(&trial.file);
}

/* A cell of the grid after so many iterations. */
static double cell(int64_t iterations, int64_t column, int64_t row)
{
    return (double)(iterations * 1000 + column * 10 + row);
}

/* Keeps the grid in pieces of different sizes. */
static void keep(int64_t iterations)
{
    const struct strips_grid grid = grid_file_grid(trial.file);
    double columns[COLUMNS][ROWS + 2];
    struct strip_measured strips[] = {{1, 4, 0.5, 0.25}, {2, 3, 0.5, 0.25}};
    const struct strips_outcome outcome = {.iterations = iterations,
                                           .change = 0.5,
                                           .complete = iterations == 100,
                                           .tests = iterations / 10,
                                           .strips = strips,
                                           .strip_count = 2};
    for (int64_t column = 0; column < COLUMNS; column++)
        for (int64_t row = 0; row < ROWS; row++)
            columns[column][row] = cell(iterations, column, row);
    assert_true(grid.begin(grid.self, &trial.failure));
    assert_true(grid.put(grid.self, 3, 4, columns[3], ROWS + 2, &trial.failure));
    assert_true(grid.put(grid.self, 0, 3, columns[0], ROWS + 2, &trial.failure));
    assert_true(grid.end(grid.self, &outcome, &trial.failure));
}

static void has(int64_t iterations)
{
    const struct strips_grid grid = grid_file_grid(trial.file);
    double columns[2][ROWS];
    assert_int_equal(trial.there.iterations, iterations);
    assert_true(grid.get(grid.self, 4, 2, columns[0], ROWS, &trial.failure));
    for (int64_t row = 0; row < ROWS; row++) {
        assert_true(columns[0][row] == cell(iterations, 4, row));
        assert_true(columns[1][row] == cell(iterations, 5, row));
    }
}

/* A cell of that place, behind the back of everybody. */
static void damage(int slot)
{
    const hid_t file = H5Fopen(trial.path, H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t grid =
        H5Dopen2(file, slot == 0 ? "/run/kept0/grid" : "/run/kept1/grid", H5P_DEFAULT);
    const hsize_t at[] = {2, 3}, one[] = {1, 1};
    const hid_t space = H5Dget_space(grid), memory = H5Screate_simple(2, one, NULL);
    const double other = 0.125;
    H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, one, NULL);
    assert_true(H5Dwrite(grid, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, &other) >= 0);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(grid);
    H5Fclose(file);
}

/* Returns what scow show --check says; "" if the file is good. */
static const char *checked(bool trust)
{
    struct text note = TEXT_INIT;
    trial.failure = (struct failure)FAILURE_INIT;
    strips_file_check(trial.path, trust, &note, &trial.failure);
    text_release(&note);
    return trial.failure.text[0] ? trial.failure.text + strlen(trial.path) : "";
}

/* The file, as a run that is killed behind so many grids leaves it. */
static void killed_after(int64_t first, int64_t second)
{
    assert_true(opened(false, false));
    keep(first);
    if (second > 0)
        keep(second);
    grid_file_close(&trial.file);
}

static void a_run_goes_on_with_the_last_grid(void **state)
{
    (void)state;
    killed_after(10, 20);
    assert_string_equal(checked(false),
                        ": 20 of 100 iterations are done: run the same again with --resume");
    assert_true(opened(true, false));
    has(20);
    keep(30);
    keep(100);
    assert_true(grid_file_seal(trial.file, true, &trial.failure));
    grid_file_close(&trial.file);
    assert_string_equal(checked(false), "");
    assert_true(opened(true, false)); /* nothing is left to do, and nothing is touched */
    assert_int_equal(trial.there.iterations, 100);
}

static void a_damaged_grid_is_named_and_the_one_before_is_taken(void **state)
{
    (void)state;
    killed_after(10, 20);
    damage(1);
    assert_string_equal(checked(false),
                        ": its grid after 20 iterations is not what was written: scow run --resume "
                        "goes on with the one before, after 10");
    assert_true(opened(true, false));
    assert_int_equal(trial.there.damaged, 20);
    has(10);
}

static void without_another_one_it_is_not_gone_on_with(void **state)
{
    (void)state;
    killed_after(10, 0);
    damage(0);
    assert_string_equal(checked(false), ": its grid after 10 iterations is not what was written, "
                                        "and there is no other: remove it, and run again");
    assert_string_equal(checked(true),
                        ": 10 of 100 iterations are done: run the same again with --resume");
    assert_false(opened(true, false));
    refused(FAILURE_MISMATCH, ": its grid after 10 iterations is not what was written, and there "
                              "is no other: remove it, and the run begins anew");
    assert_true(opened(true, true));
    assert_int_equal(trial.there.iterations, 10);
}

/* A grid that is being written when the run is killed does not count. */
static void a_grid_that_is_cut_does_not_count(void **state)
{
    (void)state;
    double columns[COLUMNS][ROWS] = {{0}};
    assert_true(opened(false, false));
    keep(10);
    keep(20);
    const struct strips_grid grid = grid_file_grid(trial.file);
    assert_true(grid.begin(grid.self, &trial.failure));
    assert_true(grid.put(grid.self, 0, 3, columns[0], ROWS, &trial.failure));
    trial.there.iterations = 20;
    has(20);
    grid_file_close(&trial.file);
    assert_true(opened(true, false));
    has(20);
}

static void nobody_else_may_write_to_it(void **state)
{
    struct grid_file *first;
    (void)state;
    assert_true(opened(false, false));
    first = trial.file;
    assert_string_equal(checked(false),
                        ": a run writes to it, and has kept no grid yet: look again later");
    assert_false(opened(false, false));
    refused(FAILURE_MISMATCH,
            ": a run that writes to it is still alive: wait for it, or choose another name");
    assert_false(opened(true, false));
    refused(FAILURE_MISMATCH,
            ": a run that writes to it is still alive: wait for it, or end it first");
    trial.file = first;
    keep(10);
    assert_string_equal(checked(false), ": a run that writes to it is still alive: wait for it");
    grid_file_close(&trial.file);
    assert_false(opened(false, false));
    refused(FAILURE_MISMATCH, ": exists already: choose another name or remove it first");
}

static void a_run_that_has_kept_nothing_begins_anew(void **state)
{
    (void)state;
    assert_true(opened(false, false));
    grid_file_close(&trial.file);
    assert_string_equal(checked(false), ": no grid is kept yet: run the same again with --resume");
    assert_true(opened(true, false));
    assert_int_equal(trial.there.iterations, 0);
    grid_file_discard(trial.file);
    assert_int_equal(access(trial.path, F_OK), -1);
}

static void text_write(const char *text)
{
    FILE *file = fopen(trial.path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void what_is_another_thing_is_left_alone(void **state)
{
    (void)state;
    text_write("text\n");
    assert_false(opened(true, false));
    refused(FAILURE_MISMATCH, ": is no readable HDF5 file: name another output");
    unlink(trial.path);
    H5Fclose(H5Fcreate(trial.path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    assert_false(opened(true, false));
    refused(FAILURE_MISMATCH, ": is no output of strips: name another output");
    unlink(trial.path);
    killed_after(10, 0);
    plan_take(2);
    assert_false(opened(true, false));
    refused(FAILURE_MISMATCH, ": holds another grid, of 5 rows and 7 columns or with other values "
                              "around it, than the plan's: name another output");
}

/* Cut anywhere, it is refused, or what is left of it is whole. */
static void a_file_that_is_cut_is_told(void **state)
{
    (void)state;
    killed_after(10, 20);
    const int file = open(trial.path, O_RDWR | O_CLOEXEC);
    const off_t whole = lseek(file, 0, SEEK_END);
    for (off_t size = whole - 1; size > 0; size -= whole / 40) {
        assert_int_equal(ftruncate(file, size), 0);
        if (opened(true, false))
            has(trial.there.iterations == 10 ? 10 : 20);
        else
            assert_int_equal(trial.failure.code, FAILURE_MISMATCH);
        assert_false(trial.failure.code == FAILURE_NONE && trial.there.iterations == 0);
        grid_file_close(&trial.file);
        if (trial.failure.code == FAILURE_NONE)
            break; /* it has been replaced */
    }
    close(file);
}

/* Files of version 0.1 have one grid, which was replaced as a whole. */
static void older_files_are_gone_on_with(void **state)
{
    static const struct kept_grid kept = {.iterations = 20, .change = 0.5};
    (void)state;
    killed_after(10, 20);
    const hid_t file = H5Fopen(trial.path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(grid_slot_show(file, 1, &kept));
    assert_true(H5Ldelete(file, LAYOUT_KEPT, H5P_DEFAULT) >= 0);
    assert_true(H5Ldelete(file, "/run/kept0", H5P_DEFAULT) >= 0);
    assert_true(H5Ldelete(file, "/run/kept1", H5P_DEFAULT) >= 0);
    H5Fclose(file);
    assert_true(opened(true, false));
    has(20);
}

int main(void)
{
#define TRIAL(name) cmocka_unit_test_setup_teardown(name, trial_begin, trial_end)
    const struct CMUnitTest tests[] = {
        TRIAL(a_run_goes_on_with_the_last_grid),
        TRIAL(a_damaged_grid_is_named_and_the_one_before_is_taken),
        TRIAL(without_another_one_it_is_not_gone_on_with),
        TRIAL(a_grid_that_is_cut_does_not_count),
        TRIAL(nobody_else_may_write_to_it),
        TRIAL(a_run_that_has_kept_nothing_begins_anew),
        TRIAL(what_is_another_thing_is_left_alone),
        TRIAL(a_file_that_is_cut_is_told),
        TRIAL(older_files_are_gone_on_with),
    };
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1); /* as the program's start does */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
