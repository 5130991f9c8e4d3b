/* Masters side by side: what they take, who works for whom, and that files and simulations say the
 * same of them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/model/plan_cursor.h"
#include "planner/model/plan_join.h"
#include "planner/model/setting_part.h"
#include "planner/replan/stars_decided.h"
#include "planner/schedulers/bounds/bound_unequal.h"
#include "planner/schedulers/search/schedule.h"
#include "planner/simulate/simulate.h"
#include "planner/simulate/stars.h"
#include "planner/studies/masters.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

/* de la Torre's setting of Table 6-7 and of the text behind it: motifs, one sequence a level. */
static const char thesis_text[] =
    "{ \"schema\": \"scow-profile-1\", \"kernel\": \"motif\", \"settings\": [ { \"windows\": [\n"
    "    { \"tasks\": [1, 100000000], \"envelope\": {\"latency_s\": 0, \"s_per_task\": 0},\n"
    "      \"send\": {\"latency_s\": 0, \"s_per_task\": 0}, \"workers\": [ { \"count\": %d,\n"
    "          \"link\": {\"latency_s\": 4.5e-5, \"s_per_task\": 7.8e-7},\n"
    "          \"receive\": {\"latency_s\": 0, \"s_per_task\": 0},\n"
    "          \"compute\": {\"latency_s\": 4.4e-5, \"s_per_task\": 1.18049e-5} } ] } ] } ] }";

static struct profile profile_read(const char *text)
{
    struct failure failure = FAILURE_INIT;
    struct profile profile;
    if (!profile_parse(&profile, text, strlen(text), "p.json", &failure))
        fail_msg("%s", failure.text);
    return profile;
}

static struct profile thesis_profile(int ranks)
{
    char text[1024];
    snprintf(text, sizeof text, thesis_text, ranks - 1);
    return profile_read(text);
}

