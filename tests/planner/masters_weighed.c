/* Masters side by side whose core tasks differ by known weights. */
#include "planner/model/setting_part.h"
#include "planner/replan/stars_decided.h"
#include "planner/schedulers/bounds/bound_unequal.h"
#include "planner/schedulers/search/schedule.h"
#include "tests/cases.h"
#include "tests/planner/samples.h"
#include "tests/planner/several_masters.h"

static const char digest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/* Weights of computing, and of what is sent, over two orders of magnitude. */
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
    struct profile profile = profile_mixed();
    double *items = calloc(TASKS, sizeof *items);
    (void)state;
    for (int k = 0; k < TASKS; k++)
        items[k] = 7;
    struct task_weights *weights = weights_new("w", digest, items, TASKS);
    struct planning planning = weighed_planning(&profile, weights);
    planning.effort_s = 0;
    struct plan weighed = masters_made(&planning, 3);
    profile_weigh(&profile, NULL);
    struct plan plain = masters_made(&planning, 3);
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

/* Where a latency is below 0, no part of a package's time goes by weight alone. */
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
    struct profile profile = profile_mixed();
    struct dice dice = {11};
    double items[TASKS];
    (void)state;
    for (int k = 0; k < TASKS; k++)
        items[k] = dice_scale(&dice, 0.3, 3) * (k < TASKS / 2 ? 0.2 : 2);
    struct task_weights *weights = weights_new("w", digest, items, TASKS);
    struct planning planning = weighed_planning(&profile, weights);
    struct plan plan = masters_made(&planning, 3), unaware;
    assert_together(&plan, 0.03);
    profile_weigh(&profile, NULL);
    unaware = masters_made(&planning, 3);
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
    plan = masters_made(&planning, 3);
    assert_int_equal(plan.star_count, 3);
    plan_release(&plan);
    weights_free(weights);
    profile_release(&profile);
}

/* Deciding for the last core tasks of a job equals deciding for a job of these alone. */
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
    struct profile profile = profile_mixed();
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_weights_change_nothing),
        cmocka_unit_test(weighed_jobs_can_have_several),
        cmocka_unit_test(packages_go_by_weight),
        cmocka_unit_test(stars_decide_by_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
