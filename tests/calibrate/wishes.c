/* What a command line asks of a calibration, and what it is told at the end. */
#include "calibrate/effort.h"
#include "calibrate/outcome.h"
#include "calibrate/settings.h"
#include "tests/checks.h"

static const char *const words[] = {"sum", "max", NULL};
static const struct scow_parameter parameters[] = {
    {.name = "block", .help = "h", .kind = SCOW_WHOLE, .initial = 64, .least = 1, .greatest = 512},
    {.name = "sigma", .help = "h", .kind = SCOW_NUMBER, .initial = 2, .least = 0.5, .greatest = 8},
    {.name = "combine", .help = "h", .kind = SCOW_WORD, .words = words},
    {.name = NULL}};
static const struct scow_task task = {SCOW_TASK, .name = "filter", .parameters = parameters};

static bool read_wishes(const char *block, const char *sigma, const char *threads,
                        struct settings *settings, struct failure *failure)
{
    const struct setting_wish wishes[] = {{"block", block, true, false},
                                          {"sigma", sigma, true, false},
                                          {"combine", "max", false, false},
                                          {SETTING_THREADS, threads, true, false}};
    const struct setting_switches none = {SETTING_NO, SETTING_NO, false};
    return settings_read(settings, &task, wishes, (int)COUNT_OF(wishes), &none, failure);
}

static void every_combination_is_a_setting(void **state)
{
    struct settings settings;
    struct failure failure = FAILURE_INIT;
    (void)state;
    assert_true(read_wishes("32,64,128", "1.5,2", "1,4", &settings, &failure));
    assert_int_equal(settings.count, 12);
    for (int i = 0; i < 12; i++) {
        const struct setting *setting = &settings.items[i];
        assert_true(setting->values.items[0].number == 32 << i / 4);
        assert_true(setting->values.items[1].number == (i / 2 % 2 ? 2 : 1.5));
        assert_true(setting->values.items[2].number == 1);
        assert_int_equal(setting->threads, i % 2 ? 4 : 1);
    }
    assert_int_equal(settings.own_count, 2);
    assert_string_equal(settings.own[0], "block");
    assert_string_equal(settings.own[1], "sigma");
    settings_release(&settings);
}

/* Nothing listed: one setting, with a block of its own all the same. */
static void one_setting_has_its_block(void **state)
{
    struct settings settings;
    struct failure failure = FAILURE_INIT;
    (void)state;
    assert_true(read_wishes(NULL, "3", NULL, &settings, &failure));
    assert_int_equal(settings.count, 1);
    assert_true(settings.items[0].values.items[0].number == 64);
    assert_int_equal(settings.items[0].threads, 0);
    assert_int_equal(settings.own_count, 1);
    assert_string_equal(settings.own[0], "block");
    settings_release(&settings);
}

static void both_ways_of_reading_are_settings(void **state)
{
    const struct setting_wish wishes[] = {{"block", "32,64", true, false}};
    struct settings settings;
    struct failure failure = FAILURE_INIT;
    (void)state;
    const struct setting_switches staged = {SETTING_BOTH, SETTING_NO, false};
    assert_true(settings_read(&settings, &task, wishes, 1, &staged, &failure));
    assert_int_equal(settings.count, 4);
    for (int i = 0; i < 4; i++) {
        assert_true(settings.items[i].values.staged == (i < 2));
        assert_false(settings.items[i].values.write_behind);
        assert_true(settings.items[i].values.items[0].number == (i % 2 ? 64 : 32));
    }
    assert_int_equal(settings.own_count, 2);
    assert_string_equal(settings.own[1], VALUES_STAGED);
    settings_release(&settings);
}

/* Even with one way of writing, settings say that they write asynchronously, because predictions
 * need it. */
static void ways_of_writing_are_settings(void **state)
{
    const struct setting_wish wishes[] = {{"block", "32,64", true, false}};
    const struct setting_switches cases[] = {{SETTING_NO, SETTING_YES, false},
                                             {SETTING_NO, SETTING_BOTH, false},
                                             {SETTING_BOTH, SETTING_BOTH, false}};
    const int counts[] = {2, 4, 8};
    (void)state;
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        struct settings settings;
        struct failure failure = FAILURE_INIT;
        assert_true(settings_read(&settings, &task, wishes, 1, &cases[k], &failure));
        assert_int_equal(settings.count, counts[k]);
        for (int i = 0; i < counts[k]; i++) {
            assert_true(settings.items[i].values.staged == (k == 2 && i < 4));
            assert_true(settings.items[i].values.write_behind == (i % 4 < 2));
        }
        assert_string_equal(settings.own[settings.own_count - 1], VALUES_WRITE_BEHIND);
        settings_release(&settings);
    }
}

/* Returned results are a property of all settings, and so of none alone. */
static void results_return_in_all_settings(void **state)
{
    const struct setting_wish wishes[] = {{"block", "32,64", true, false}};
    const struct setting_switches switches = {SETTING_NO, SETTING_NO, true};
    struct settings settings;
    struct failure failure = FAILURE_INIT;
    (void)state;
    assert_true(settings_read(&settings, &task, wishes, 1, &switches, &failure));
    assert_int_equal(settings.count, 2);
    for (int i = 0; i < 2; i++)
        assert_int_equal(settings.items[i].values.results, RESULTS_PACKAGE);
    assert_int_equal(settings.own_count, 1);
    settings_release(&settings);
}

