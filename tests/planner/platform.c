/* Platforms from profiles, and the lower bound where its value is known. */
#include "planner/model/platform.h"

#include <math.h>

#include "tests/checks.h"
#include "tests/planner/bounds.h"
#include "tests/planner/samples.h"

static struct cost seconds(double latency_s, double s_per_task)
{
    return (struct cost){latency_s, s_per_task};
}

/* One window [1, greatest] and one class. */
static void homogeneous(struct platform *platform, struct platform_window *window,
                        struct platform_class *class, int64_t workers, int64_t greatest)
{
    *class = (struct platform_class){.count = workers, .compute = seconds(0, 1)};
    *window = (struct platform_window){
        .least = 1, .greatest = greatest, .classes = class, .class_count = 1};
    *platform = (struct platform){
        .windows = window, .window_count = 1, .worker_count = workers, .buffers = PLATFORM_BUFFERS};
}

static void bound_is_exact_for_one_worker(void **state)
{
    struct platform platform;
    struct platform_window window;
    struct platform_class class;
    (void)state;
    homogeneous(&platform, &window, &class, 1, 1000000);
    window.envelope = seconds(0.5, 0);
    class.link = seconds(0.25, 0);
    class.receive = seconds(0.125, 0.5);
    /* 0.5 + 0.25 until the package is there, 0.125 + 1.5 * 100 to work it off. */
    assert_true(fabs(bound_of(&platform, 100, true) - 150.875) < 1e-9);
}

static void bound_is_work_over_workers_without_latency(void **state)
{
    struct platform platform;
    struct platform_window window;
    struct platform_class class;
    (void)state;
    homogeneous(&platform, &window, &class, 100000, 1000000);
    assert_true(fabs(bound_of(&platform, 1e12, true) - 1e7) < 1e-3);
}

static void bound_counts_every_package(void **state)
{
    struct platform platform;
    struct platform_window window;
    struct platform_class class;
    (void)state;
    /* Packages of at most 10 tasks: 1000 tasks pass the master at no less than 0.1 + 1 / 10 s per
     * task, whatever the number of workers; the last package's one task takes one second more. */
    homogeneous(&platform, &window, &class, 1000, 10);
    window.send = seconds(1, 0.1);
    assert_true(fabs(bound_of(&platform, 1000, false) - 201) < 1e-9);
    /* The port instead. */
    window.send = seconds(0, 0);
    class.link = seconds(1, 0.5);
    assert_true(fabs(bound_of(&platform, 1000, false) - 601) < 1e-9);
    /* Fractional loads may reach just below 11, or next to nothing. */
    window.greatest = 9;
    assert_true(fabs(bound_of(&platform, 1000, true) - 600) < 1e-9);
    /* And the worker: one of them does 1000 tasks in packages of 10, after the first one's send. */
    homogeneous(&platform, &window, &class, 1, 10);
    class.receive = seconds(5, 0);
    assert_true(fabs(bound_of(&platform, 1000, false) - 1500) < 1e-8);
}

static void bound_weighs_latency_against_workers(void **state)
{
    struct platform platform;
    struct platform_window window;
    struct platform_class class;
    (void)state;
    /* The j-th worker is there after j seconds: 10 tasks on n workers end at T with
     * sum (T - j) = 10: the least is n = 4, T = 5. */
    homogeneous(&platform, &window, &class, 50, 1000);
    window.send = seconds(1, 0);
    assert_true(fabs(bound_of(&platform, 10, true) - 5) < 1e-9);
}

