/* Cost maps: how they are read, and how they change packages, plans and intervals. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "planner/files/profile_json.h"
#include "planner/model/cost_map.h"
#include "planner/simulate/simulate.h"
#include "planner/studies/advice.h"
#include "planner/studies/comparison.h"
#include "planner/studies/interval.h"
#include "planner/studies/planning.h"
#include "planner/studies/sweep.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

#define CLOSE(a, b) (fabs((a) - (b)) < 1e-9)

/* Two workers of 1 s a core task, no communication; `map` is put into the setting. */
static char *profile_text(const char *map)
{
    static char text[2048];
    snprintf(text, sizeof text,
             "{ \"schema\": \"scow-profile-1\", \"kernel\": \"loop\", \"parameters\": {},"
             " \"settings\": [ {%s \"windows\": [ {\"tasks\": [1, 1000],"
             " \"envelope\": {\"latency_s\": 0, \"s_per_task\": 0},"
             " \"send\": {\"latency_s\": 0, \"s_per_task\": 0},"
             " \"workers\": [ {\"count\": 2,"
             " \"link\": {\"latency_s\": 0, \"s_per_task\": 0},"
             " \"receive\": {\"latency_s\": 0, \"s_per_task\": 0},"
             " \"compute\": {\"latency_s\": 0, \"s_per_task\": 1},"
             " \"output\": {\"latency_s\": 0, \"s_per_task\": 0}} ] } ] } ] }",
             map);
    return text;
}

static void profile_read(struct profile *profile, const char *map)
{
    struct failure failure = FAILURE_INIT;
    const char *text = profile_text(map);
    if (!profile_parse(profile, text, strlen(text), "p.json", &failure))
        fail_msg("%s", failure.text);
}

/* The last tenth costs 5.5, the others 0.5 each. */
#define HEAVY_END                                                                                  \
    "\"map\": {\"tasks\": 100, \"sampled\": 64, \"error\": 0.02, \"unseen\": 0.1, \"regions\": "   \
    "[{\"tasks\": 90, \"cost\": 0.5}, {\"tasks\": 10, \"cost\": 5.5}]},"

static void packages_cost_what_their_regions_do(void **state)
{
    (void)state;
    struct profile profile;
    profile_read(&profile, HEAVY_END);
    const struct cost_map *map = &profile.settings[0].map;
    assert_true(CLOSE(work_mean_cost(&map->work, 100, 0, 100), 1));
    assert_true(CLOSE(work_mean_cost(&map->work, 100, 0, 90), 0.5));
    assert_true(CLOSE(work_mean_cost(&map->work, 100, 95, 1), 5.5));
    assert_true(CLOSE(work_mean_cost(&map->work, 100, 80, 20), 3));
    /* Another number of core tasks: by relative position. */
    assert_true(CLOSE(work_mean_cost(&map->work, 1000, 899, 2), 3));
    assert_true(CLOSE(work_mean_cost(&map->work, 10, 9, 1), 5.5));
    assert_true(CLOSE(work_heaviest(&map->work, 0.1), 0.55));
    assert_true(CLOSE(work_heaviest(&map->work, 0.2), 0.6));
    assert_true(CLOSE(work_deviation(&map->work), sqrt(0.9 * 0.25 + 0.1 * 20.25)));
    /* The total: both ways by its error, and more by what nobody has seen. */
    assert_true(CLOSE(cost_map_total(map, 0), 1));
    assert_true(CLOSE(cost_map_total(map, -1.6448536269514722), 1 - 0.02 * 1.6448536269514722));
    assert_true(CLOSE(cost_map_total(map, 1.6448536269514722), 1.1 + 0.02 * 1.6448536269514722));
    profile_release(&profile);
}

