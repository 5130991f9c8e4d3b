/* Machines that change: how long operations last by the share of their processors, in whole runs,
 * too; and the patterns of load. */
#include "planner/model/availability.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "planner/dispatch/dispatch_kind.h"
#include "planner/files/availability_tsv.h"
#include "planner/model/load_pattern.h"
#include "planner/simulate/decision.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

#define assert_near(value, wanted, off) assert_true(fabs((value) - (wanted)) <= (off))

static struct availability parsed(const char *text)
{
    struct availability availability;
    struct failure failure = FAILURE_INIT;
    if (!availability_parse(&availability, text, "loads.tsv", &failure))
        fail_msg("%s", failure.text);
    return availability;
}

static double ends(const struct availability *availability, enum operation operation, double at_s,
                   double seconds)
{
    return at_s + availability_lasts(&availability->series[0], operation, at_s, seconds);
}

/* Half of the processor until 10 s: 8 s bring 4 of the 10, and the others take 6. */
static void work_waits_for_its_share(void **state)
{
    struct availability one = parsed("1\t0\t10\t0.5\t1\n1\t10\t20\t1\t0.25\n");
    (void)state;
    assert_near(ends(&one, OPERATION_COMPUTE, 2, 10), 16, 0);
    assert_near(ends(&one, OPERATION_RECEIVE, 2, 4), 10, 0);
    assert_near(ends(&one, OPERATION_OUTPUT, 30, 3), 33, 0);
    assert_near(ends(&one, OPERATION_LINK, 8, 3), 14, 0);
    assert_near(ends(&one, OPERATION_RESULT, 100, 1), 104, 0);
    assert_near(ends(&one, OPERATION_COMPUTE, 5, 0), 5, 0);
    availability_release(&one);
}

static void nothing_gets_done_for_a_while(void **state)
{
    struct availability none = parsed("1\t0\t2\t1\t1\n1\t2\t7\t0\t1\n1\t7\t8\t0.5\t1\n");
    (void)state;
    assert_near(ends(&none, OPERATION_COMPUTE, 0, 2), 2, 0);
    assert_near(ends(&none, OPERATION_COMPUTE, 1, 2), 9, 0);
    assert_near(ends(&none, OPERATION_COMPUTE, 3, 1), 9, 0);
    availability_release(&none);
}

/* Rosenvinge's patterns, 24 s long: when work of 10 and of 15 s ends. */
static void patterns_have_equal_parts(void **state)
{
    static const struct {
        const char *name;
        double ten_s, fifteen_s;
    } golden[] = {{"high-low", 16, 21},
                  {"low-high-low", 12, 19},
                  {"high-low-high", 14, 22},
                  {"low-high", 10, 18}};
    struct availability made = {.series = NULL};
    struct failure failure = FAILURE_INIT;
    (void)state;
    assert_true(availability_patterns(&made, LOAD_PATTERNS + 1, 24, 1, &failure));
    for (size_t k = 0; k < COUNT_OF(golden); k++) {
        const struct availability_series *series =
            availability_of(&made, load_pattern_find(golden[k].name) - 1);
        assert_near(availability_lasts(series, OPERATION_COMPUTE, 0, 10), golden[k].ten_s, 1e-12);
        assert_near(availability_lasts(series, OPERATION_COMPUTE, 0, 15), golden[k].fifteen_s,
                    1e-12);
    }
    assert_null(availability_of(&made, -1));
    assert_near(availability_lasts(availability_of(&made, LOAD_PATTERNS), OPERATION_COMPUTE, 0, 10),
                16, 1e-12);
    availability_release(&made);
    /* A third of 1.4, three times, is less than 1.4. */
    assert_true(availability_patterns(&made, LOAD_PATTERNS, 1.4, 1, &failure));
    assert_near(availability_lasts(availability_of(&made, load_pattern_find("high-low-high") - 1),
                                   OPERATION_COMPUTE, 0, 2),
                2 + 1.4 / 3, 1e-12);
    availability_release(&made);
}

/* Every second of a random part is high or low, half of them each, and each node has its own. */
static void random_seconds_are_fair(void **state)
{
    enum { SECONDS = 20000 };
    const struct load_pattern *random = load_pattern(load_pattern_find("random"));
    int high[2] = {0, 0}, same = 0;
    (void)state;
    for (int second = 0; second < SECONDS; second++) {
        bool now[2];
        for (int node = 0; node < 2; node++) {
            double until_s;
            now[node] = load_pattern_high(random, SECONDS, 7, node, (double)second + 0.5, &until_s);
            assert_near(until_s, (double)second + 1, 0);
            high[node] += now[node];
        }
        same += now[0] == now[1];
    }
    for (int node = 0; node < 2; node++)
        assert_in_range(high[node], SECONDS / 2 - 300, SECONDS / 2 + 300);
    assert_in_range(same, SECONDS / 2 - 300, SECONDS / 2 + 300);
}