static void classes_change_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct dice dice = {seed};
        struct profile profile;
        struct platform platform, scaled;
        struct failure failure = FAILURE_INIT;
        sample_profile(&dice, 200, 1, &profile);
        assert_true(platform_init(&platform, &profile.settings[0], 0, &failure));
        int64_t workers = profile_workers(&profile.settings[0].windows[0]);
        assert_int_equal(platform.worker_count, workers);
        double tasks = ceil(dice_scale(&dice, 1, 1e9));
        double bound_s = bound_of(&platform, tasks, false);
        assert_true(platform_init(&scaled, &profile.settings[0], (workers + 1) / 2, &failure));
        assert_int_equal(scaled.worker_count, (workers + 1) / 2);
        assert_true(bound_of(&scaled, tasks, false) >= bound_s * (1 - 1e-9));
        assert_true(bound_of(&platform, 2 * tasks, false) >= bound_s);
        platform_release(&scaled);
        platform_release(&platform);
        profile_release(&profile);
    }
}

/* Four workers that are alike in small packages; in large ones the output of two of them takes
 * longer than their work. */
static void setting_of_writers(struct profile_setting *setting, struct profile_window windows[2],
                               struct profile_worker workers[3])
{
    const struct measured_cost work = {.cost = seconds(0, 1)};
    for (int k = 0; k < 3; k++)
        workers[k] = (struct profile_worker){.count = k == 0 ? 4 : 2, .compute = work};
    workers[0].output.cost = seconds(2, 0.5);
    workers[1].output.cost = seconds(2, 0.5);
    workers[2].output.cost = seconds(2, 1.5);
    windows[0] =
        (struct profile_window){.least = 1, .greatest = 3, .workers = workers, .worker_count = 1};
    windows[1] = (struct profile_window){
        .least = 4, .greatest = 100, .workers = workers + 1, .worker_count = 2};
    *setting = (struct profile_setting){.windows = windows, .window_count = 2};
}

static void what_holds_a_worker_holds_it_in_every_window(void **state)
{
    struct profile_setting setting;
    struct profile_window windows[2];
    struct profile_worker workers[3];
    struct platform platform;
    struct failure failure = FAILURE_INIT;
    (void)state;
    setting_of_writers(&setting, windows, workers);
    assert_true(platform_init(&platform, &setting, 0, &failure));
    assert_false(platform.write_behind);
    assert_int_equal(platform.windows[0].class_count, 1);
    assert_true(platform_class_work(&platform.windows[0].classes[0]).latency_s == 2);
    assert_true(platform_class_beside(&platform.windows[0].classes[0]).latency_s == 0);
    platform_release(&platform);
    setting.write_behind = true;
    assert_true(platform_init(&platform, &setting, 3, &failure));
    assert_true(platform.write_behind);
    for (int w = 0; w < 2; w++) {
        const struct platform_class *classes = platform.windows[w].classes;
        assert_int_equal(platform.windows[w].class_count, 2);
        assert_int_equal(classes[0].count, 2);
        assert_int_equal(classes[1].first, 2);
        assert_int_equal(classes[1].count, 1);
        assert_int_equal(classes[0].holds, PLATFORM_HOLDS_COMPUTE);
        assert_int_equal(classes[1].holds, PLATFORM_HOLDS_OUTPUT);
        assert_true(platform_class_work(&classes[0]).latency_s == 0);
        assert_true(platform_class_work(&classes[1]).latency_s == 2);
        assert_true(platform_class_beside(&classes[1]).s_per_task == 1);
    }
    assert_true(platform_ideal(&platform, 8) == 8 / (2 + 1 / 1.5));
    platform_release(&platform);
}

/* A setting's own word counts for more than its profile's. */
static void a_setting_says_whether_it_writes_behind(void **state)
{
    struct profile_setting setting = {.write_behind = false};
    (void)state;
    assert_false(platform_writes_behind(&setting));
    setting.write_behind = true;
    assert_true(platform_writes_behind(&setting));
    assert_true(parameter_list_add(&setting.parameters, PLATFORM_WRITE_BEHIND, "no", 0));
    assert_false(platform_writes_behind(&setting));
    parameter_list_release(&setting.parameters);
    setting.write_behind = false;
    assert_true(parameter_list_add(&setting.parameters, PLATFORM_WRITE_BEHIND, "yes", 0));
    assert_true(platform_writes_behind(&setting));
    parameter_list_release(&setting.parameters);
}