/* Regions are scaled to a mean of 1 when they are read, and stay as they are from then on. */
static void maps_make_the_round_trip(void **state)
{
    (void)state;
    struct profile profile, again;
    struct failure failure = FAILURE_INIT;
    profile_read(&profile, "\"map\": {\"tasks\": 10, \"sampled\": 4, \"regions\": "
                           "[{\"tasks\": 7, \"cost\": 3}, {\"tasks\": 3, \"cost\": 11}]},");
    char *text = profile_print(&profile);
    assert_true(profile_parse(&again, text, strlen(text), "p.json", &failure));
    char *text_again = profile_print(&again);
    assert_string_equal(text, text_again);
    assert_int_equal(again.settings[0].map.work.region_count, 2);
    assert_true(CLOSE(work_mean_cost(&again.settings[0].map.work, 10, 0, 10), 1));
    free(text);
    free(text_again);
    profile_release(&profile);
    profile_release(&again);
}

static void assert_refused(const char *map, const char *sentence)
{
    struct profile profile;
    struct failure failure = FAILURE_INIT;
    const char *text = profile_text(map);
    assert_false(profile_parse(&profile, text, strlen(text), "p.json", &failure));
    assert_string_equal(failure.text, sentence);
}

static void other_maps_are_refused(void **state)
{
    (void)state;
    assert_refused("\"map\": {\"tasks\": 10, \"sampled\": 11},",
                   "p.json: settings[0].map.sampled: must be a whole number from 1 to 10, not 11");
    assert_refused("\"map\": {\"tasks\": 10, \"sampled\": 4, \"regions\": "
                   "[{\"tasks\": 7, \"cost\": 3}]},",
                   "p.json: settings[0].map.regions: must have the map's 10 core tasks together");
    assert_refused("\"map\": {\"tasks\": 10, \"sampled\": 4, \"regions\": "
                   "[{\"tasks\": 7, \"cost\": 3}, {\"tasks\": 4, \"cost\": 3}]},",
                   "p.json: settings[0].map.regions[1]: ends beyond the map's 10 core tasks");
}

/* ---- plans --------------------------------------------------------------------------------- */

static void plan_with(const struct profile *profile, const char *scheduler, double tasks,
                      struct plan *plan)
{
    struct failure failure = FAILURE_INIT;
    const struct planning planning = {.profile = profile,
                                      .setting = &profile->settings[0],
                                      .scheduler = scheduler,
                                      .tasks = tasks};
    if (!planning_make(&planning, plan, &failure) ||
        !planning_tail_unequal(&planning, plan, &failure))
        fail_msg("%s", failure.text);
}

/* Two halves: 25 s and 75 s. Assigned on request: about 50 s, and a heavy core task more at most.
 */
static void what_comes_last_is_foreseen_and_assigned(void **state)
{
    (void)state;
    struct profile profile;
    struct plan plan;
    struct simulation simulation;
    struct platform platform;
    struct failure failure = FAILURE_INIT;
    double halves[] = {50, 50};
    int64_t workers[] = {0, 1};
    struct plan_round round = {.loads = halves, .repeat = 1};
    profile_read(&profile, HEAVY_END);
    const struct plan fixed = {
        .tasks = 100, .workers = workers, .worker_count = 2, .rounds = &round, .round_count = 1};
    assert_true(platform_init(&platform, &profile.settings[0], 0, &failure));
    assert_true(simulate_plan(&platform, &fixed, NULL, &simulation, &failure));
    assert_true(CLOSE(simulation.makespan_s, 50));
    assert_true(platform_map(&platform, &profile.settings[0], 100, &failure));
    assert_true(simulate_plan(&platform, &fixed, NULL, &simulation, &failure));
    assert_true(CLOSE(simulation.makespan_s, 75));
    platform_release(&platform);
    plan_with(&profile, "auto", 100, &plan);
    assert_non_null(plan.tail);
    assert_true(plan.predicted.makespan_s > 49.9 && plan.predicted.makespan_s < 56);
    plan_release(&plan);
    profile_release(&profile);
}

/* A package for each worker; and between the core tasks that were seen there may be heavy ones. */
static bool tail_is_planned(const char *map)
{
    struct profile profile;
    struct plan plan;
    profile_read(&profile, map);
    plan_with(&profile, "static", 1000, &plan);
    const bool planned = plan.tail != NULL;
    plan_release(&plan);
    profile_release(&profile);
    return planned;
}

static void what_nobody_has_seen_is_assigned(void **state)
{
    (void)state;
    assert_true(tail_is_planned("\"map\": {\"tasks\": 1000, \"sampled\": 64, \"unseen\": 0.3},"));
    assert_false(tail_is_planned("\"map\": {\"tasks\": 1000, \"sampled\": 64, \"unseen\": 0.01},"));
}