static void patterns_have_numbers_and_names(void **state)
{
    (void)state;
    for (int number = 1; number <= LOAD_PATTERNS; number++) {
        const char digit[] = {(char)('0' + number), '\0'};
        assert_int_equal(load_pattern_find(digit), number);
        assert_int_equal(load_pattern_find(load_pattern(number)->name), number);
    }
    assert_int_equal(load_pattern_find("0"), 0);
    assert_int_equal(load_pattern_find("8"), 0);
    assert_int_equal(load_pattern_find("12"), 0);
    assert_int_equal(load_pattern_find("low"), 0);
}

static void bad_lines_are_named(void **state)
{
    static const struct {
        const char *text, *sentence;
    } bad[] = {
        {"# nobody\n", "loads.tsv: has no loads: give lines of worker, start_s, end_s, cpu and "
                       "bandwidth"},
        {"1\t0\t10\t0.5\n", "loads.tsv, line 1: give a worker, start_s, a later end_s, and cpu and "
                            "bandwidth from 0 to 1, separated by tabs"},
        {"1\t0\t10\t0.5\t1\t3\n", "loads.tsv, line 1: give a worker, start_s, a later end_s, and "
                                  "cpu and bandwidth from 0 to "
                                  "1, separated by tabs"},
        {"worker\tstart_s\n1\t0\t10\t1.5\t1\n", "loads.tsv, line 2: give a worker, start_s, a "
                                                "later end_s, and cpu and bandwidth from 0 to "
                                                "1, separated by tabs"},
        {"1\t0\t10\tnan\t1\n", "loads.tsv, line 1: give a worker, start_s, a later end_s, and cpu "
                               "and bandwidth from 0 to "
                               "1, separated by tabs"},
        {"1\t0\t10\t1\t1\n1\t12\t20\t1\t1\n", "loads.tsv, line 2: the lines of '1' must follow one "
                                              "another from 0 s on: begin this one at 10 s"},
        {"1\t2\t10\t1\t1\n", "loads.tsv, line 1: the lines of '1' must follow one another from 0 s "
                             "on: begin this one at 0 s"},
        {"1\t0\t10\t1\t0\n", "loads.tsv: the last line of '1' holds for ever: its shares must be "
                             "above 0"},
    };
    (void)state;
    for (size_t k = 0; k < COUNT_OF(bad); k++) {
        struct availability availability;
        struct failure failure = FAILURE_INIT;
        assert_false(availability_parse(&availability, bad[k].text, "loads.tsv", &failure));
        assert_failure(failure, FAILURE_MISMATCH, bad[k].sentence);
    }
}

static void profile_of_classes(struct profile *profile, struct dice *dice)
{
    static const char *const names[] = {"old", "new"};
    do {
        profile_release(profile);
        sample_profile(dice, 20, 1, profile);
    } while (profile->settings[0].windows[0].worker_count < 2 ||
             profile_workers(&profile->settings[0].windows[0]) < 4);
    for (size_t k = 0; k < 2; k++) {
        char **name = &profile->settings[0].windows[0].workers[k].name;
        free(*name);
        *name = strdup(names[k]);
    }
}

/* Ranks go before classes, and whoever is not named has all of its own. */
static void loads_find_their_workers(void **state)
{
    struct availability loads =
        parsed("old\t0\t1\t0.5\t1\n2\t0\t1\t0.25\t1\nmaster\t0\t1\t1\t0.5\n");
    struct profile profile = {0};
    struct failure failure = FAILURE_INIT;
    struct dice dice = {3};
    (void)state;
    profile_of_classes(&profile, &dice);
    const struct profile_setting *setting = &profile.settings[0];
    const int64_t workers = profile_workers(&setting->windows[0]);
    const int64_t old = setting->windows[0].workers[0].count;
    assert_true(availability_place(&loads, setting, workers, &failure));
    assert_ptr_equal(availability_of(&loads, -1), &loads.series[2]);
    for (int64_t k = 0; k < workers; k++)
        assert_ptr_equal(availability_of(&loads, k), k == 1    ? &loads.series[1]
                                                     : k < old ? &loads.series[0]
                                                               : NULL);
    availability_release(&loads);
    loads = parsed("older\t0\t1\t0.5\t1\n");
    assert_false(availability_place(&loads, setting, 9, &failure));
    assert_failure(
        failure, FAILURE_MISMATCH,
        "there are loads of 'older', which is no worker: give ranks from 1 to 9, classes "
        "of the profile, or master");
    availability_release(&loads);
    profile_release(&profile);
}