static struct plan plan_made(const struct planning *planning, int64_t masters)
{
    struct failure failure = FAILURE_INIT;
    struct plan plan = {.kernel = NULL};
    if (!masters_make(planning, masters, &plan, &failure))
        fail_msg("%" PRId64 " masters: %s", masters, failure.text);
    return plan;
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
        struct plan plan = plan_made(&planning, rows[k].masters);
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
        int ranks, masters;
    } rows[] = {{64, 4}, {32, 2}, {16, 1}, {161, 11}};
    (void)state;
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        struct profile profile = thesis_profile(rows[k].ranks);
        const struct planning planning = {.profile = &profile,
                                          .setting = &profile.settings[0],
                                          .scheduler = "scow-mp",
                                          .tasks = 34012224};
        struct plan plan = plan_made(&planning, MASTERS_AUTO);
        assert_int_equal(plan_masters(&plan), rows[k].masters);
        for (int64_t masters = 1; masters <= 2 * rows[k].masters; masters++) {
            struct plan other = plan_made(&planning, masters);
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

static void assert_ranks(const struct plan *plan, int64_t workers, uint64_t seed)
{
    bool *seen = calloc((size_t)workers + 1, sizeof *seen);
    double first = 0;
    assert_non_null(seen);
    for (size_t k = 0; k < plan->star_count; k++) {
        const struct plan *star = &plan->stars[k];
        if (star->first != first || !(star->tasks >= 1) || star->master > workers)
            fail_msg("seed %" PRIu64 ": star %zu", seed, k);
        first += star->tasks;
        assert_false(seen[star->master]);
        seen[star->master] = true;
        for (int64_t slot = 0; slot < star->worker_count; slot++) {
            assert_in_range(star->workers[slot], 0, workers - 1);
            assert_false(seen[star->workers[slot] + 1]);
            seen[star->workers[slot] + 1] = true;
        }
    }
    assert_true(first == plan->tasks);
    free(seen);
}

/* The file says all; the simulation is the prediction, to the last bit; and nobody gets several
 * masters by accident. */
static void assert_file(const struct plan *plan, const struct platform *platform)
{
    struct failure failure = FAILURE_INIT, none = FAILURE_INIT;
    struct plan again, copy, single = {.tasks = 77};
    struct simulation simulation;
    char *text = plan_print(plan);
    assert_non_null(text);
    if (!plan_parse_any(&again, text, strlen(text), "plan.json", &failure))
        fail_msg("%s", failure.text);
    assert_true(plan_equal(plan, &again));
    assert_true(simulate_plan(platform, &again, NULL, &simulation, &failure));
    assert_true(simulation.makespan_s == plan->predicted.makespan_s);
    assert_int_equal(simulation.workers_used, plan_workers_used(plan));
    assert_int_equal(simulation.packages, plan_packages(plan));
    assert_true(plan_copy(&copy, &again));
    assert_true(plan_equal(&copy, plan));
    copy.stars[1].rounds[0].loads[0]++;
    assert_false(plan_equal(&copy, plan));
    assert_false(plan_parse(&single, text, strlen(text), "plan.json", &none));
    assert_int_equal(none.code, FAILURE_MISMATCH);
    assert_true(single.tasks == 77);
    free(text);
    plan_release(&copy);
    plan_release(&again);
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

/* As one master's plan, every worker has the packages that it had, in their order. */
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

/* The first ranks compute four times as fast as the others. */
static const char mixed_text[] =
    "{ \"schema\": \"scow-profile-1\", \"kernel\": \"sleep\", \"settings\": [ { \"windows\": [\n"
    "    { \"tasks\": [1, 100000], \"envelope\": {\"latency_s\": 0, \"s_per_task\": 0},\n"
    "      \"send\": {\"latency_s\": 0.001, \"s_per_task\": 0.001}, \"workers\": [\n"
    "        { \"count\": 13, \"receive\": {\"latency_s\": 0, \"s_per_task\": 0},\n"
    "          \"compute\": {\"latency_s\": 0.001, \"s_per_task\": 0.005} },\n"
    "        { \"count\": 26, \"receive\": {\"latency_s\": 0, \"s_per_task\": 0},\n"
    "          \"compute\": {\"latency_s\": 0.001, \"s_per_task\": 0.02} } ] } ] } ] }";

static void assert_together(const struct plan *plan, double within)
{
    double least_s = HUGE_VAL, most_s = 0;
    for (size_t k = 0; k < plan->star_count; k++) {
        least_s = fmin(least_s, plan->stars[k].predicted.makespan_s);
        most_s = fmax(most_s, plan->stars[k].predicted.makespan_s);
    }
    if (most_s > (1 + within) * least_s)
        fail_msg("stars end from %.4f s to %.4f s", least_s, most_s);
    assert_true(plan->predicted.makespan_s == most_s);
}

/* Parts go by what the stars do: of the one whose workers are fast, its master is the limit. */
static void unequal_stars_end_together(void **state)
{
    struct profile profile = profile_read(mixed_text);
    const struct planning planning = {.profile = &profile,
                                      .setting = &profile.settings[0],
                                      .scheduler = "scow-mp",
                                      .tasks = 50000};
    struct plan plan = plan_made(&planning, 3);
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
    struct plan plan = plan_made(&planning, 4);
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

/* Of one star, and of its packages assigned to two halves, everything that is summed over workers
 * is the same. */
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

/* What a master does is traced under its rank. */
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
    struct plan plan = plan_made(&planning, 3);
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

/* ---- weights -------------------------------------------------------------------------------- */

static const char digest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/* Of computing, and of what is sent, over two orders of magnitude. */
static struct task_weights *dice_weights(struct dice *dice, int64_t tasks)
{
    double *items = calloc((size_t)tasks, sizeof *items);
    for (int64_t k = 0; k < tasks; k++)
        items[k] = dice_scale(dice, 0.1, 10);
    struct task_weights *weights = weights_new("w", digest, items, tasks);
    for (int64_t k = 0; k < tasks; k++)
        items[k] = dice_scale(dice, 0.1, 10);
    if (dice_whole(dice, 0, 1) == 1)
        weights->bytes = weights_new("b", digest, items, tasks);
    free(items);
    return weights;
}

static struct planning weighed_planning(struct profile *profile, const struct task_weights *weights)
{
    profile_weigh(profile, weights);
    return (struct planning){.profile = profile,
                             .setting = &profile->settings[0],
                             .scheduler = "scow-mp",
                             .effort_s = 0.2,
                             .tasks = (double)weights->work.tasks};
}

static void assert_rounds_equal(const struct plan *a, const struct plan *b)
{
    assert_true(a->tasks == b->tasks && a->first == b->first);
    assert_int_equal(a->worker_count, b->worker_count);
    assert_int_equal(a->round_count, b->round_count);
    assert_memory_equal(a->workers, b->workers, (size_t)a->worker_count * sizeof *a->workers);
    for (size_t r = 0; r < a->round_count; r++) {
        assert_int_equal(a->rounds[r].repeat, b->rounds[r].repeat);
        assert_memory_equal(a->rounds[r].loads, b->rounds[r].loads,
                            (size_t)a->worker_count * sizeof *a->rounds[r].loads);
    }
}

static void equal_weights_change_nothing(void **state)
{
    enum { TASKS = 50000 };
    struct profile profile = profile_read(mixed_text);
    double *items = calloc(TASKS, sizeof *items);
    (void)state;
    for (int k = 0; k < TASKS; k++)
        items[k] = 7;
    struct task_weights *weights = weights_new("w", digest, items, TASKS);
    struct planning planning = weighed_planning(&profile, weights);
    planning.effort_s = 0;
    struct plan weighed = plan_made(&planning, 3);
    profile_weigh(&profile, NULL);
    struct plan plain = plan_made(&planning, 3);
    for (size_t k = 0; k < plain.star_count; k++)
        assert_rounds_equal(&plain.stars[k], &weighed.stars[k]);
    assert_true(fabs(weighed.predicted.makespan_s / plain.predicted.makespan_s - 1) < 1e-9);
    assert_non_null(weighed.weights);
    assert_null(plain.weights);
    plan_release(&plain);
    plan_release(&weighed);
    weights_free(weights);
    profile_release(&profile);
    free(items);
}

/* Its core tasks as a job of one master, with its workers, take what was predicted for it; and no
 * less than the bound for them. */
static void assert_star_alone(const struct planning *planning, const struct plan *plan, size_t k,
                              uint64_t seed)
{
    const struct plan *star = &plan->stars[k];
    const int64_t workers = profile_workers(&planning->setting->windows[0]);
    struct failure failure = FAILURE_INIT;
    struct setting_part part;
    struct plan alone = *star;
    struct simulation simulation;
    struct planning own = *planning;
    struct platform platform;
    double bound_s = 0;
    alone.first = 0;
    alone.master = 0;
    alone.workers = calloc((size_t)star->worker_count, sizeof *alone.workers);
    for (int64_t slot = 0; slot < star->worker_count; slot++)
        alone.workers[slot] = star->workers[slot] - star->master;
    assert_true(setting_part_star(&part, planning->setting, star->master,
                                  plan_workers_behind(plan, star->master, workers + 1), star));
    own.setting = &part.setting;
    own.tasks = star->tasks;
    assert_true(planning_simulate(&own, &alone, NULL, &simulation, &failure));
    if (!(fabs(simulation.makespan_s / star->predicted.makespan_s - 1) < 1e-9))
        fail_msg("seed %" PRIu64 ", star %zu: %.17g s, alone %.17g s", seed, k,
                 star->predicted.makespan_s, simulation.makespan_s);
    assert_true(planning_platform(&own, &platform, &failure) &&
                platform_map(&platform, own.setting, own.tasks, &failure) &&
                bound_unequal(&platform, own.tasks, false, &bound_s, &failure));
    if (!(star->predicted.makespan_s >= (1 - 1e-9) * bound_s))
        fail_msg("seed %" PRIu64 ", star %zu: %.17g s, below %.17g s", seed, k,
                 star->predicted.makespan_s, bound_s);
    platform_release(&platform);
    setting_part_release(&part);
    free(alone.workers);
}

static void assert_weights_kept(const struct plan *plan, const struct task_weights *weights,
                                uint64_t seed)
{
    double sum = 0;
    for (size_t k = 0; k < plan->star_count; k++)
        sum += plan->stars[k].tasks * work_mean_cost(&plan->weights->work, plan->tasks,
                                                     plan->stars[k].first, plan->stars[k].tasks);
    if (!(fabs(sum / plan->tasks - 1) < 1e-9))
        fail_msg("seed %" PRIu64 ": stars have %.17g of the work", seed, sum / plan->tasks);
    assert_string_equal(plan->weights->sha256, weights->sha256);
    assert_true((plan->weights->bytes != NULL) == (weights->bytes != NULL));
}

static void latency_raise(struct measured_cost *cost)
{
    cost->cost.latency_s = fmax(0, cost->cost.latency_s);
}

/* Of a cost whose latency is below 0, no part of what a package takes goes by weight alone. */
static void latencies_raise(struct profile *profile)
{
    for (size_t w = 0; w < profile->settings[0].window_count; w++) {
        struct profile_window *window = &profile->settings[0].windows[w];
        latency_raise(&window->envelope);
        latency_raise(&window->send);
        for (size_t k = 0; k < window->worker_count; k++) {
            latency_raise(&window->workers[k].link);
            latency_raise(&window->workers[k].receive);
            latency_raise(&window->workers[k].compute);
        }
    }
}

static void weighed_jobs_can_have_several(void **state)
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
        latencies_raise(&profile);
        struct task_weights *weights = dice_weights(&dice, dice_whole(&dice, 100, 3000));
        const struct planning planning = weighed_planning(&profile, weights);
        const int64_t masters = dice_whole(&dice, 2, 5);
        if (masters_make(&planning, masters, &plan, &failure)) {
            made++;
            assert_true(planning_platform(&planning, &platform, &failure) &&
                        platform_map(&platform, planning.setting, planning.tasks, &failure));
            assert_ranks(&plan, platform.worker_count, seed);
            assert_file(&plan, &platform);
            assert_weights_kept(&plan, weights, seed);
            for (size_t k = 0; k < plan.star_count; k++)
                assert_star_alone(&planning, &plan, k, seed);
            platform_release(&platform);
            plan_release(&plan);
        }
        weights_free(weights);
        profile_release(&profile);
    }
    assert_true(made > (int64_t)cases_of(60) / 3);
}

/* A light beginning and a heavy end, of single core tasks that differ besides: stars end together,
 * and packages by weight take less than those by number. A part that is worth nothing is planned,
 * too. */
static void packages_go_by_weight(void **state)
{
    enum { TASKS = 3000 };
    struct profile profile = profile_read(mixed_text);
    struct dice dice = {11};
    double items[TASKS];
    (void)state;
    for (int k = 0; k < TASKS; k++)
        items[k] = dice_scale(&dice, 0.3, 3) * (k < TASKS / 2 ? 0.2 : 2);
    struct task_weights *weights = weights_new("w", digest, items, TASKS);
    struct planning planning = weighed_planning(&profile, weights);
    struct plan plan = plan_made(&planning, 3), unaware;
    assert_together(&plan, 0.03);
    profile_weigh(&profile, NULL);
    unaware = plan_made(&planning, 3);
    profile_weigh(&profile, weights);
    struct failure failure = FAILURE_INIT;
    struct simulation simulation;
    assert_true(planning_simulate(&planning, &unaware, NULL, &simulation, &failure));
    if (!(plan.predicted.makespan_s < 0.8 * simulation.makespan_s))
        fail_msg("%.4f s by weight, %.4f s by number", plan.predicted.makespan_s,
                 simulation.makespan_s);
    plan_release(&plan);
    plan_release(&unaware);
    weights_free(weights);
    for (int k = 0; k < TASKS; k++)
        items[k] = k < TASKS / 8;
    weights = weights_new("w", digest, items, TASKS);
    planning = weighed_planning(&profile, weights);
    plan = plan_made(&planning, 3);
    assert_int_equal(plan.star_count, 3);
    plan_release(&plan);
    weights_free(weights);
    profile_release(&profile);
}

/* What decides for the last core tasks of a job decides as for a job that is these alone. */
static double last_take(const struct planning *planning, const char *rule, const char *tail,
                        const char *replan, double first)
{
    struct failure failure = FAILURE_INIT;
    struct simulation simulation = {.makespan_s = 0};
    struct plan star, whole = {.tasks = planning->tasks};
    struct planning own = *planning;
    struct setting_part part;
    const struct plan range = {.first = first, .tasks = planning->tasks - first};
    const int64_t workers = profile_workers(&planning->setting->windows[0]);
    assert_true(setting_part_star(&part, planning->setting, 0, workers, &range));
    own.setting = &part.setting;
    own.tasks = range.tasks;
    assert_true(planning_make(&own, &star, &failure));
    struct stars_request request = {.watching = {.plan = &whole,
                                                 .setting = planning->setting,
                                                 .tolerance = replan,
                                                 .tail = tail,
                                                 .ahead = WATCHING_AHEAD},
                                    .rule = rule};
    whole.stars = &star;
    whole.star_count = 1;
    star.first = first;
    if (!stars_expect(&request, NULL, &simulation, &failure))
        fail_msg("%s", failure.text);
    const double job_s = simulation.makespan_s;
    whole.tasks = range.tasks;
    star.first = 0;
    request.watching.setting = &part.setting;
    assert_true(stars_expect(&request, NULL, &simulation, &failure));
    if (!(fabs(job_s / simulation.makespan_s - 1) < 1e-9))
        fail_msg("%s%s%s: %.17g s at the end of a job, %.17g s alone", rule ? rule : "",
                 tail ? tail : "", replan ? replan : "", job_s, simulation.makespan_s);
    plan_release(&star);
    setting_part_release(&part);
    return job_s;
}

static void stars_decide_by_weight(void **state)
{
    enum { TASKS = 4000 };
    struct profile profile = profile_read(mixed_text);
    struct dice dice = {5};
    double items[TASKS];
    (void)state;
    /* Light core tasks are not to wait for the master. */
    profile.settings[0].windows[0].send.cost.s_per_task = 1e-5;
    for (int k = 0; k < TASKS; k++)
        items[k] = dice_scale(&dice, 0.3, 3) * (k % 1000 < 700 ? 0.2 : 3);
    struct task_weights *weights = weights_new("w", digest, items, TASKS);
    const struct planning planning = weighed_planning(&profile, weights);
    const double plain_s = last_take(&planning, NULL, NULL, "10%", 1700);
    const double tailed_s = last_take(&planning, NULL, "fac:40%", NULL, 1700);
    assert_true(last_take(&planning, NULL, "awf-c:30%", "20%", 1700) < 1.1 * plain_s);
    last_take(&planning, "fac", NULL, NULL, 1700);
    last_take(&planning, "awf-c", NULL, NULL, 1700);
    assert_true(tailed_s < 1.5 * plain_s);
    weights_free(weights);
    profile_release(&profile);
}

/* ---- with disturbances ---------------------------------------------------------------------- */

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
    plan->weights = weights_new("w", digest, items, 120);
    assert_non_null(plan->weights);
}

