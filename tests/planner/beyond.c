/* Workers that a profile did not measure: what they are like, and that plan and profile together
 * describe them. */
#include <inttypes.h>
#include <math.h>

#include "planner/base/limits.h"
#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/model/beyond.h"
#include "planner/simulate/simulate.h"
#include "planner/studies/interval.h"
#include "planner/studies/planning.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/planner/parsed.h"
#include "tests/planner/samples.h"

static bool cost_equal(struct measured_cost a, struct measured_cost b)
{
    return a.cost.latency_s == b.cost.latency_s && a.cost.s_per_task == b.cost.s_per_task &&
           a.fit.stderr_s_per_task == b.fit.stderr_s_per_task && a.fit.drift == b.fit.drift;
}

static void assert_alike(const struct profile_worker *a, const struct profile_worker *b)
{
    assert_true(a->name && b->name ? strcmp(a->name, b->name) == 0 : a->name == b->name);
    assert_true(cost_equal(a->link, b->link) && cost_equal(a->receive, b->receive));
    assert_true(cost_equal(a->compute, b->compute) && cost_equal(a->output, b->output));
    assert_true(cost_equal(a->request, b->request));
}

static void assert_extended(const struct profile *profile, int64_t workers, int64_t rank)
{
    for (size_t k = 0; k < profile->setting_count; k++)
        for (size_t w = 0; w < profile->settings[k].window_count; w++) {
            const struct profile_window *window = &profile->settings[k].windows[w];
            assert_int_equal(profile_workers(window), workers);
            for (int64_t i = beyond_measured(profile); i < workers; i++)
                assert_alike(&window->workers[profile_class(window, i)],
                             &window->workers[profile_class(window, rank - 1)]);
        }
}

/* In every window of every setting; extending twice is like extending once by all; and files do not
 * store it. */
static void a_class_is_repeated(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(60); seed++) {
        struct dice dice = {seed};
        struct profile profile;
        struct failure failure = FAILURE_INIT;
        sample_profile(&dice, 20, 2, &profile);
        const int64_t measured = profile_workers(&profile.settings[0].windows[0]);
        const int64_t rank = dice_whole(&dice, 0, measured), like = rank > 0 ? rank : measured;
        const int64_t some = measured + dice_whole(&dice, 1, 9), more = some + 3;
        char *before = profile_print(&profile);
        assert_true(beyond_extend(&profile, some, rank, &failure));
        assert_extended(&profile, some, like);
        assert_true(beyond_extend(&profile, more, 0, &failure));
        assert_true(beyond_extend(&profile, 1, 0, &failure)); /* there are as many */
        assert_extended(&profile, more, like);
        assert_int_equal(beyond_measured(&profile), measured);
        assert_int_equal(beyond_rank(&profile), like);
        assert_int_equal(beyond_of(&profile, measured).workers, 0);
        assert_int_equal(beyond_of(&profile, some).workers, some - measured);
        char *after = profile_print(&profile);
        assert_string_equal(before, after);
        free(before);
        free(after);
        profile_release(&profile);
    }
}

/* Plan and profile, read from their files, are simulated to take what was planned. */
static void plans_say_what_they_reckon_with(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(40); seed++) {
        struct dice dice = {seed};
        struct profile profile;
        struct plan plan, again;
        struct platform platform;
        struct simulation simulation;
        struct failure failure = FAILURE_INIT;
        sample_profile(&dice, 12, 1, &profile);
        char *profile_text = profile_print(&profile);
        const int64_t measured = beyond_measured(&profile);
        const int64_t rank = dice_whole(&dice, 1, measured);
        assert_true(beyond_extend(&profile, measured + 20, rank, &failure));
        const struct planning planning = {.profile = &profile,
                                          .setting = &profile.settings[0],
                                          .scheduler = "scow-mp",
                                          .tasks = (double)dice_whole(&dice, 100, 99999)};
        if (!planning_make(&planning, &plan, &failure))
            fail_msg("seed %" PRIu64 ": %s", seed, failure.text);
        char *plan_text = plan_print(&plan);
        assert_true(plan_parse(&again, plan_text, strlen(plan_text), "plan.json", &failure));
        struct profile known = profile_read("%s", profile_text);
        assert_true(beyond_follow(&known, &again, &failure));
        assert_extended(&known, measured + 20, rank);
        assert_true(platform_init(&platform, &known.settings[0], 0, &failure));
        assert_true(simulate_plan(&platform, &again, NULL, &simulation, &failure));
        assert_true(simulation.makespan_s == plan.predicted.makespan_s);
        platform_release(&platform);
        profile_release(&known);
        profile_release(&profile);
        plan_release(&plan);
        plan_release(&again);
        free(plan_text);
        free(profile_text);
    }
}

/* A profile with more workers by now needs fewer beyond it; one with fewer, more. */
static void plans_hold_for_other_profiles(void **state)
{
    (void)state;
    const struct plan plan = {.beyond = {.measured = 4, .workers = 4, .rank = 3}};
    for (int64_t workers = 1; workers <= 10; workers++) {
        struct failure failure = FAILURE_INIT;
        struct profile_worker *classes = calloc(1, sizeof *classes);
        struct profile_window window = {.workers = classes, .worker_count = 1};
        struct profile_setting setting = {.windows = &window, .window_count = 1};
        struct profile profile = {.settings = &setting, .setting_count = 1};
        assert_non_null(classes);
        classes->count = workers;
        assert_true(beyond_follow(&profile, &plan, &failure));
        assert_int_equal(profile_workers(&window), workers < 8 ? 8 : workers);
        assert_int_equal(beyond_measured(&profile), workers);
        free(window.workers);
    }
}