/* ---- whole runs ---------------------------------------------------------------------------- */

struct setup {
    struct profile profile;
    struct platform platform;
    struct plan plan;
};

/* Odd seeds have results that come back, which go from event to event. */
static void setup_init(struct setup *setup, uint64_t seed)
{
    struct dice dice = {seed};
    struct failure failure = FAILURE_INIT;
    sample_profile(&dice, 10, 1, &setup->profile);
    if (seed % 2 == 1)
        sample_results(&dice, &setup->profile);
    sample_plan(&dice, profile_workers(&setup->profile.settings[0].windows[0]), false,
                &setup->plan);
    assert_true(platform_init(&setup->platform, &setup->profile.settings[0], 0, &failure));
}

static void setup_release(struct setup *setup)
{
    platform_release(&setup->platform);
    plan_release(&setup->plan);
    profile_release(&setup->profile);
}

static struct simulation simulate(const struct setup *setup, const struct scenario *scenario,
                                  struct trace *trace)
{
    const struct decision decision = {.plan = &setup->plan};
    struct failure failure = FAILURE_INIT;
    struct simulation simulation = {0};
    struct dispatch *dispatch = decision_dispatch(&decision, &setup->platform, scenario, &failure);
    if (!dispatch ||
        !simulate_scenario(&setup->platform, dispatch, scenario, trace, &simulation, &failure))
        fail_msg("%s", failure.text);
    dispatch_free(&dispatch);
    return simulation;
}

/* All workers and the master have this. */
static struct availability everybody(const struct setup *setup, const char *row)
{
    struct text text = TEXT_INIT;
    struct failure failure = FAILURE_INIT;
    text_add(&text, "master\t%s\n", row);
    for (int64_t k = 1; k <= setup->platform.worker_count; k++)
        text_add(&text, "%" PRId64 "\t%s\n", k, row);
    struct availability made = parsed(text.bytes);
    assert_true(availability_place(&made, &setup->profile.settings[0], setup->platform.worker_count,
                                   &failure));
    text_release(&text);
    return made;
}

static void without_loads_nothing_changes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        const struct scenario usual = SCENARIO_INIT;
        struct scenario loaded = SCENARIO_INIT;
        struct setup setup;
        setup_init(&setup, seed);
        struct availability all = everybody(&setup, "0\t1\t1\t1");
        loaded.availability = &all;
        const struct simulation before = simulate(&setup, &usual, NULL);
        const struct simulation after = simulate(&setup, &loaded, NULL);
        assert_memory_equal(&before, &after, sizeof before);
        availability_release(&all);
        setup_release(&setup);
    }
}

/* If all have half of everything, everything takes twice as long, bit for bit. */
static void half_of_everything_takes_twice_as_long(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        const struct scenario usual = SCENARIO_INIT;
        struct scenario loaded = SCENARIO_INIT;
        struct setup setup;
        setup_init(&setup, seed);
        struct availability half = everybody(&setup, "0\t1\t0.5\t0.5");
        loaded.availability = &half;
        const struct simulation before = simulate(&setup, &usual, NULL);
        const struct simulation after = simulate(&setup, &loaded, NULL);
        assert_near(after.makespan_s, 2 * before.makespan_s, 0);
        availability_release(&half);
        setup_release(&setup);
    }
}

/* --slow and --slow-from are a load that begins. */
static void slow_workers_are_a_load(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        const struct scenario usual = SCENARIO_INIT;
        struct scenario slow = SCENARIO_INIT, loaded = SCENARIO_INIT;
        struct text text = TEXT_INIT;
        struct failure failure = FAILURE_INIT;
        struct setup setup;
        setup_init(&setup, seed);
        slow.slow_workers = 1;
        slow.slow_factor = 4;
        slow.slow_from_s = 0.4 * simulate(&setup, &usual, NULL).makespan_s;
        text_add(&text, "1\t0\t%.17g\t1\t1\n1\t%.17g\tinf\t0.25\t1\n", slow.slow_from_s,
                 slow.slow_from_s);
        struct availability one = parsed(text.bytes);
        assert_true(availability_place(&one, &setup.profile.settings[0],
                                       setup.platform.worker_count, &failure));
        loaded.availability = &one;
        const struct simulation before = simulate(&setup, &slow, NULL);
        const struct simulation after = simulate(&setup, &loaded, NULL);
        assert_memory_equal(&before, &after, sizeof before);
        availability_release(&one);
        text_release(&text);
        setup_release(&setup);
    }
}