/* What they take, and how many core tasks move; by weight where it is known. */
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

/* Where stars are as in a_slow_star_gives_work_away, but what the slow one has left last is worth
 * most: fewer core tasks are half of it. */
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

/* At two core tasks a second and half a one, 120 take 48 s; what slow workers have by then, three
 * packages each, is not taken from them. Without moves 60 would take 120 s. */
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
        cmocka_unit_test(the_thesis_has_its_times),
        cmocka_unit_test(the_best_number_is_found),
        cmocka_unit_test(quick_plans_say_how_many),
        cmocka_unit_test(any_profile_can_have_several),
        cmocka_unit_test(unequal_stars_end_together),
        cmocka_unit_test(parts_go_by_work),
        cmocka_unit_test(simulations_are_joined),
        cmocka_unit_test(traces_name_their_masters),
        cmocka_unit_test(impossible_numbers_are_refused),
        cmocka_unit_test(equal_weights_change_nothing),
        cmocka_unit_test(weighed_jobs_can_have_several),
        cmocka_unit_test(packages_go_by_weight),
        cmocka_unit_test(stars_decide_by_weight),
        cmocka_unit_test(stars_that_end_together_move_nothing),
        cmocka_unit_test(a_slow_star_gives_work_away),
        cmocka_unit_test(what_moves_goes_by_weight),
        cmocka_unit_test(a_star_that_loses_a_worker_gives_work_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