static void workers_and_windows_are_found(void **state)
{
    struct platform_class classes[3] = {
        {.first = 0, .count = 5}, {.first = 5, .count = 1}, {.first = 6, .count = 100}};
    struct platform_window windows[2] = {
        {.least = 1, .greatest = 10, .classes = classes, .class_count = 3},
        {.least = 20, .greatest = 30, .classes = classes, .class_count = 3}};
    const struct platform platform = {
        .windows = windows, .window_count = 2, .worker_count = 106, .buffers = 2};
    (void)state;
    assert_ptr_equal(platform_worker(&windows[0], 0), &classes[0]);
    assert_ptr_equal(platform_worker(&windows[0], 4), &classes[0]);
    assert_ptr_equal(platform_worker(&windows[0], 5), &classes[1]);
    assert_ptr_equal(platform_worker(&windows[0], 6), &classes[2]);
    assert_ptr_equal(platform_worker(&windows[0], 105), &classes[2]);
    assert_ptr_equal(platform_find(&platform, 1), &windows[0]);
    assert_ptr_equal(platform_find(&platform, 10), &windows[0]);
    assert_null(platform_find(&platform, 11));
    assert_ptr_equal(platform_find(&platform, 19.5), &windows[1]);
    assert_null(platform_find(&platform, 31));
}

static void deviations_lie_between_those_measured(void **state)
{
    (void)state;
    struct spread spreads[] = {{1, 0.8}, {16, 0.4}, {64, 0.4}};
    const struct profile_setting setting = {.spreads = spreads, .spread_count = 3}, none = {0};
    assert_true(profile_setting_deviation(&none, 5) == 0);
    assert_true(profile_setting_deviation(&setting, 0.5) == 0.8);
    assert_true(profile_setting_deviation(&setting, 1) == 0.8);
    assert_true(fabs(profile_setting_deviation(&setting, 4) - 0.6) < 1e-12);
    assert_true(profile_setting_deviation(&setting, 16) == 0.4);
    assert_true(fabs(profile_setting_deviation(&setting, 20) - 0.4) < 1e-12);
    assert_true(profile_setting_deviation(&setting, 1000) == 0.4);
}

/* Tasks that differ each for itself have nothing in common, tasks that differ as much in packages
 * of any size have all; variances add up. */
static void what_neighbours_have_in_common_stays(void **state)
{
    struct spread own[] = {{1, 0.8}, {16, 0.2}, {64, 0.1}}, all[] = {{1, 0.3}, {64, 0.3}};
    struct spread both[] = {{1, sqrt(0.16 + 0.09)}, {4, sqrt(0.16 / 4 + 0.09)}};
    const struct profile_setting settings[] = {{.spreads = own, .spread_count = 3},
                                               {.spreads = all, .spread_count = 2},
                                               {.spreads = both, .spread_count = 2},
                                               {.spreads = all, .spread_count = 1},
                                               {.spread_count = 0}};
    static const double regions[] = {0, 0.3, 0.3, 0, 0};
    (void)state;
    for (int k = 0; k < 5; k++)
        assert_true(fabs(profile_setting_region(&settings[k]) - regions[k]) < 1e-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deviations_lie_between_those_measured),
        cmocka_unit_test(what_neighbours_have_in_common_stays),
        cmocka_unit_test(bound_is_exact_for_one_worker),
        cmocka_unit_test(bound_is_work_over_workers_without_latency),
        cmocka_unit_test(bound_counts_every_package),
        cmocka_unit_test(bound_weighs_latency_against_workers),
        cmocka_unit_test(classes_change_nothing),
        cmocka_unit_test(what_holds_a_worker_holds_it_in_every_window),
        cmocka_unit_test(a_setting_says_whether_it_writes_behind),
        cmocka_unit_test(workers_and_windows_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
