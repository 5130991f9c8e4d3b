/* Masters side by side: what they take, which workers belong to which, and that files and
 * simulations agree. */
#include "planner/model/plan_cursor.h"
#include "planner/model/plan_join.h"
#include "tests/cases.h"
#include "tests/planner/samples.h"
#include "tests/planner/several_masters.h"

/* de la Torre's setting of Table 6-7 and of the text behind it: motifs, one sequence a level. */
static const char thesis_text[] =
    "{ \"schema\": \"scow-profile-1\", \"kernel\": \"motif\", \"settings\": [ { \"windows\": [\n"
    "    { \"tasks\": [1, 100000000], \"envelope\": {\"latency_s\": 0, \"s_per_task\": 0},\n"
    "      \"send\": {\"latency_s\": 0, \"s_per_task\": 0}, \"workers\": [ { \"count\": %d,\n"
    "          \"link\": {\"latency_s\": 4.5e-5, \"s_per_task\": 7.8e-7},\n"
    "          \"receive\": {\"latency_s\": 0, \"s_per_task\": 0},\n"
    "          \"compute\": {\"latency_s\": 4.4e-5, \"s_per_task\": 1.18049e-5} } ] } ] } ] }";

static struct profile thesis_profile(int ranks)
{
    return profile_read(thesis_text, ranks - 1);
}

/* 18^6 core tasks. The continuous forms of maximal production and perfect utilization, which have
 * equal stars: for 3 and 5 masters there are as many ranks as make them equal. */
static void the_thesis_has_its_times(void **state)
{
    static const struct {
        int ranks, masters;
        double makespan_s;
    } rows[] = {{64, 1, 26.738}, {64, 2, 13.412}, {63, 3, 8.964},  {64, 4, 6.736},
                {60, 5, 7.327},  {64, 8, 7.197},  {32, 2, 13.432}, {32, 4, 14.378}};
    static const double NEAR = 0.004;
    (void)state;
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        struct profile profile = thesis_profile(rows[k].ranks);
        const struct planning planning = {.profile = &profile,
                                          .setting = &profile.settings[0],
                                          .scheduler = "scow-mp",
                                          .tasks = 34012224};
        struct plan plan = masters_made(&planning, rows[k].masters);
        const double takes_s = plan.predicted.makespan_s;
        if (!(fabs(takes_s / rows[k].makespan_s - 1) <= NEAR))
            fail_msg("%d ranks, %d masters: %.4f s", rows[k].ranks, rows[k].masters, takes_s);
        assert_int_equal(plan_masters(&plan), rows[k].masters);
        plan_release(&plan);
        profile_release(&profile);
    }
}

/* Every number of masters is planned for: none is better than the one that is chosen. */
static void the_best_number_is_found(void **state)
{
    static const struct {
        int ranks;
        int64_t masters;
    } rows[] = {{64, 4}, {32, 2}, {16, 1}, {161, 11}};
    (void)state;
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        struct profile profile = thesis_profile(rows[k].ranks);
        const struct planning planning = {.profile = &profile,
                                          .setting = &profile.settings[0],
                                          .scheduler = "scow-mp",
                                          .tasks = 34012224};
        struct plan plan = masters_made(&planning, MASTERS_AUTO);
        assert_int_equal(plan_masters(&plan), rows[k].masters);
        for (int64_t masters = 1; masters <= 2 * rows[k].masters; masters++) {
            struct plan other = masters_made(&planning, masters);
            if (other.predicted.makespan_s < (1 - MASTERS_GAIN) * plan.predicted.makespan_s)
                fail_msg("%" PRId64 " masters are better than %zu", masters, plan_masters(&plan));
            plan_release(&other);
        }
        plan_release(&plan);
        profile_release(&profile);
    }
}

/* The thesis's setting again: as many as are asked for, if there are ranks, or as are best. */
static void quick_plans_say_how_many(void **state)
{
    static const struct {
        int ranks;
        int64_t wanted, masters;
        double least_s, most_s;
    } rows[] = {{64, MASTERS_AUTO, 4, 6.70, 6.80},
                {64, 8, 8, 7.15, 7.25},
                {64, 100, 32, 12.5, 12.7},
                {16, MASTERS_AUTO, 1, 26.738, 26.738},
                {2, 2, 1, 26.738, 26.738}};
    (void)state;
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        struct failure failure = FAILURE_INIT;
        struct profile profile = thesis_profile(rows[k].ranks);
        const struct planning planning = {.profile = &profile,
                                          .setting = &profile.settings[0],
                                          .scheduler = "scow-mp",
                                          .tasks = 34012224};
        int64_t masters = 0;
        double takes_s = 0;
        assert_true(masters_quick(&planning, rows[k].wanted, 26.738, &masters, &takes_s, &failure));
        if (masters != rows[k].masters || takes_s < rows[k].least_s || takes_s > rows[k].most_s)
            fail_msg("%d ranks: %" PRId64 " masters, %.4f s", rows[k].ranks, masters, takes_s);
        profile_release(&profile);
    }
}