/* Hears which share each worker had of its processor. */
struct listener {
    struct dispatch base;
    struct dispatch *inner; /* owned */
    double shares[3];
};

static enum dispatch_answer listener_next(struct dispatch *dispatch, double now_s,
                                          struct package *package)
{
    return dispatch_next(((struct listener *)dispatch)->inner, now_s, package);
}

static void listener_done(struct dispatch *dispatch, const struct package *package,
                          struct dispatch_times times)
{
    struct listener *self = (struct listener *)dispatch;
    self->shares[package->worker] = times.share;
    dispatch_report(self->inner, package, times);
}

/* Three workers, eight core tasks of a second each; the first one has half of its processor for 10
 * s, in which it does five, and then all of it; the second a quarter all the time. */
static void reports_say_what_share_there_was(void **state)
{
    static const struct dispatch_kind kind = {.next = listener_next, .done = listener_done};
    struct platform_class class = {.count = 3, .compute = {0, 1}};
    struct platform_window window = {1, 8, {0, 0}, {0, 0}, &class, 1, {0, 0}, {0, 0}};
    const struct platform platform = {
        .windows = &window, .window_count = 1, .worker_count = 3, .buffers = 2};
    /* With one more that waits for them all: nobody hears of the last one of a worker. */
    const struct package packages[] = {{.worker = 0, .first = 0, .count = 8},
                                       {.worker = 1, .first = 8, .count = 8},
                                       {.worker = 2, .first = 16, .count = 8},
                                       {.worker = 1, .first = 24, .count = 1}};
    struct scenario scenario = SCENARIO_INIT;
    (void)state;
    for (int loaded = 0; loaded < 2; loaded++) {
        struct availability loads = parsed("1\t0\t10\t0.5\t1\n1\t10\t20\t1\t1\n"
                                           "2\t0\t1\t0.25\t1\n");
        size_t places[] = {0, 1, 2, 0};
        struct listener listener = {.base = {&kind}, .inner = dispatch_new_list(packages, 4, 3, 1)};
        struct simulation simulation;
        struct failure failure = FAILURE_INIT;
        loads.places = places;
        loads.workers = 3;
        scenario.availability = loaded ? &loads : NULL;
        assert_non_null(listener.inner);
        assert_true(
            simulate_scenario(&platform, &listener.base, &scenario, NULL, &simulation, &failure));
        assert_near(listener.shares[0], loaded ? 8 / 13.0 : 1, 1e-15);
        assert_near(listener.shares[1], loaded ? 0.25 : 1, 0);
        assert_near(listener.shares[2], 1, 0);
        dispatch_free(&listener.inner);
        loads.places = NULL;
        availability_release(&loads);
    }
}

/* The integral of the share over an operation is what it takes alone. */
static void operations_get_their_seconds(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        struct dice dice = {seed};
        struct availability loads = {.series = NULL};
        struct availability_series *series = availability_series(&loads, "1");
        double starts[20], shares[20];
        double at_s = 0;
        for (int k = 0; k < 20; k++) {
            starts[k] = at_s;
            shares[k] = k < 19 && dice_unit(&dice) < 0.2 ? 0 : 0.01 + 0.99 * dice_unit(&dice);
            assert_true(availability_add(series, at_s, shares[k], 1));
            at_s += dice_unit(&dice) + 1e-3;
        }
        const double start_s = at_s * dice_unit(&dice), seconds = 20 * dice_unit(&dice);
        const double end_s =
            start_s + availability_lasts(series, OPERATION_COMPUTE, start_s, seconds);
        double sum_s = 0;
        for (int k = 0; k < 20; k++) {
            const double until_s = k < 19 ? fmin(starts[k + 1], end_s) : end_s;
            sum_s += shares[k] * fmax(0, until_s - fmax(starts[k], start_s));
        }
        if (!(fabs(sum_s - seconds) < 1e-9))
            fail_msg("seed %" PRIu64 ": %.17g s instead of %.17g s", seed, sum_s, seconds);
        availability_release(&loads);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_waits_for_its_share),
        cmocka_unit_test(nothing_gets_done_for_a_while),
        cmocka_unit_test(patterns_have_equal_parts),
        cmocka_unit_test(random_seconds_are_fair),
        cmocka_unit_test(patterns_have_numbers_and_names),
        cmocka_unit_test(bad_lines_are_named),
        cmocka_unit_test(loads_find_their_workers),
        cmocka_unit_test(without_loads_nothing_changes),
        cmocka_unit_test(half_of_everything_takes_twice_as_long),
        cmocka_unit_test(slow_workers_are_a_load),
        cmocka_unit_test(reports_say_what_share_there_was),
        cmocka_unit_test(operations_get_their_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
