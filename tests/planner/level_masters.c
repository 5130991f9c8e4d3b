/* A search in levels by masters that multiply: small searches by hand, what is kept in any, and the
 * source's setting. */
#include <math.h>
#include <stdio.h>

#include "planner/files/plan_json.h"
#include "planner/studies/level_masters.h"
#include "planner/studies/remaining_plan.h"
#include "tests/checks.h"
#include "tests/planner/parsed.h"

/* So many workers that take a second for a core task, with no cost of sending, or with the source's
 * costs for its motifs. */
static const char *const cost_texts[] = {
    "\"link\": {\"latency_s\": 0, \"s_per_task\": 0}, "
    "\"compute\": {\"latency_s\": 0, \"s_per_task\": 1}",
    "\"link\": {\"latency_s\": 4.5e-5, \"s_per_task\": 7.8e-7}, "
    "\"compute\": {\"latency_s\": 4.4e-5, \"s_per_task\": 1.18049e-5}",
    "\"link\": {\"latency_s\": 0, \"s_per_task\": 1e-6}, "
    "\"compute\": {\"latency_s\": 0, \"s_per_task\": 1e-6}"};

static const char profile_text[] =
    "{ \"schema\": \"scow-profile-1\", \"kernel\": \"k\", \"settings\": [ { \"windows\": [\n"
    "    { \"tasks\": [1, 100000000], \"envelope\": {\"latency_s\": 0, \"s_per_task\": 0},\n"
    "      \"send\": {\"latency_s\": 0, \"s_per_task\": 0}, \"workers\": [ { \"count\": %d,\n"
    "      %s, \"receive\": {\"latency_s\": 0, \"s_per_task\": 0} } ] } ] } ] }";

enum { SECONDS, SOURCE, ALIKE };

struct search {
    struct profile profiles[LEVELS_MOST];
    struct plan plan;
    struct level_masters_setup setup;
};

static void plan_read(struct plan *plan, const char *scheduler, int tasks)
{
    struct failure failure = FAILURE_INIT;
    char text[400];
    snprintf(
        text, sizeof text,
        "{\"schema\": \"scow-plan-1\", \"kernel\": \"k\", \"scheduler\": \"%s\", \"tasks\": %d,"
        " \"workers\": [0], \"rounds\": [{\"repeat\": 1, \"loads\": [%d]}]}",
        scheduler, tasks, tasks);
    if (!plan_parse(plan, text, strlen(text), "plan.json", &failure))
        fail_msg("%s", failure.text);
}

static void search_make(struct search *search, int costs, int workers, int tasks,
                        const struct level_sample *levels, size_t count)
{
    plan_read(&search->plan, costs == SECONDS ? "static" : "scow-mp", tasks);
    for (size_t k = 0; k < count; k++) {
        struct profile *profile = &search->profiles[k];
        *profile = profile_read(profile_text, workers, cost_texts[costs]);
        profile->settings[0].levels = calloc(count, sizeof *levels);
        assert_non_null(profile->settings[0].levels);
        memcpy(profile->settings[0].levels, levels, count * sizeof *levels);
        profile->settings[0].level_count = count;
        profile_level(profile, (int64_t)k + 1);
    }
    search->setup =
        (struct level_masters_setup){search->profiles, levels, count, &search->plan, workers};
}

static void search_release(struct search *search)
{
    for (size_t k = 0; k < search->setup.level_count; k++)
        profile_release(&search->profiles[k]);
    plan_release(&search->plan);
}

static void simulate(const struct search *search, struct level_masters *simulated)
{
    struct failure failure = FAILURE_INIT;
    if (!level_masters_simulate(&search->setup, simulated, &failure))
        fail_msg("%s", failure.text);
}

static void assert_row(const struct level_masters_row *row, int64_t tasks, int64_t masters,
                       int64_t least, int64_t most, int64_t alone, double longest_s)
{
    assert_int_equal(row->tasks, tasks);
    assert_int_equal(row->masters, masters);
    assert_int_equal(row->least, least);
    assert_int_equal(row->most, most);
    assert_int_equal(row->alone, alone);
    assert_true(fabs(row->longest_s - longest_s) < 1e-9);
}

/* All four work, and find nobody free when they are done: each goes on alone. */
static void nobody_is_free(void **state)
{
    (void)state;
    const struct level_sample levels[] = {{8, 1, 1}, {8, 2, 0}};
    struct search search;
    struct level_masters simulated;
    search_make(&search, SECONDS, 4, 8, levels, 2);
    simulate(&search, &simulated);
    assert_row(&simulated.rows[0], 8, 1, 4, 4, 0, 2);
    assert_row(&simulated.rows[1], 8, 0, 0, 0, 4, 4); /* of twice the cost */
    assert_true(fabs(simulated.makespan_s - 6) < 1e-9);
    search_release(&search);
}