static void nonsense_is_refused(void **state)
{
    static const struct {
        const char *block, *sigma, *threads, *says;
    } cases[] = {
        {"32,", NULL, NULL, "--block needs a number, not ''"},
        {"32,many", NULL, NULL, "--block needs a number, not 'many'"},
        {"32x", NULL, NULL, "--block needs a number, not '32x'"},
        {"0", NULL, NULL, "block"},
        {"32.5", NULL, NULL, "block"},
        {NULL, "9", NULL, "sigma"},
        {NULL, NULL, "0", "--threads must be whole numbers from 1"},
        {NULL, NULL, "1.5", "--threads must be whole numbers from 1"},
        {"64,32,64", NULL, NULL, "a list names the same value twice"},
        {"1,2,3,4,5", "1,2,3,4", NULL, "more than 16 combinations"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct settings settings;
        struct failure failure = FAILURE_INIT;
        assert_false(
            read_wishes(cases[i].block, cases[i].sigma, cases[i].threads, &settings, &failure));
        assert_int_equal(failure.code, FAILURE_USAGE);
        if (!strstr(failure.text, cases[i].says))
            fail_msg("'%s' instead of '%s'", failure.text, cases[i].says);
        settings_release(&settings);
    }
}

static void budgets_are_times(void **state)
{
    static const struct {
        const char *typed;
        double seconds; /* 0: refused */
    } cases[] = {{NULL, 30},      {"30", 30}, {"2.5s", 2.5}, {"5m", 300}, {"5min", 300},
                 {"1h", 3600},    {"", 0},    {"s", 0},      {"-3s", 0},  {"0", 0},
                 {"1h30m", 5400}, {"1e9", 0}, {"nan", 0},    {"inf", 0},  {"3 s", 0}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct campaign_effort effort;
        struct failure failure = FAILURE_INIT;
        assert_true(effort_read(&effort, false, cases[i].typed, &failure) ==
                    (cases[i].seconds > 0));
        assert_int_equal(failure.code, cases[i].seconds > 0 ? FAILURE_NONE : FAILURE_USAGE);
        if (cases[i].seconds > 0)
            assert_true(effort.budget_s == cases[i].seconds);
    }
    struct campaign_effort quick;
    struct failure failure = FAILURE_INIT;
    assert_true(effort_read(&quick, true, NULL, &failure));
    assert_true(quick.budget_s < 10);
}

static char *outcome_of(const struct fit *compute, const struct score *score)
{
    struct profile_worker worker = {.count = 2, .compute = {{1e-3, 1e-3}, *compute}};
    struct profile_window window = {.least = 1,
                                    .greatest = 99,
                                    .envelope = {{1e-5, 1e-6}, {.n = 20}},
                                    .workers = &worker,
                                    .worker_count = 1};
    const struct profile_setting setting = {.windows = &window, .window_count = 1, .score = *score};
    struct text text = TEXT_INIT;
    outcome_describe(&setting, &text);
    return text_take(&text);
}

/* A package of 99 tasks takes 0.1 s here. */
static void what_matters_is_told(void **state)
{
    (void)state;
    const struct score scored = {0.05, 0.04}, none = {0, 0};
    char *sure = outcome_of(&(struct fit){.n = 100, .stderr_s_per_task = 1e-5}, &scored);
    assert_non_null(
        strstr(sure, "predicted with an error of 5 % (root mean square), of which noise 4 %"));
    assert_null(strstr(sure, "unsure"));
    assert_null(strstr(sure, "outliers"));
    char *unsure =
        outcome_of(&(struct fit){.n = 100, .stderr_s_per_task = 1e-4, .outliers = 7}, &none);
    assert_non_null(strstr(unsure, "too few packages to score the fit with"));
    assert_non_null(strstr(unsure, "unsure: compute on a worker, by 10 % of a package's time"));
    assert_non_null(strstr(unsure, "outliers: 7 timings of compute on a worker"));
    free(sure);
    free(unsure);
}

/* Each of a list is a setting of its own; the same one twice, whatever it is called, is too many.
 */
static void orders_are_settings(void **state)
{
    (void)state;
    static const struct {
        const char *typed;
        int count; /* 0: refused */
    } cases[] = {{NULL, 1},
                 {"stride:4", 1},
                 {"natural,stride:4,random:1", 3},
                 {"natural,stride:1", 0},
                 {"stride:4,stride:4", 0},
                 {"stride:0", 0}};
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        const struct setting_wish wishes[] = {{ORDER_PARAMETER, cases[k].typed, false, true}};
        const struct setting_switches switches = {.staged = SETTING_NO, .write_behind = SETTING_NO};
        struct failure failure = FAILURE_INIT;
        struct settings settings;
        const bool good = settings_read(&settings, &task, wishes, 1, &switches, &failure);
        assert_int_equal(good, cases[k].count > 0);
        if (good)
            assert_int_equal(settings.count, cases[k].count);
        assert_int_equal(failure.code, good ? FAILURE_NONE : FAILURE_USAGE);
        settings_release(&settings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_combination_is_a_setting),
        cmocka_unit_test(one_setting_has_its_block),
        cmocka_unit_test(both_ways_of_reading_are_settings),
        cmocka_unit_test(ways_of_writing_are_settings),
        cmocka_unit_test(results_return_in_all_settings),
        cmocka_unit_test(orders_are_settings),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(budgets_are_times),
        cmocka_unit_test(what_matters_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
