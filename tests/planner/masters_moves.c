/* Masters side by side that are disturbed: a star that is late gives core tasks to another one. */
#include <math.h>

#include "planner/files/plan_json.h"
#include "planner/simulate/stars.h"
#include "tests/checks.h"
#include "tests/planner/parsed.h"

/* Two stars of two workers, a second for each core task; the master's time is nothing. */
static const char halves_text[] =
    "{ \"schema\": \"scow-profile-1\", \"kernel\": \"sleep\", \"settings\": [ { \"windows\": [\n"
    "    { \"tasks\": [1, 1000], \"envelope\": {\"latency_s\": 0.001, \"s_per_task\": 0},\n"
    "      \"send\": {\"latency_s\": 0, \"s_per_task\": 0}, \"workers\": [ { \"count\": 5,\n"
    "          \"receive\": {\"latency_s\": 0, \"s_per_task\": 0},\n"
    "          \"compute\": {\"latency_s\": 0, \"s_per_task\": 1} } ] } ] } ] }";
static const char halves_plan[] =
    "{ \"schema\": \"scow-plan-1\", \"kernel\": \"sleep\", \"scheduler\": \"by hand\", \"tasks\": "
    "120,\n"
    "  \"stars\": [ { \"scheduler\": \"by hand\", \"tasks\": 60, \"workers\": [0, 1],\n"
    "               \"rounds\": [ { \"repeat\": 30, \"loads\": [1, 1] } ] },\n"
    "             { \"master\": 3, \"scheduler\": \"by hand\", \"tasks\": 60, \"workers\": [3, "
    "4],\n"
    "               \"rounds\": [ { \"repeat\": 30, \"loads\": [1, 1] } ] } ] }";

/* The last core tasks of the first star, and the first ones of the second, weigh five times as much
 * as the others. */
static void halves_weigh(struct plan *plan)
{
    double items[120];
    for (int k = 0; k < 120; k++)
        items[k] = k < 48 || k >= 72 ? 1 : 5;
    plan->weights = weights_new(
        "w", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", items, 120);
    assert_non_null(plan->weights);
}

/* What the stars take, and how many core tasks move; by weight where it is known. */
static double stars_take(const struct scenario *scenario, bool weighed, int64_t *moved)
{
    struct failure failure = FAILURE_INIT;
    struct profile profile = profile_read(halves_text);
    struct moves_list moves = {.items = NULL};
    struct simulation simulation;
    struct platform platform;
    struct plan plan;
    assert_true(plan_parse_any(&plan, halves_plan, strlen(halves_plan), "halves", &failure));
    if (weighed)
        halves_weigh(&plan);
    profile_weigh(&profile, plan.weights);
    assert_true(platform_init(&platform, &profile.settings[0], 0, &failure) &&
                platform_map(&platform, &profile.settings[0], plan.tasks, &failure));
    const struct stars_setup setup = {.platform = &platform, .plan = &plan, .scenario = scenario};
    if (!simulate_stars(&setup, NULL, &moves, &simulation, &failure))
        fail_msg("%s", failure.text);
    *moved = 0;
    for (size_t k = 0; k < moves.count; k++) {
        assert_true(moves.items[k].from != moves.items[k].to);
        *moved += moves.items[k].tasks;
    }
    moves_list_release(&moves);
    platform_release(&platform);
    plan_release(&plan);
    profile_release(&profile);
    return simulation.makespan_s;
}

static double halves_take(const struct scenario *scenario, int64_t *moved)
{
    return stars_take(scenario, false, moved);
}

/* The stars are as in a_slow_star_gives_work_away, but the slow one's last core tasks are worth
 * most: fewer of them are half of the work. */
static void what_moves_goes_by_weight(void **state)
{
    struct scenario scenario = SCENARIO_INIT;
    int64_t alike, moved;
    (void)state;
    scenario.slow_workers = 2;
    scenario.slow_factor = 4;
    halves_take(&scenario, &alike);
    const double makespan_s = stars_take(&scenario, true, &moved);
    assert_true(makespan_s >= 48 && makespan_s < 62);
    assert_true(moved > 0 && moved < alike);
}

static void stars_that_end_together_move_nothing(void **state)
{
    const struct scenario usual = SCENARIO_INIT;
    int64_t moved;
    (void)state;
    assert_true(fabs(halves_take(&usual, &moved) - 30.001) < 0.01);
    assert_int_equal(moved, 0);
}

/* At two core tasks per second and half a one, 120 take 48 s. What slow workers hold by then, three
 * packages each, is not taken from them. Without moves 60 core tasks would take 120 s. */
static void a_slow_star_gives_work_away(void **state)
{
    struct scenario scenario = SCENARIO_INIT;
    int64_t moved;
    (void)state;
    scenario.slow_workers = 2;
    scenario.slow_factor = 4;
    const double makespan_s = halves_take(&scenario, &moved);
    assert_true(makespan_s >= 48 && makespan_s < 62);
    assert_in_range(moved, 30, 40);
}

/* The others of its star go on first, and what these would be late with goes to the other star. */
static void a_star_that_loses_a_worker_gives_work_away(void **state)
{
    struct scenario scenario = SCENARIO_INIT;
    int64_t moved;
    (void)state;
    scenario.lost_worker = 0;
    scenario.lost_s = 6;
    const double makespan_s = halves_take(&scenario, &moved);
    assert_true(makespan_s >= 38 && makespan_s < 42);
    assert_in_range(moved, 8, 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stars_that_end_together_move_nothing),
        cmocka_unit_test(a_slow_star_gives_work_away),
        cmocka_unit_test(what_moves_goes_by_weight),
        cmocka_unit_test(a_star_that_loses_a_worker_gives_work_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