/* A number for what each worker gets, and in which order. */
static void loads_sum(const struct plan *plan, uint64_t *sums)
{
    struct plan_cursor cursor = PLAN_CURSOR(plan);
    while (plan_cursor_next(&cursor))
        sums[plan->workers[cursor.slot]] =
            31 * sums[plan->workers[cursor.slot]] + (uint64_t)cursor.load;
    for (size_t k = 0; k < plan->star_count; k++)
        loads_sum(&plan->stars[k], sums);
}

/* In one master's plan, every worker has the same packages in the same order. */
static void assert_joined(const struct plan *plan, int64_t workers, uint64_t seed)
{
    uint64_t had[64] = {0}, has[64] = {0};
    struct plan joined;
    assert_true(workers <= (int64_t)COUNT_OF(had));
    assert_true(plan_copy(&joined, plan) && plan_join(&joined));
    assert_int_equal(joined.star_count, 0);
    assert_int_equal(plan_packages(&joined), plan_packages(plan));
    assert_false(joined.predicted.known);
    loads_sum(plan, had);
    loads_sum(&joined, has);
    if (memcmp(had, has, sizeof had) != 0)
        fail_msg("seed %" PRIu64 ": workers have other packages than before", seed);
    plan_release(&joined);
}

static void any_profile_can_have_several(void **state)
{
    int64_t made = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(60); seed++) {
        struct dice dice = {seed};
        struct failure failure = FAILURE_INIT;
        struct profile profile;
        struct plan plan = {.kernel = NULL};
        struct platform platform;
        sample_profile(&dice, 30, 1, &profile);
        const int64_t workers = profile_workers(&profile.settings[0].windows[0]);
        const int64_t masters = dice_whole(&dice, 2, 5);
        const struct planning planning = {.profile = &profile,
                                          .setting = &profile.settings[0],
                                          .scheduler = "scow-mp",
                                          .effort_s = 0.2,
                                          .tasks = (double)dice_whole(&dice, 1000, 999999)};
        assert_true(planning_platform(&planning, &platform, &failure));
        if (masters_make(&planning, masters, &plan, &failure)) {
            made++;
            assert_int_equal(plan_masters(&plan), masters);
            assert_ranks(&plan, workers, seed);
            assert_file(&plan, &platform);
            assert_joined(&plan, workers, seed);
            plan_release(&plan);
        } else {
            assert_int_equal(failure.code,
                             2 * masters > workers + 1 ? FAILURE_USAGE : FAILURE_INFEASIBLE);
        }
        platform_release(&platform);
        profile_release(&profile);
    }
    assert_true(made > (int64_t)cases_of(60) / 3);
}

/* Parts go by what the stars do: of the one whose workers are fast, its master is the limit. */
static void unequal_stars_end_together(void **state)
{
    struct profile profile = profile_mixed();
    const struct planning planning = {.profile = &profile,
                                      .setting = &profile.settings[0],
                                      .scheduler = "scow-mp",
                                      .tasks = 50000};
    struct plan plan = masters_made(&planning, 3);
    (void)state;
    assert_together(&plan, 0.02);
    assert_true(plan.stars[0].tasks > 1.2 * plan.stars[1].tasks);
    plan_release(&plan);
    profile_release(&profile);
}

/* The first half of the job is three times as much work as the second. */
static void parts_go_by_work(void **state)
{
    struct profile profile = thesis_profile(16);
    struct work *work = &profile.settings[0].map.work;
    struct failure failure = FAILURE_INIT;
    struct platform platform;
    struct simulation simulation;
    work->tasks = 1000000;
    work->regions = calloc(2, sizeof *work->regions);
    work->region_count = 2;
    assert_non_null(work->regions);
    work->regions[0] = (struct work_region){.tasks = 500000, .cost = 3};
    work->regions[1] = (struct work_region){.tasks = 500000, .cost = 1};
    assert_true(work_settle(work));
    const struct planning planning = {.profile = &profile,
                                      .setting = &profile.settings[0],
                                      .scheduler = "scow-mp",
                                      .tasks = 1000000};
    struct plan plan = masters_made(&planning, 4);
    (void)state;
    assert_together(&plan, 0.03);
    assert_true(plan.stars[3].tasks > 2 * plan.stars[0].tasks);
    assert_true(planning_platform(&planning, &platform, &failure));
    assert_true(platform_map(&platform, planning.setting, planning.tasks, &failure));
    assert_true(simulate_plan(&platform, &plan, NULL, &simulation, &failure));
    assert_true(simulation.makespan_s == plan.predicted.makespan_s);
    platform_release(&platform);
    plan_release(&plan);
    profile_release(&profile);
}

