/* What a search in levels keeps: which output belongs to which level, what a level is made from,
 * and what its core tasks have emitted. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "planner/model/selection.h"
#include "spmd/job/output_name.h"
#include "spmd/layout/layout.h"
#include "spmd/layout/level_file.h"
#include "spmd/resume/levels_kept.h"
#include "spmd/resume/survivors.h"
#include "spmd/run/ranks_left.h"
#include "tests/checks.h"

static void plan_runs_are(const struct ranks_left *left, const struct plan *plan,
                          const struct profile *profile, const char *expected)
{
    struct plan_selection selection;
    char runs[64] = "";
    size_t at = 0;
    assert_true(ranks_left_select(left, plan, profile, &selection));
    for (size_t k = 0; k < selection.count; k++)
        at += (size_t)snprintf(runs + at, sizeof runs - at, "%d-%d ", (int)selection.runs[k].first,
                               (int)selection.runs[k].last);
    assert_string_equal(runs, expected);
    selection_release(&selection);
}

/* Of two quick workers and three slow ones: who is left keeps its costs, whatever the plan has
 * chosen before, and those beyond the profile come behind the others. */
static void who_is_left_keeps_its_costs(void **state)
{
    (void)state;
    struct profile_worker classes[] = {{.count = 2}, {.count = 3}};
    struct profile_window window = {.workers = classes, .worker_count = 2};
    struct profile_setting setting = {.windows = &window, .window_count = 1};
    const struct profile profile = {.settings = &setting, .setting_count = 1};
    struct plan_run chosen = {1, 4};
    const struct plan all = {.tasks = 1}, some = {.selected = {&chosen, 1}};
    int ranks[] = {0, 1, 3, 4};
    struct comm comm = {.size = 4};
    struct ranks_left left = {.comm = &comm};
    plan_runs_are(&left, &all, &profile, "");
    plan_runs_are(&left, &some, &profile, "1-4 ");
    left.ranks = ranks;
    plan_runs_are(&left, &all, &profile, "0-0 2-3 ");
    plan_runs_are(&left, &some, &profile, "1-1 3-4 ");
    ranks[3] = 7;
    plan_runs_are(&left, &all, &profile, "0-0 2-2 ");
}

static const char output[] = "levels.h5";

static void words_write(const char *name, const char *words)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(words, file);
    assert_int_equal(fclose(file), 0);
}