static const char two_kinds[] =
    "{ \"schema\": \"scow-profile-1\", \"kernel\": \"sleep\", \"settings\": [ { \"windows\": [\n"
    "  { \"tasks\": [1, 100], \"envelope\": {\"latency_s\": 0, \"s_per_task\": 0},\n"
    "    \"send\": {\"latency_s\": 0, \"s_per_task\": 0}, \"workers\": [\n"
    "      { \"name\": \"fast\", \"count\": 2, \"receive\": {\"latency_s\": 0, \"s_per_task\": "
    "0},\n"
    "        \"compute\": {\"latency_s\": 0, \"s_per_task\": 1, \"stderr\": 0.1, \"n\": 9} },\n"
    "      { \"name\": \"7\", \"receive\": {\"latency_s\": 0, \"s_per_task\": 0},\n"
    "        \"compute\": {\"latency_s\": 0, \"s_per_task\": 2} } ] } ] } ] }";

static void classes_have_names_and_ranks(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t rank;
    } rows[] = {{"fast", 2}, {"7", 3},  {"1", 1},   {"3", 3},
                {"4", 0},    {"0", 0},  {"-1", 0},  {"2x", 0},
                {"", 0},     {" 2", 0}, {"fas", 0}, {"99999999999999999999", 0}};
    struct profile profile = profile_read(two_kinds);
    for (size_t k = 0; k < COUNT_OF(rows); k++)
        assert_int_equal(beyond_find(&profile, rows[k].name), rows[k].rank);
    profile_release(&profile);
}

static void there_is_a_limit(void **state)
{
    (void)state;
    struct failure failure = FAILURE_INIT;
    struct profile profile = profile_read(two_kinds);
    assert_true(beyond_extend(&profile, LIMIT_WORKERS, 0, &failure));
    assert_false(beyond_extend(&profile, LIMIT_WORKERS + 1, 0, &failure));
    assert_failure(failure, FAILURE_USAGE,
                   "-n 10000001: there can be 10000000 workers at most: give less");
    profile_release(&profile);
}

/* After a run of so many workers. */
static void what_ran_is_measured(void **state)
{
    (void)state;
    static const struct {
        int64_t ran, known;
    } rows[] = {{1, 3}, {3, 3}, {5, 5}, {9, 9}, {12, 9}};
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        struct failure failure = FAILURE_INIT;
        struct profile profile = profile_read(two_kinds);
        assert_true(beyond_extend(&profile, 9, 1, &failure));
        beyond_settle(&profile, rows[k].ran);
        assert_int_equal(beyond_measured(&profile), rows[k].known);
        char *text = profile_print(&profile);
        struct profile again = profile_read("%s", text);
        assert_int_equal(profile_workers(&again.settings[0].windows[0]), rows[k].known);
        assert_int_equal(again.settings[0].windows[0].worker_count, rows[k].known > 3 ? 3 : 2);
        free(text);
        profile_release(&again);
        profile_release(&profile);
    }
}

/* Whatever a worker is like, one that repeats it is like that: were they drawn apart, the later of
 * the two would be 0.56 standard deviations behind in the mean, 10.56 s in place of 10. */
static void intervals_draw_them_together(void **state)
{
    (void)state;
    double loads[] = {10, 10}, sum_s = 0;
    int64_t workers[] = {0, 3};
    struct plan_round round = {1, loads};
    const struct plan plan = {
        .workers = workers, .worker_count = 2, .rounds = &round, .round_count = 1, .tasks = 20};
    struct failure failure = FAILURE_INIT;
    struct interval interval;
    struct profile profile = profile_read(two_kinds);
    assert_true(beyond_extend(&profile, 4, 1, &failure));
    const struct interval_request request = {
        .profile = &profile, .setting = &profile.settings[0], .plan = &plan, .seed = 3};
    assert_true(interval_draw(&request, &interval, &failure));
    for (int64_t k = 0; k < interval.ensemble.count; k++)
        sum_s += interval.ensemble.runs[k].makespan_s;
    assert_true(interval.ensemble.runs[interval.ensemble.count - 1].makespan_s >
                12); /* they are drawn at all */
    assert_true(fabs(sum_s / (double)interval.ensemble.count - 10) < 0.2);
    interval_release(&interval);
    profile_release(&profile);
}

static void they_are_told(void **state)
{
    (void)state;
    const struct plan_beyond none = {.workers = 0}, one = {4, 1, 2, NULL};
    char name[] = "n\"02";
    const struct plan_beyond many = {2, 62, 2, name};
    struct text text = TEXT_INIT;
    beyond_describe(&none, &text);
    beyond_describe(&one, &text);
    beyond_describe(&many, &text);
    struct json_text json = json_open(&text, "", "; ");
    beyond_json(&none, &json);
    beyond_json(&one, &json);
    beyond_json(&many, &json);
    assert_string_equal(
        text.bytes,
        "beyond      1 worker beyond those measured, like rank 2\n"
        "beyond      62 workers beyond those measured, like n\"02\n"
        "\"beyond\": {\"measured\": 4, \"workers\": 1, \"rank\": 2}"
        "; \"beyond\": {\"measured\": 2, \"workers\": 62, \"rank\": 2, \"class\": \"n\\\"02\"}");
    text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_class_is_repeated),
        cmocka_unit_test(plans_say_what_they_reckon_with),
        cmocka_unit_test(plans_hold_for_other_profiles),
        cmocka_unit_test(classes_have_names_and_ranks),
        cmocka_unit_test(there_is_a_limit),
        cmocka_unit_test(what_ran_is_measured),
        cmocka_unit_test(intervals_draw_them_together),
        cmocka_unit_test(they_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