static void intervals_have_the_total(void **state)
{
    (void)state;
    struct profile profile;
    struct plan plan;
    struct interval interval;
    struct failure failure = FAILURE_INIT;
    profile_read(&profile, "\"map\": {\"tasks\": 400, \"sampled\": 64, \"error\": 0.05, "
                           "\"unseen\": 0.2, \"regions\": [{\"tasks\": 200, \"cost\": 1}, "
                           "{\"tasks\": 200, \"cost\": 1}]},");
    plan_with(&profile, "static", 400, &plan);
    const struct interval_request request = {
        .profile = &profile, .setting = &profile.settings[0], .plan = &plan, .seed = 3};
    assert_true(interval_draw(&request, &interval, &failure));
    const double low = ensemble_quantile(&interval.ensemble, 0.05) / 200;
    const double high = ensemble_quantile(&interval.ensemble, 0.95) / 200;
    assert_true(fabs(low - 0.918) < 0.02);
    assert_true(fabs(high - 1.282) < 0.04);
    interval_release(&interval);
    plan_release(&plan);
    profile_release(&profile);
}

/* ---- all schedulers, all numbers of workers ------------------------------------------------- */

/* The makespan of the plan without a tail, simulated along the regions. */
static double makespan_simulated(const struct planning *planning)
{
    struct plan plan;
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    assert_true(planning_make(planning, &plan, &failure));
    assert_true(planning_simulate(planning, &plan, NULL, &simulation, &failure));
    assert_true(CLOSE(plan.predicted.makespan_s, simulation.makespan_s));
    plan_release(&plan);
    return simulation.makespan_s;
}

/* Halves by number would take 75 s, halves by weight take 50 s. */
static void comparisons_heed_regions(void **state)
{
    (void)state;
    struct profile profile;
    struct comparison comparison;
    struct failure failure = FAILURE_INIT;
    const struct scenario usual = SCENARIO_INIT;
    profile_read(&profile, HEAVY_END);
    struct planning planning = {
        .profile = &profile, .setting = &profile.settings[0], .scheduler = "auto", .tasks = 100};
    assert_true(comparison_make(&planning, &usual, 0, &comparison, &failure));
    assert_int_equal(comparison.regions, 2);
    assert_true(CLOSE(comparison.entries[0].predicted.makespan_s, makespan_simulated(&planning)));
    for (size_t k = 0; k < comparison.count && comparison.entries[k].applies; k++) {
        const struct comparison_entry *entry = &comparison.entries[k];
        planning.scheduler = entry->scheduler;
        assert_true(CLOSE(entry->predicted.makespan_s, makespan_simulated(&planning)));
        assert_true(CLOSE(entry->predicted.lower_bound_s, 50));
        assert_true(CLOSE(entry->predicted.gap, entry->predicted.makespan_s / 50 - 1));
        if (strcmp(entry->scheduler, "static") == 0)
            assert_true(CLOSE(entry->predicted.makespan_s, 50));
    }
    comparison_release(&comparison);
    profile_release(&profile);
}

static void sweeps_heed_regions(void **state)
{
    (void)state;
    struct profile profile;
    struct sweep sweep;
    struct failure failure = FAILURE_INIT;
    profile_read(&profile, HEAVY_END);
    const struct planning planning = {.profile = &profile,
                                      .setting = &profile.settings[0],
                                      .scheduler = "static",
                                      .tasks = 100,
                                      .workers = 2};
    assert_true(sweep_make(&planning, &sweep, &failure));
    assert_int_equal(sweep.regions, 2);
    assert_true(CLOSE(sweep.rows[0].makespan_s, 100));
    assert_true(CLOSE(sweep.rows[1].makespan_s, 50));
    assert_true(CLOSE(sweep.rows[1].efficiency, 1));
    sweep_release(&sweep);
    profile_release(&profile);
}