static void rows_make(hid_t file, const char *name, hid_t type, hsize_t count, const void *rows)
{
    const hid_t space = H5Screate_simple(1, &count, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
    const hid_t made = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    assert_true(made >= 0 && H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0);
    H5Dclose(made);
    H5Pclose(creation);
    H5Sclose(space);
}

/* The output of that level, of three core tasks, which emitted "one", nothing and "three" into two
 * files. */
static int64_t third_size = 5; /* that the output says */

static void level_write(const char *name, int64_t level, const char *shared)
{
    const uint8_t ledger[3] = {1, 1, 1};
    const struct layout_emitted emitted[3] = {{.rank = 2, .place = 1, .size = 3},
                                              {.rank = 0},
                                              {.rank = 1, .place = 0, .size = third_size}};
    const struct job job = {
        .setup = {.level = level, .shared = shared, .shared_size = strlen(shared)}};
    const hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = layout_emitted_type(), text = layout_text_type(strlen("left"));
    assert_true(file >= 0);
    H5Gclose(H5Gcreate2(file, "/run", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    rows_make(file, LAYOUT_LEDGER, H5T_NATIVE_UINT8, 3, ledger);
    rows_make(file, LAYOUT_EMITTED, type, 3, emitted);
    assert_true(level_file_put(file, &job, level > 1 ? "levels.level1.h5" : NULL));
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t base = H5Acreate2(file, LAYOUT_RESULTS, text, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(base >= 0 && H5Awrite(base, text, "left") >= 0);
    H5Aclose(base);
    H5Sclose(space);
    H5Tclose(text);
    H5Tclose(type);
    assert_true(H5Fclose(file) >= 0);
}

static bool is_there(const char *name)
{
    struct stat status;
    return stat(name, &status) == 0;
}

static void names(void **state)
{
    (void)state;
    char *name = output_name_level("dir/out.h5", 12);
    assert_string_equal(name, "dir/out.level12.h5");
    char *search = output_name_search(name, 12), *other = output_name_search(name, 2);
    assert_string_equal(search, "dir/out.h5");
    assert_string_equal(other, name);
    free(search);
    free(other);
    free(name);
}

static void a_level_comes_back_from_its_output(void **state)
{
    (void)state;
    struct description level;
    char *before;
    level_write(output, 3, "prefixes");
    assert_true(level_file_get(output, &level));
    assert_int_equal(level.level, 3);
    assert_int_equal(level.tasks, 3);
    assert_int_equal(level.shared_size, 8);
    assert_memory_equal(level.shared, "prefixes", 8);
    description_release(&level);
    const hid_t file = H5Fopen(output, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_int_equal(level_file_number(file, &before), 3);
    assert_string_equal(before, "levels.level1.h5");
    free(before);
    assert_false(level_file_is_last(file));
    H5Fclose(file);
    level_file_end(output);
    const hid_t again = H5Fopen(output, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(level_file_is_last(again));
    H5Fclose(again);
    level_file_end("missing.h5"); /* nothing happens */
    words_write(output, "no HDF5");
    assert_false(level_file_get(output, &level));
    description_release(&level);
    unlink(output);
}

/* The first level is as its task describes it. */
static void a_search_begins_or_goes_on(void **state)
{
    (void)state;
    struct failure failure = FAILURE_INIT;
    struct description level;
    assert_true(levels_kept_find(output, false, &level, &failure));
    assert_int_equal(level.tasks, 0);
    level_write(output, 1, "");
    assert_true(levels_kept_find(output, true, &level, &failure));
    assert_int_equal(level.tasks, 0);
    assert_true(levels_kept_add(output, 1, &failure));
    assert_false(is_there(output));
    level_write(output, 2, "second");
    assert_true(levels_kept_find(output, true, &level, &failure));
    assert_int_equal(level.level, 2);
    description_release(&level);
    assert_true(levels_kept_find(output, false, &level, &failure)); /* creating it will refuse */
    assert_int_equal(level.tasks, 0);
    unlink(output);
    unlink("levels.level1.h5");
}

/* A bit of it has changed. */
static void a_damaged_level_is_not_gone_on_with(void **state)
{
    (void)state;
    struct failure failure = FAILURE_INIT;
    struct description level;
    level_write(output, 2, "second");
    const hid_t file = H5Fopen(output, H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, LAYOUT_LEVEL_SHARED, H5P_DEFAULT);
    assert_true(H5Dwrite(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, "sEcond") >= 0);
    H5Dclose(dataset);
    H5Fclose(file);
    assert_false(levels_kept_find(output, true, &level, &failure));
    assert_failure(failure, FAILURE_MISMATCH,
                   "levels.h5: what level 2 is made of is not what was written there: remove it "
                   "with what its core tasks have left (.level2), and --resume begins it again");
    unlink(output);
}

static void between_two_levels_the_last_one_is_taken(void **state)
{
    (void)state;
    struct failure failure = FAILURE_INIT;
    struct description level;
    level_write("levels.level1.h5", 1, "");
    level_write("levels.level2.h5", 2, "second");
    assert_false(levels_kept_find(output, false, &level, &failure));
    assert_failure(failure, FAILURE_MISMATCH,
                   "levels.level1.h5: is a level of a search that was begun before: go on with it "
                   "by --resume, remove its levels, or choose another name");
    failure = (struct failure)FAILURE_INIT;
    assert_true(levels_kept_find(output, true, &level, &failure));
    assert_int_equal(level.level, 2);
    assert_true(is_there(output) && !is_there("levels.level2.h5"));
    description_release(&level);
    unlink(output);
    unlink("levels.level1.h5");
}

/* ---- what reaches the disk ------------------------------------------------------------------ */

/* In the order in which it was flushed: o the output, k the level that is kept, in its directory.
 */
static bool watched;
static char flushed[16];
static char refused; /* what cannot be written */

int __real_fsync(int file);
int __wrap_fsync(int file);

int __wrap_fsync(int file)
{
    struct stat status, other;
    if (!watched)
        return __real_fsync(file);
    assert_int_equal(fstat(file, &status), 0);
    const bool folder = S_ISDIR(status.st_mode);
    const char *name = folder ? "." : output;
    assert_int_equal(stat(name, &other), 0);
    assert_true(status.st_ino == other.st_ino);
    const char what = !folder ? 'o' : is_there("levels.level1.h5") && !is_there(output) ? 'k' : '-';
    strncat(flushed, (char[]){what, 0}, sizeof flushed - strlen(flushed) - 1);
    if (what != refused)
        return __real_fsync(file);
    errno = EIO;
    return -1;
}

/* Or a power failure leaves a level of which nobody knows. */
static void a_level_is_on_the_disk_and_then_its_name(void **state)
{
    (void)state;
    struct failure failure = FAILURE_INIT;
    level_write(output, 1, "");
    watched = true;
    assert_true(levels_kept_add(output, 1, &failure));
    assert_string_equal(flushed, "ok");
    assert_int_equal(rename("levels.level1.h5", output), 0);
    refused = 'o';
    assert_false(levels_kept_add(output, 1, &failure));
    assert_failure(failure, FAILURE_FAILED,
                   "levels.h5: could not be written to the disk: is it full?");
    assert_true(is_there(output));
    failure = (struct failure)FAILURE_INIT;
    refused = 'k';
    assert_false(levels_kept_add(output, 1, &failure));
    assert_failure(failure, FAILURE_FAILED,
                   "levels.level1.h5: could not be written to the disk: is it full?");
    watched = false;
    unlink("levels.level1.h5");
}

static void another_search_keeps_its_levels(void **state)
{
    (void)state;
    struct failure failure = FAILURE_INIT;
    words_write(output, "this one's");
    words_write("levels.level4.h5", "another's");
    assert_false(levels_kept_add(output, 4, &failure));
    assert_failure(failure, FAILURE_MISMATCH,
                   "levels.level4.h5: is of another search, and this one's level would take its "
                   "place: move or remove it, and run the same again with --resume");
    assert_true(is_there(output));
    unlink(output);
    unlink("levels.level4.h5");
}

static void survivors_are_those_of_their_tasks(void **state)
{
    (void)state;
    struct failure failure = FAILURE_INIT;
    struct survivors survivors;
    level_write(output, 1, "");
    words_write("left.1", "three");
    words_write("left.2", ".one.");
    assert_true(survivors_read(&survivors, output, 3, &failure));
    assert_int_equal(survivors.all.tasks, 3);
    assert_int_equal(survivors.all.at[1], 3);
    assert_int_equal(survivors.all.at[2], 3);
    assert_int_equal(survivors.all.at[3], 8);
    assert_memory_equal(survivors.all.bytes, "onethree", 8);
    survivors_release(&survivors);
    assert_false(survivors_read(&survivors, output, 4, &failure));
    assert_non_null(strstr(failure.text, "does not say what its core tasks have left"));
    survivors_release(&survivors);
    failure = (struct failure)FAILURE_INIT;
    words_write("left.1", "thr");
    assert_false(survivors_read(&survivors, output, 3, &failure));
    assert_non_null(strstr(failure.text, "left.1: does not hold what the run's output says"));
    survivors_release(&survivors);
    unlink("left.1");
    unlink("left.2");
    const int64_t damaged[] = {-5, INT64_MAX};
    for (size_t k = 0; k < COUNT_OF(damaged); k++) {
        failure = (struct failure)FAILURE_INIT;
        third_size = damaged[k];
        level_write(output, 1, "");
        assert_false(survivors_read(&survivors, output, 3, &failure));
        assert_non_null(strstr(failure.text, "does not say what its core tasks have left"));
        survivors_release(&survivors);
    }
    third_size = 5;
    unlink(output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_left_keeps_its_costs),
        cmocka_unit_test(names),
        cmocka_unit_test(a_level_comes_back_from_its_output),
        cmocka_unit_test(a_search_begins_or_goes_on),
        cmocka_unit_test(a_damaged_level_is_not_gone_on_with),
        cmocka_unit_test(between_two_levels_the_last_one_is_taken),
        cmocka_unit_test(a_level_is_on_the_disk_and_then_its_name),
        cmocka_unit_test(another_search_keeps_its_levels),
        cmocka_unit_test(survivors_are_those_of_their_tasks),
    };
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
