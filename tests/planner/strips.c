/* Strips of a grid: widths with which all take equally long, which workers get them, and what files
 * say about them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "planner/base/random.h"
#include "planner/files/profile_json.h"
#include "planner/files/strips_json.h"
#include "planner/strips/balance.h"
#include "planner/strips/strips_left.h"
#include "planner/strips/strips_plan.h"
#include "planner/strips/strips_simulate.h"
#include "tests/checks.h"

enum { SIDE = 1000 };

static void near(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%.9g, and %.9g is wanted", value, wanted);
}

static struct strip_cost cost_of_cells(double s_per_cell, double fixed_s)
{
    return (struct strip_cost){SIDE * s_per_cell, fixed_s};
}

/* Three workers, the third with half of its processor, 12.5 MB/s: borders of 8000 bytes take
 * 0.64 ms. */
static void widths_are_those_of_the_formula(void **state)
{
    const struct strip_cost three[] = {cost_of_cells(1e-8, 0.64e-3), cost_of_cells(2e-8, 1.28e-3),
                                       cost_of_cells(4e-8, 0.64e-3)};
    const struct strip_cost two[] = {cost_of_cells(1e-8, 0.64e-3), cost_of_cells(2e-8, 0.64e-3)};
    const struct strip_cost alone = cost_of_cells(1e-8, 0);
    double widths[3];
    int64_t whole[3];
    (void)state;
    near(strips_balance(three, 3, SIDE, 0, widths), 6.537143e-3, 1e-9);
    near(widths[0], 589.714, 1e-3);
    near(widths[1], 262.857, 1e-3);
    near(widths[2], 147.429, 1e-3);
    strips_round(widths, 3, SIDE, whole);
    assert_int_equal(whole[0], 590);
    assert_int_equal(whole[1], 263);
    assert_int_equal(whole[2], 147);
    near(strips_step_s(three, 3, whole), 6.54e-3, 1e-9);
    near(strips_balance(two, 2, SIDE, 0, widths), 7.306667e-3, 1e-9);
    near(widths[0], 666.667, 1e-3);
    near(strips_balance(&alone, 1, SIDE, 0, widths), 0.01, 1e-12);
    near(widths[0], SIDE, 1e-9);
}

static void who_would_get_less_than_nothing_is_left_out(void **state)
{
    const struct strip_cost far[] = {cost_of_cells(1e-8, 0.64e-3), cost_of_cells(2e-8, 1.28e-3),
                                     cost_of_cells(4e-8, 0.2)};
    double widths[3];
    int64_t whole[3];
    (void)state;
    near(strips_balance(far, 3, SIDE, 0, widths), 7.52e-3, 1e-9);
    strips_round(widths, 3, SIDE, whole);
    assert_int_equal(whole[0], 688);
    assert_int_equal(whole[1], 312);
    assert_int_equal(whole[2], 0);
}

/* Any costs: whole widths fill the grid, none is further than a column from its real one, and the
 * real ones end together. */
static void whole_widths_fill_the_grid(void **state)
{
    enum { MOST = 12, TRIALS = 300 };
    (void)state;
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        uint64_t random = seed;
        struct strip_cost costs[MOST];
        double widths[MOST];
        int64_t whole[MOST], sum = 0;
        const int64_t count = 1 + (int64_t)(random_uniform(&random) * MOST);
        const int64_t columns = count + (int64_t)(random_uniform(&random) * 2000);
        for (int64_t k = 0; k < count; k++)
            costs[k] = (struct strip_cost){1e-6 * exp(4 * random_uniform(&random)),
                                           1e-4 * random_uniform(&random)};
        const double step_s = strips_balance(costs, count, columns, 1, widths);
        strips_round(widths, count, columns, whole);
        for (int64_t k = 0; k < count; k++) {
            sum += whole[k];
            assert_true(widths[k] == 0 ? whole[k] == 0 : whole[k] >= 1);
            assert_true(fabs((double)whole[k] - widths[k]) < 1 + 1e-6);
            if (widths[k] > 0)
                near(costs[k].s_per_column * widths[k] + costs[k].fixed_s, step_s, 1e-9 * step_s);
        }
        if (sum != columns)
            fail_msg("seed %" PRIu64 ": %" PRId64 " columns of %" PRId64, seed, sum, columns);
    }
}

static void columns_that_move_are_counted(void **state)
{
    const int64_t now[] = {590, 263, 147}, later[] = {500, 353, 147}, all[] = {0, 0, 1000};
    (void)state;
    assert_int_equal(strips_moved(now, now, 3), 0);
    assert_int_equal(strips_moved(now, later, 3), 90);
    assert_int_equal(strips_moved(now, all, 3), 853);
}

