/* What a sample says about a search's levels, and what costs follow. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "calibrate/levels_probe.h"
#include "kernel/motif/motif.h"
#include "tests/checks.h"

static const char name[] = "levels.fa";

static struct input *sequences_open(void)
{
    struct failure failure = FAILURE_INIT;
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(">a\nGGCGTAGACAATTA\n>b\nCATAACAACGTAGT\n>c\nCAGCACGTTACTTG\n>d\nTTGGACGGATGTGA\n"
          ">e\nACGGATTAAGGGTT\n",
          file);
    assert_int_equal(fclose(file), 0);
    struct input *input = input_open(SCOW_INPUT_SEQUENCES, name, &failure);
    assert_true(input && input_load(input, &failure));
    return input;
}

static void job_make(struct job *job, struct input *input)
{
    struct parameter_list list = {0};
    struct values values;
    struct description description;
    struct failure failure = FAILURE_INIT;
    assert_true(parameter_list_add(&list, "length", NULL, 5));
    assert_true(values_read(&values, &motif_levels_task, &list, "x", true, &failure));
    assert_true(job_describe(&description, &motif_levels_task, &values, input, &failure));
    assert_true(job_open(job, &motif_levels_task, &values, &description, name, &failure));
    description_release(&description);
    values_release(&values);
    parameter_list_release(&list);
}

/* All of each level is computed, for that is little: its counts are those of the search itself
 * (tests/kernel/test_motif_levels.c). */
static void small_levels_are_known_whole(void **state)
{
    (void)state;
    static const struct {
        int64_t tasks;
        double next;
    } expected[] = {{10, 10}, {100, 0.84}, {84, 7.0 / 84}, {7, 0}};
    const struct comm alone = {.size = 1};
    struct failure failure = FAILURE_INIT;
    struct profile_setting setting = {.levels = NULL};
    struct job job = {0};
    struct input *input = sequences_open();
    job_make(&job, input);
    const struct levels_probe probe = {&alone, &job, input, 1, HUGE_VAL};
    assert_true(levels_probe(&probe, &setting, &failure));
    assert_int_equal(setting.level_count, COUNT_OF(expected));
    for (size_t k = 0; k < COUNT_OF(expected); k++) {
        assert_int_equal(setting.levels[k].tasks, expected[k].tasks);
        assert_true(fabs(setting.levels[k].next - expected[k].next) < 1e-12);
        assert_true(setting.levels[k].compute > 0);
    }
    assert_true(setting.levels[0].compute == 1);
    profile_setting_release(&setting);
    job_close(&job);
    input_close(&input);
    unlink(name);
}

/* The first level in any case, and of that some core tasks. */
static void without_time_little_is_known(void **state)
{
    (void)state;
    const struct comm alone = {.size = 1};
    struct failure failure = FAILURE_INIT;
    struct profile_setting setting = {.levels = NULL};
    struct job job = {0};
    struct input *input = sequences_open();
    job_make(&job, input);
    const struct levels_probe probe = {&alone, &job, input, 1, 0};
    assert_true(levels_probe(&probe, &setting, &failure));
    assert_int_equal(setting.level_count, 1);
    assert_int_equal(setting.levels[0].tasks, 8);
    assert_true(setting.levels[0].next > 0);
    profile_setting_release(&setting);
    job_close(&job);
    input_close(&input);
    unlink(name);
}

static double task_s(const struct profile_setting *setting)
{
    return setting->windows[0].workers[0].compute.cost.s_per_task;
}

static void costs_follow_the_level(void **state)
{
    (void)state;
    struct level_sample levels[] = {{10, 1, 3}, {30, 2.5, 0.5}, {15, 4, 1}};
    struct profile_worker worker = {.count = 1};
    struct profile_window window = {.workers = &worker, .worker_count = 1};
    struct profile_setting setting = {
        .windows = &window, .window_count = 1, .levels = levels, .level_count = 3};
    struct profile profile = {.settings = &setting, .setting_count = 1};
    static const double factors[] = {1, 2.5, 4, 4, 4}; /* the last that is known */
    for (int64_t level = 1; level <= 5; level++) {
        worker.compute.cost.s_per_task = 0.5;
        profile_level(&profile, level);
        assert_true(task_s(&setting) == 0.5 * factors[level - 1]);
    }
    setting.level_count = 0;
    worker.compute.cost.s_per_task = 0.5;
    profile_level(&profile, 2);
    assert_true(task_s(&setting) == 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_levels_are_known_whole),
        cmocka_unit_test(without_time_little_is_known),
        cmocka_unit_test(costs_follow_the_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