/* Sums over workers are the same for one star, and for its packages divided into two halves. */
static void simulations_are_joined(void **state)
{
    struct simulation a = {.makespan_s = 3, .latest_end_s = 3, .workers_used = 2, .packages = 5};
    struct simulation b = {.makespan_s = 8, .latest_end_s = 7, .workers_used = 1, .packages = 2};
    struct simulation joined = {.packages = 0};
    (void)state;
    a.earliest_end_s = 1; /* ends at 1 and 3 */
    a.idle_last_s = 2;
    a.end_variation = 0.5;
    b.earliest_end_s = 7;
    a.worker_busy_s = 2.5;
    b.worker_busy_s = 4;
    a.master_busy_s = 2;
    b.master_busy_s = 1;
    simulation_join(&joined, &a);
    assert_true(joined.idle_last_s == 2 && joined.end_variation == 0.5);
    assert_true(joined.earliest_end_s == 1 && joined.makespan_s == 3);
    simulation_join(&joined, &b);
    assert_true(joined.makespan_s == 8 && joined.latest_end_s == 7 && joined.earliest_end_s == 1);
    assert_true(joined.idle_last_s == 6 + 4);
    const double mean_s = (1 + 3 + 7) / 3.0;
    const double squares_s2 = pow(1 - mean_s, 2) + pow(3 - mean_s, 2) + pow(7 - mean_s, 2);
    assert_true(fabs(joined.end_variation - sqrt(squares_s2 / 3) / mean_s) < 1e-12);
    assert_true(joined.worker_busy_s == 6.5 && joined.master_busy_s == 2);
    assert_int_equal(joined.packages, 7);
    assert_int_equal(joined.workers_used, 3);
}

/* What a master does has its rank in the trace. */
static void traces_name_their_masters(void **state)
{
    struct profile profile = thesis_profile(9);
    struct failure failure = FAILURE_INIT;
    struct platform platform;
    struct simulation simulation;
    struct trace trace = {.count = 0};
    const struct planning planning = {.profile = &profile,
                                      .setting = &profile.settings[0],
                                      .scheduler = "scow-mp",
                                      .tasks = 1000};
    bool seen[9] = {false};
    (void)state;
    profile.settings[0].windows[0].send.cost.latency_s = 1e-5;
    struct plan plan = masters_made(&planning, 3);
    assert_true(planning_platform(&planning, &platform, &failure));
    assert_true(simulate_plan(&platform, &plan, &trace, &simulation, &failure));
    for (size_t k = 0; k < trace.count; k++) {
        const struct trace_event *event = &trace.events[k];
        const bool master = event->rank % 3 == 0;
        assert_true((event->operation == OPERATION_SEND) == master);
        seen[event->rank] = true;
    }
    assert_true(seen[0] && seen[3] && seen[6] && seen[1] && seen[8]);
    trace_release(&trace);
    platform_release(&platform);
    plan_release(&plan);
    profile_release(&profile);
}

static void impossible_numbers_are_refused(void **state)
{
    static const struct {
        int64_t masters, tasks;
        const char *sentence;
    } rows[] = {
        {5, 1000,
         "5 masters with a worker each need 10 ranks, and there are 9: give at most --masters 4"},
        {1025, 1000, "--masters is at most 1024, or auto: give fewer"},
        {4, 3, "4 masters for 3 core tasks: give at most --masters 3"},
    };
    struct profile profile = thesis_profile(9);
    (void)state;
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        struct failure failure = FAILURE_INIT;
        struct plan plan = {.tasks = 77};
        const struct planning planning = {.profile = &profile,
                                          .setting = &profile.settings[0],
                                          .scheduler = "scow-mp",
                                          .tasks = (double)rows[k].tasks};
        assert_false(masters_make(&planning, rows[k].masters, &plan, &failure));
        assert_failure(failure, FAILURE_USAGE, rows[k].sentence);
        assert_true(plan.tasks == 77);
    }
    profile_release(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_thesis_has_its_times),
        cmocka_unit_test(the_best_number_is_found),
        cmocka_unit_test(quick_plans_say_how_many),
        cmocka_unit_test(any_profile_can_have_several),
        cmocka_unit_test(unequal_stars_end_together),
        cmocka_unit_test(parts_go_by_work),
        cmocka_unit_test(simulations_are_joined),
        cmocka_unit_test(traces_name_their_masters),
        cmocka_unit_test(impossible_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