/* The first has become half as fast: 90 columns less, which save 1.8 ms in each iteration, take
 * 57.6 ms to be moved, and 10 ms for the change. */
static void widths_change_where_that_pays(void **state)
{
    const struct strip_cost costs[] = {cost_of_cells(2e-8, 0.64e-3), cost_of_cells(2e-8, 1.28e-3),
                                       cost_of_cells(4e-8, 0.64e-3)};
    const int64_t now[] = {590, 263, 147}, later[] = {500, 353, 147}, hardly[] = {580, 273, 147};
    (void)state;
    assert_false(strips_pay(costs, 3, now, later, 37, 0.64e-3));
    assert_true(strips_pay(costs, 3, now, later, 38, 0.64e-3));
    assert_false(strips_pay(costs, 3, now, hardly, 1e9, 0.64e-3));
    assert_false(strips_pay(costs, 3, later, now, 1e9, 0.64e-3));
}

/* ---- choosing ------------------------------------------------------------------------------ */

/* The slowest comes first, the two windows of the fastest differ. */
static const char profile_text[] =
    "{ \"schema\": \"scow-profile-1\", \"kernel\": \"jacobi\",\n"
    "  \"parameters\": {\"rows\": 500, \"columns\": 1000},\n"
    "  \"exchange\": {\"latency_s\": %s, \"s_per_byte\": 8e-8},\n"
    "  \"settings\": [ { \"windows\": [\n"
    "    { \"tasks\": [1, 100], \"envelope\": {\"latency_s\": 0, \"s_per_task\": 0},\n"
    "      \"send\": {\"latency_s\": 0, \"s_per_task\": 0}, \"workers\": [\n"
    "        { \"receive\": {\"latency_s\": 0, \"s_per_task\": 0}, \"compute\": {\"latency_s\": 0, "
    "\"s_per_task\": 2e-5} },\n"
    "        { \"receive\": {\"latency_s\": 0, \"s_per_task\": 0}, \"compute\": {\"latency_s\": 0, "
    "\"s_per_task\": 1e-6} },\n"
    "        { \"receive\": {\"latency_s\": 0, \"s_per_task\": 0}, \"compute\": {\"latency_s\": 0, "
    "\"s_per_task\": 1e-5} } ] },\n"
    "    { \"tasks\": [101, 1000], \"envelope\": {\"latency_s\": 0, \"s_per_task\": 0},\n"
    "      \"send\": {\"latency_s\": 0, \"s_per_task\": 0}, \"workers\": [\n"
    "        { \"receive\": {\"latency_s\": 0, \"s_per_task\": 0}, \"compute\": {\"latency_s\": 0, "
    "\"s_per_task\": 2e-5} },\n"
    "        { \"receive\": {\"latency_s\": 0, \"s_per_task\": 0}, \"compute\": {\"latency_s\": 0, "
    "\"s_per_task\": 5e-6} },\n"
    "        { \"receive\": {\"latency_s\": 0, \"s_per_task\": 0}, \"compute\": {\"latency_s\": 0, "
    "\"s_per_task\": 1e-5} } ] } ] } ] }";

static struct strips_plan chosen(const char *latency_s, int64_t workers)
{
    char text[2048];
    struct failure failure = FAILURE_INIT;
    struct profile profile;
    struct strips_plan plan = {.kernel = NULL};
    snprintf(text, sizeof text, profile_text, latency_s);
    if (!profile_parse(&profile, text, strlen(text), "p.json", &failure))
        fail_msg("%s", failure.text);
    const struct strips_request request = {
        .profile = &profile,
        .setting = &profile.settings[0],
        .workers = workers,
        .job = {.rows = SIDE, .columns = SIDE, .iterations = 500, .every = 100}};
    if (!strips_choose(&request, &plan, &failure))
        fail_msg("%s", failure.text);
    profile_release(&profile);
    plan.kernel = strdup("jacobi");
    return plan;
}