/* Four of eight get a core task, and then one of the four others each. */
static void free_workers_are_shared_evenly(void **state)
{
    (void)state;
    const struct level_sample levels[] = {{4, 1, 4}, {16, 1, 0}};
    struct search search;
    struct level_masters simulated;
    search_make(&search, SECONDS, 8, 4, levels, 2);
    simulate(&search, &simulated);
    assert_row(&simulated.rows[0], 4, 1, 4, 4, 0, 1);
    assert_row(&simulated.rows[1], 16, 4, 1, 1, 0, 4);
    assert_true(fabs(simulated.makespan_s - 5) < 1e-9);
    search_release(&search);
}

/* Two core tasks of three lead to one of the next level each. */
static void fractions_add_up(void **state)
{
    (void)state;
    const struct level_sample levels[] = {{9, 1, 2.0 / 3}, {6, 1, 0.5}, {3, 1, 0}};
    struct search search;
    struct level_masters simulated;
    search_make(&search, SECONDS, 3, 300, levels, 3);
    simulate(&search, &simulated);
    assert_int_equal(simulated.rows[0].tasks, 300);
    assert_int_equal(simulated.rows[1].tasks, 200);
    assert_int_equal(simulated.rows[2].tasks, 100);
    assert_true(simulated.makespan_s >= (300 + 200 + 100) / 3.0 - 1e-9);
    search_release(&search);
}

static double one_master_s(const struct search *search, const struct level_masters *simulated)
{
    double sum_s = 0;
    for (size_t k = 0; k < search->setup.level_count; k++) {
        const struct remaining_request request = {.plan = &search->plan,
                                                  .profile = &search->profiles[k],
                                                  .tasks = simulated->rows[k].tasks,
                                                  .workers = search->setup.workers};
        struct plan plan;
        assert_true(remaining_measured(&request, &plan));
        sum_s += plan.predicted.makespan_s;
        plan_release(&plan);
    }
    return sum_s;
}

/* Tables 6-12 and 6-13, whose costs nobody knows: the counts of the levels, one master at first and
 * more from level to level, and less time than with one. */
static void the_sources_setting(void **state)
{
    (void)state;
    const struct level_sample levels[] = {
        {36, 1, 36}, {1296, 1, 36}, {46656, 1, 362401.0 / 46656}, {362401, 1, 0}};
    struct search search;
    struct level_masters simulated;
    search_make(&search, SOURCE, 63, 36, levels, 4);
    simulate(&search, &simulated);
    const int64_t tasks[] = {36, 1296, 46656, 362401};
    for (size_t k = 0; k < COUNT_OF(tasks); k++)
        assert_int_equal(simulated.rows[k].tasks, tasks[k]);
    assert_int_equal(simulated.rows[0].masters, 1);
    for (size_t k = 1; k < COUNT_OF(tasks); k++)
        assert_true(simulated.rows[k].masters + simulated.rows[k].alone >
                    simulated.rows[k - 1].masters + simulated.rows[k - 1].alone);
    const double one_s = one_master_s(&search, &simulated);
    if (!(simulated.makespan_s < one_s))
        fail_msg("%.6f s by many masters, %.6f s by one", simulated.makespan_s, one_s);
    search_release(&search);
}

/* Table 6-13 prints 1, 2, 6 and 54 masters with 2, 3, 9 and 15 to 18 workers each: the masters of a
 * level are the workers of the one before, where nobody lacks any. With costs of levels by which
 * masters want as many, these come out. */
static void masters_multiply_as_published(void **state)
{
    static const int64_t masters[] = {1, 2, 6, 54}, workers[] = {2, 3, 9, 16};
    (void)state;
    const struct level_sample levels[] = {
        {36, 1.5, 36}, {1296, 2.5, 36}, {46656, 8.5, 362401.0 / 46656}, {362401, 15.5, 0}};
    struct search search;
    struct level_masters simulated;
    search_make(&search, ALIKE, 2000, 36, levels, 4);
    simulate(&search, &simulated);
    for (size_t k = 0; k < COUNT_OF(masters); k++) {
        if (simulated.rows[k].masters != masters[k] || simulated.rows[k].most != workers[k])
            fail_msg("level %zu: %d masters, %d workers", k + 2, (int)simulated.rows[k].masters,
                     (int)simulated.rows[k].most);
        assert_int_equal(simulated.rows[k].alone, 0);
    }
    search_release(&search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_is_free),
        cmocka_unit_test(free_workers_are_shared_evenly),
        cmocka_unit_test(fractions_add_up),
        cmocka_unit_test(the_sources_setting),
        cmocka_unit_test(masters_multiply_as_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