/* 1 to 8 regions, of up to a thousand times another's cost. */
static void map_roll(struct dice *dice, int64_t tasks, struct profile_setting *setting)
{
    struct cost_map *map = &setting->map;
    map->work.tasks = tasks;
    map->sampled = tasks;
    map->work.region_count = (size_t)dice_whole(dice, 1, 8);
    map->work.regions = calloc(map->work.region_count, sizeof *map->work.regions);
    for (size_t k = 0; k < map->work.region_count; k++) {
        const int64_t left = tasks - (int64_t)(map->work.region_count - 1 - k);
        const int64_t share = k + 1 == map->work.region_count ? left : dice_whole(dice, 1, left);
        map->work.regions[k] =
            (struct work_region){.tasks = share, .cost = dice_scale(dice, 0.01, 10)};
        tasks -= share;
    }
    assert_true(work_settle(&map->work));
}

/* Any scheduler's, any way the work is assigned. */
static void no_plan_is_below_the_bound(void **state)
{
    (void)state;
    const struct scenario usual = SCENARIO_INIT;
    double least = HUGE_VAL;
    for (uint64_t seed = 1; seed <= cases_of(30); seed++) {
        struct dice dice = {seed};
        struct profile profile;
        struct comparison comparison;
        struct failure failure = FAILURE_INIT;
        const int64_t tasks = dice_whole(&dice, 8, 400);
        sample_profile(&dice, 4, 1, &profile);
        sample_starts(&dice, &profile);
        map_roll(&dice, tasks, &profile.settings[0]);
        const struct planning planning = {.profile = &profile,
                                          .setting = &profile.settings[0],
                                          .scheduler = "auto",
                                          .tasks = (double)tasks,
                                          .effort_s = 0.05};
        assert_true(comparison_make(&planning, &usual, 0, &comparison, &failure));
        for (size_t k = 0; k < comparison.count && comparison.entries[k].applies; k++) {
            const double gap = comparison.entries[k].predicted.gap;
            if (gap < -1e-9)
                fail_msg("seed %d: %s is %g below the bound", (int)seed,
                         comparison.entries[k].scheduler, gap);
            least = fmin(least, gap);
        }
        comparison_release(&comparison);
        profile_release(&profile);
    }
    printf("least gap %g\n", least);
    assert_true(least < 0.2 || !cases_are_many());
}

static void assert_told(const char *map, double tasks, const char *wanted)
{
    struct profile profile;
    struct text text = TEXT_INIT;
    profile_read(&profile, map);
    const struct plan plan = {.tasks = tasks};
    const struct advice advice = {
        .plan = &plan, .profile = &profile, .setting = &profile.settings[0]};
    advice_places(&advice, &text);
    assert_string_equal(text.bytes ? text.bytes : "", wanted);
    text_release(&text);
    profile_release(&profile);
}

static void plans_say_what_was_sampled(void **state)
{
    (void)state;
    assert_told("", 100, "");
    assert_told("\"map\": {\"tasks\": 100, \"sampled\": 100},", 100, "");
    assert_told("\"map\": {\"tasks\": 100, \"sampled\": 64, \"unseen\": 0.001},", 100,
                "sampled     64 of 100 core tasks were timed: a single task may be longer than "
                "anything seen\n");
    assert_told(HEAVY_END, 1000,
                "regions     2 of the job: the heaviest tenth of the core tasks is 55 % of the "
                "work; the total is known to 2 %\n"
                "            the plan was simulated with them; its bound is the whole work, "
                "perfectly balanced\n"
                "            they were measured in a job of 100 core tasks, and are assumed at the "
                "same relative positions in these 1000\n"
                "sampled     64 of 100 core tasks were timed: a single task may be longer than "
                "anything seen, and what was not seen may add 10 %\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packages_cost_what_their_regions_do),
        cmocka_unit_test(maps_make_the_round_trip),
        cmocka_unit_test(other_maps_are_refused),
        cmocka_unit_test(what_comes_last_is_foreseen_and_assigned),
        cmocka_unit_test(what_nobody_has_seen_is_assigned),
        cmocka_unit_test(intervals_have_the_total),
        cmocka_unit_test(plans_say_what_was_sampled),
        cmocka_unit_test(comparisons_heed_regions),
        cmocka_unit_test(sweeps_heed_regions),
        cmocka_unit_test(no_plan_is_below_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