/* Columns are twice as high as the profile's, and the fastest has the window of wide packages. */
static void all_take_part_where_it_is_worth_it(void **state)
{
    struct strips_plan plan = chosen("0", 3);
    (void)state;
    assert_int_equal(plan.strip_count, 3);
    assert_int_equal(plan.strips[0].rank, 2);
    assert_int_equal(plan.strips[1].rank, 3);
    assert_int_equal(plan.strips[2].rank, 1);
    assert_int_equal(plan.strips[0].columns, 590);
    assert_int_equal(plan.strips[1].columns, 263);
    assert_int_equal(plan.strips[2].columns, 147);
    near(plan.strips[1].exchange_s, 1.28e-3, 1e-12);
    near(plan.strips[1].compute_s, 5.26e-3, 1e-12);
    near(plan.predicted.step_s, 6.54e-3, 1e-9);
    near(plan.predicted.total_s,
         500 * plan.predicted.step_s + plan.predicted.test_s + plan.predicted.gather_s, 1e-9);
    near(plan.predicted.gather_s, 0.64, 1e-9);
    strips_plan_release(&plan);
}

/* With 4 ms for each border two take 10.6 ms, three longer, and one 10 ms. */
static void one_alone_may_be_best(void **state)
{
    struct strips_plan plan = chosen("4e-3", 3);
    (void)state;
    assert_int_equal(plan.strip_count, 1);
    assert_int_equal(plan.strips[0].columns, SIDE);
    near(plan.predicted.step_s, 0.01, 1e-12);
    strips_plan_release(&plan);
}

/* ---- those that are left ----------------------------------------------------------------------
 */

/* Of the three above without the second, whose columns take 10 and 40 us: no longer by the plan
 * alone, for the last has been measured to be as fast as the first. */
static void others_share_what_a_lost_worker_had(void **state)
{
    struct strips_plan plan = chosen("0", 3);
    static const double unknown[] = {0, 0, 0}, measured[] = {0, 0, 1e-5};
    static const bool two[] = {true, false, true}, one[] = {false, true, false}, none[3] = {false};
    int64_t widths[3];
    (void)state;
    assert_int_equal(strips_left_plan(&plan, unknown, two, widths), 2);
    assert_int_equal(widths[0], 800);
    assert_int_equal(widths[1], 0);
    assert_int_equal(widths[2], 200);
    assert_int_equal(strips_left_plan(&plan, measured, two, widths), 2);
    assert_int_equal(widths[0], 500);
    assert_int_equal(widths[2], 500);
    assert_int_equal(strips_left_plan(&plan, unknown, one, widths), 1);
    assert_int_equal(widths[1], SIDE);
    assert_int_equal(strips_left_plan(&plan, unknown, none, widths), 0);
    strips_plan_release(&plan);
}

/* Plans by hand need not say what anything takes. */
static void a_plan_without_costs_is_divided_evenly(void **state)
{
    struct strip strips[] = {{1, 4, 0, 0}, {2, 3, 0, 0}, {3, 3, 0, 0}};
    const struct strips_plan plan = {
        .job = {.rows = 4, .columns = 10, .iterations = 5}, .strips = strips, .strip_count = 3};
    static const double unknown[] = {0, 0, 0};
    static const bool two[] = {true, true, false};
    int64_t widths[3];
    (void)state;
    assert_int_equal(strips_left_plan(&plan, unknown, two, widths), 2);
    assert_int_equal(widths[0], 5);
    assert_int_equal(widths[1], 5);
    assert_int_equal(widths[2], 0);
}

/* ---- simulated ----------------------------------------------------------------------------- */

/* The first worker has that share of its processor from `from_s` on. */
static struct strips_outcome simulated(const struct strips_plan *plan, double from_s, double share)
{
    struct availability availability = {.series = NULL};
    struct strips_outcome outcome;
    struct failure failure = FAILURE_INIT;
    struct availability_series *series = availability_series(&availability, NULL);
    assert_true(availability_add(series, 0, 1, 1));
    assert_true(availability_add(series, from_s, share, 1));
    size_t places[] = {0, 0, 1, 0}; /* the master's, and then of ranks: the first strip is rank 2 */
    availability.places = places;
    availability.workers = 3;
    const struct strips_scenario scenario = {.availability = &availability, .workers = 3};
    if (!strips_simulate(plan, &scenario, &outcome, &failure))
        fail_msg("%s", failure.text);
    availability.places = NULL;
    availability_release(&availability);
    return outcome;
}

static void without_loads_all_is_as_predicted(void **state)
{
    struct strips_plan plan = chosen("0", 3);
    struct strips_outcome outcome = simulated(&plan, 1e9, 0.5);
    (void)state;
    near(outcome.step_s, plan.predicted.step_s, 1e-4 * outcome.step_s);
    near(outcome.total_s, plan.predicted.total_s, 1e-3 * outcome.total_s);
    assert_int_equal(outcome.rebalanced, 0);
    assert_true(outcome.complete && outcome.iterations == 500 && outcome.tests == 5);
    strips_outcome_release(&outcome);
    strips_plan_release(&plan);
}

/* Half of the processor from the middle of the second hundred on: strips get other widths at the
 * test that follows, and once more when half of an average is no longer of times before. Without
 * that the remaining 350 iterations would take twice 5.9 ms and 0.64 ms each. */
static void strips_get_other_widths_where_one_becomes_slower(void **state)
{
    struct strips_plan plan = chosen("0", 3);
    struct strips_outcome outcome = simulated(&plan, 150 * plan.predicted.step_s, 0.5);
    const double kept_s = plan.predicted.total_s + 350 * 5.9e-3;
    (void)state;
    assert_true(outcome.rebalanced >= 1);
    assert_true(outcome.strips[0].columns < 500);
    assert_int_equal(
        outcome.strips[0].columns + outcome.strips[1].columns + outcome.strips[2].columns, SIDE);
    assert_true(outcome.total_s > plan.predicted.total_s && outcome.total_s < 0.95 * kept_s);
    strips_outcome_release(&outcome);
    strips_plan_release(&plan);
}

/* Worker 3, in the middle, at that time, of so many workers; columns take the fourth so long. */
static struct strips_outcome lost(const struct strips_plan *plan, double lost_s, int64_t workers,
                                  double fourth_s)
{
    const double s_per_column[] = {2e-5, 5e-6, 1e-5, fourth_s};
    const struct strips_scenario scenario = {
        .lost = 3, .lost_s = lost_s, .workers = workers, .s_per_column = s_per_column};
    struct strips_outcome outcome;
    struct failure failure = FAILURE_INIT;
    if (!strips_simulate(plan, &scenario, &outcome, &failure))
        fail_msg("%s", failure.text);
    assert_int_equal(outcome.loss_count, 1);
    assert_int_equal(outcome.losses[0].rank, 3);
    return outcome;
}

/* No grid is kept: all from the beginning, 800 columns of 10 us beside 200 of 40. */
static void those_that_are_left_begin_anew(void **state)
{
    struct strips_plan plan = chosen("0", 3);
    struct strips_outcome outcome = lost(&plan, 1, 3, 0);
    (void)state;
    assert_int_equal(outcome.losses[0].from, 0);
    assert_int_equal(outcome.losses[0].iterations, 100);
    assert_int_equal(outcome.strips[0].columns, 800);
    assert_int_equal(outcome.strips[1].columns, 0);
    assert_int_equal(outcome.tests, 6);
    near(outcome.lost_s, 1 - 100 * 6.54e-3 - plan.predicted.test_s / 5, 1e-4);
    near(outcome.total_s, 1 + 500 * 8.64e-3 + plan.predicted.test_s + 0.64, 1e-9);
    strips_outcome_release(&outcome);
    strips_plan_release(&plan);
}

/* All is as it was, and takes longer by the loss and by what brings the grid to all. */
static void a_spare_that_is_alike_goes_on_as_before(void **state)
{
    struct strips_plan plan = chosen("0", 3);
    struct strips_outcome whole = simulated(&plan, 1e9, 1), outcome;
    (void)state;
    strips_outcome_release(&whole);
    plan.job.keep = true;
    plan.predicted.gather_s = 5 * 0.64;
    whole = simulated(&plan, 1e9, 1);
    outcome = lost(&plan, 3, 4, 1e-5);
    assert_int_equal(outcome.losses[0].spare, 4);
    assert_int_equal(outcome.losses[0].from, 200);
    assert_int_equal(outcome.strips[1].rank, 4);
    assert_int_equal(outcome.strips[1].columns, 263);
    near(outcome.total_s, whole.total_s + outcome.lost_s, 1e-9);
    near(outcome.lost_s, 3 + 0.64 - 200 * 6.54e-3 - 2 * (plan.predicted.test_s / 5 + 0.64), 1e-4);
    strips_outcome_release(&outcome);
    strips_outcome_release(&whole);
    outcome = lost(&plan, 3, 4, 2e-5);
    assert_true(outcome.rebalanced > 0 && outcome.strips[1].columns < 200);
    strips_outcome_release(&outcome);
    strips_plan_release(&plan);
}

/* The only one is lost: another takes its place, or nobody does, and the last grid is not kept. */
static void without_anybody_nothing_is_complete(void **state)
{
    struct strips_plan plan = chosen("0", 3);
    (void)state;
    plan.strip_count = 1;
    plan.strips[0] = (struct strip){3, SIDE, 0.01, 0};
    for (int k = 0; k < 2; k++) {
        struct strips_outcome outcome = lost(&plan, k == 0 ? 2 : 5.2, k == 0 ? 3 : 0, 0);
        assert_true(outcome.complete == (k == 0));
        assert_int_equal(outcome.iterations, k == 0 ? 500 : 0);
        strips_outcome_release(&outcome);
    }
    strips_plan_release(&plan);
}

static void too_much_is_not_simulated(void **state)
{
    struct strips_plan plan = chosen("0", 3);
    const struct strips_scenario none = {.lost = 0};
    struct strips_outcome outcome;
    struct failure failure = FAILURE_INIT;
    (void)state;
    plan.job.iterations = STRIPS_ITERATIONS_MOST;
    assert_false(strips_simulate(&plan, &none, &outcome, &failure));
    assert_int_equal(failure.code, FAILURE_USAGE);
    strips_plan_release(&plan);
}

/* ---- files --------------------------------------------------------------------------------- */

static void a_plan_is_read_as_it_was_written(void **state)
{
    struct strips_plan plan = chosen("1e-5", 3), again;
    struct failure failure = FAILURE_INIT;
    (void)state;
    plan.job.tolerance = 1e-6;
    plan.job.keep = true;
    plan.threads = 2;
    assert_true(parameter_list_add(&plan.parameters, "north", NULL, 2.5));
    char *text = strips_print(&plan);
    assert_non_null(text);
    assert_true(strips_is(text, strlen(text)));
    assert_false(strips_is(text, strlen(text) - 2));
    assert_false(strips_is("{\"schema\": \"scow-plan-1\"}", 25));
    assert_false(strips_is("\"scow-strips-1", 14));
    assert_false(strips_is("", 0));
    if (!strips_parse(&again, text, strlen(text), "s.json", &failure))
        fail_msg("%s", failure.text);
    char *twice = strips_print(&again);
    assert_string_equal(text, twice);
    assert_int_equal(again.strip_count, 3);
    assert_true(again.job.keep);
    free(text);
    free(twice);
    strips_plan_release(&plan);
    strips_plan_release(&again);
}

static const char good_plan[] =
    "{ \"schema\": \"scow-strips-1\", \"kernel\": \"jacobi\", \"rows\": 4, \"columns\": 10,\n"
    "  \"iterations\": 5, \"every\": 5, \"strips\": [ {\"rank\": 1, \"columns\": 7},\n"
    "  {\"rank\": 2, \"columns\": 3} ] }";

static const struct {
    const char *old, *new, *sentence;
} bad_plans[] = {
    {"\"columns\": 7", "\"columns\": 6",
     "s.json: its strips have 9 columns together, and the grid has 10: plan again"},
    {"\"rank\": 2", "\"rank\": 1", "s.json: gives rank 1 two strips: plan again"},
    {"\"rank\": 2", "\"rank\": 0",
     "s.json: strips[1].rank: must be a whole number from 1 to 10000000, not 0"},
    {"\"iterations\": 5, ", "", "s.json: the key 'iterations' is missing: add it"},
    {"\"rows\": 4", "\"rows\": 0",
     "s.json: rows: must be a whole number from 1 to 100000000, not 0"},
    {"\"every\": 5", "\"every\": 5, \"tolerance\": -1",
     "s.json: tolerance: must be a number from 0 to 1e+300, not -1"},
};

static void bad_plans_are_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(bad_plans); k++) {
        char text[1024];
        struct strips_plan plan;
        struct failure failure = FAILURE_INIT;
        const char *at = strstr(good_plan, bad_plans[k].old);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good_plan), good_plan, bad_plans[k].new,
                 at + strlen(bad_plans[k].old));
        assert_false(strips_parse(&plan, text, strlen(text), "s.json", &failure));
        assert_int_equal(failure.code, FAILURE_MISMATCH);
        assert_string_equal(failure.text, bad_plans[k].sentence);
    }
}

/* Half of the iterations, by a run that was stopped. */
static void what_was_measured_stands_beside_what_was_predicted(void **state)
{
    static const char measured[] =
        "{ \"schema\": \"scow-strips-measured-1\", \"begun\": 50, \"iterations\": 250,\n"
        "  \"change\": 0.25, \"tests\": 2, \"step_s\": 0.00719, \"test_s\": 0.02,\n"
        "  \"gather_s\": 0.32, \"total_s\": 1.778, \"strips\": [\n"
        "  {\"rank\": 2, \"columns\": 590, \"compute_s\": 1.2, \"wait_s\": 0.2} ] }";
    static const char wanted[] =
        "1000 rows x 1000 columns, 250 of 500 iterations: stopped before its end, the last changes "
        "no "
        "cell by more than 0.25\n"
        "went on     after 50 iterations\n\n"
        "             predicted     measured\n"
        "iteration     6.540 ms     7.190 ms     +9.9 %\n"
        "tests         2.360 ms     20.00 ms   +747.5 %\n"
        "grid          640.0 ms     320.0 ms    -50.0 %\n"
        "total          1.950 s      1.778 s     -8.8 %\n\n"
        "                  computing in an iteration   exchanging      waiting\n"
        "  rank    columns    predicted     measured    predicted     measured\n"
        "     2        590     5.900 ms     6.000 ms     640.0 us     1.000 ms\n";
    struct strips_plan plan = chosen("0", 3);
    struct strips_outcome outcome;
    struct failure failure = FAILURE_INIT;
    struct text text = TEXT_INIT;
    (void)state;
    if (!strips_outcome_parse(&outcome, measured, strlen(measured), "m.json", &failure))
        fail_msg("%s", failure.text);
    strips_outcome_describe(&plan, &outcome, &text);
    assert_string_equal(text.bytes, wanted);
    text_release(&text);
    strips_outcome_release(&outcome);
    strips_plan_release(&plan);
}

/* A worker that was lost: who, when, why, and from where the others went on. */
static void losses_are_told(void **state)
{
    static const char measured[] =
        "{ \"schema\": \"scow-strips-measured-1\", \"iterations\": 500, \"change\": 0.25,\n"
        "  \"complete\": true, \"tests\": 6, \"step_s\": 0.006, \"test_s\": 0.02, \"gather_s\": "
        "0.3,\n"
        "  \"lost_s\": 0.6, \"total_s\": 4, \"strips\": [\n"
        "  {\"rank\": 2, \"columns\": 0, \"compute_s\": 0, \"wait_s\": 0} ], \"losses\": [\n"
        "  {\"rank\": 2, \"iterations\": 300, \"from\": 200, \"at_s\": 1.5, \"why\": \"it was "
        "killed\"} ] }";
    struct strips_plan plan = chosen("0", 3);
    struct strips_outcome outcome;
    struct failure failure = FAILURE_INIT;
    struct text text = TEXT_INIT;
    (void)state;
    if (!strips_outcome_parse(&outcome, measured, strlen(measured), "m.json", &failure))
        fail_msg("%s", failure.text);
    strips_outcome_describe(&plan, &outcome, &text);
    assert_non_null(strstr(text.bytes, "lost        worker 2 after 1.500 s: it was killed; the "
                                       "others went on from iteration 200, and 100 were done "
                                       "again\n"));
    assert_non_null(strstr(text.bytes, "\nlost "));
    char *printed = strips_outcome_print(&outcome);
    assert_non_null(strstr(printed, "\"losses\": [\n    {\"rank\": 2, \"iterations\": 300"));
    free(printed);
    text_release(&text);
    strips_outcome_release(&outcome);
    strips_plan_release(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths_are_those_of_the_formula),
        cmocka_unit_test(who_would_get_less_than_nothing_is_left_out),
        cmocka_unit_test(whole_widths_fill_the_grid),
        cmocka_unit_test(columns_that_move_are_counted),
        cmocka_unit_test(widths_change_where_that_pays),
        cmocka_unit_test(all_take_part_where_it_is_worth_it),
        cmocka_unit_test(one_alone_may_be_best),
        cmocka_unit_test(others_share_what_a_lost_worker_had),
        cmocka_unit_test(a_plan_without_costs_is_divided_evenly),
        cmocka_unit_test(without_loads_all_is_as_predicted),
        cmocka_unit_test(strips_get_other_widths_where_one_becomes_slower),
        cmocka_unit_test(those_that_are_left_begin_anew),
        cmocka_unit_test(a_spare_that_is_alike_goes_on_as_before),
        cmocka_unit_test(without_anybody_nothing_is_complete),
        cmocka_unit_test(too_much_is_not_simulated),
        cmocka_unit_test(a_plan_is_read_as_it_was_written),
        cmocka_unit_test(bad_plans_are_refused),
        cmocka_unit_test(what_was_measured_stands_beside_what_was_predicted),
        cmocka_unit_test(losses_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
