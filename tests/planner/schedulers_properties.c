/* What must hold of every scheduler on every platform: thousands of random ones, by seed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "planner/schedulers/scheduler.h"
#include "planner/simulate/evaluate.h"
#include "planner/simulate/simulate.h"
#include "tests/cases.h"
#include "tests/planner/bounds.h"
#include "tests/planner/platforms.h"

static double tasks_random(struct dice *dice)
{
    return floor(dice_scale(dice, 1, 1e5));
}

static void loads_are_valid(const struct platform *platform, const struct plan *plan, double tasks,
                            bool real_valued)
{
    double sum = 0;
    for (size_t r = 0; r < plan->round_count; r++) {
        assert_true(plan->rounds[r].repeat >= 1);
        for (int64_t k = 0; k < plan->worker_count; k++) {
            const double load = plan->rounds[r].loads[k];
            assert_true(load >= 0);
            assert_true(real_valued || load == floor(load));
            assert_true(load == 0 || platform_find(platform, load) != NULL);
            sum += (double)plan->rounds[r].repeat * load;
        }
    }
    assert_true(real_valued ? fabs(sum - tasks) <= 1e-6 * tasks : sum == tasks);
}

static void workers_are_different(const struct platform *platform, const struct plan *plan)
{
    char seen[256] = {0};
    assert_true(platform->worker_count <= (int64_t)sizeof seen);
    for (int64_t k = 0; k < plan->worker_count; k++) {
        assert_in_range(plan->workers[k], 0, platform->worker_count - 1);
        assert_int_equal(seen[plan->workers[k]]++, 0);
    }
}

static bool nearly(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* The evaluation's short cut changes nothing but the last digits. */
static void evaluation_agrees(const struct platform *platform, const struct plan *plan)
{
    struct simulation simulated, evaluated;
    struct failure failure = FAILURE_INIT;
    assert_true(simulate_plan(platform, plan, NULL, &simulated, &failure));
    assert_true(evaluate_plan(platform, plan, &evaluated, &failure));
    assert_true(nearly(simulated.makespan_s, evaluated.makespan_s));
    assert_true(nearly(simulated.master_busy_s, evaluated.master_busy_s));
    assert_true(nearly(simulated.port_busy_s, evaluated.port_busy_s));
    assert_true(nearly(simulated.worker_busy_s, evaluated.worker_busy_s));
    /* The difference of two sums where results are written behind. */
    assert_true(fabs(simulated.output_s - evaluated.output_s) <= 1e-9 * simulated.makespan_s ||
                plan->worker_count > 1);
    assert_true(evaluated.output_s >= 0 && evaluated.worker_busy_s >= 0);
    assert_true(nearly(simulated.earliest_end_s, evaluated.earliest_end_s));
    assert_true(nearly(simulated.idle_first_s, evaluated.idle_first_s));
    assert_true(nearly(simulated.idle_last_s + 1, evaluated.idle_last_s + 1) ||
                fabs(simulated.idle_last_s - evaluated.idle_last_s) <= 1e-8 * simulated.makespan_s);
    assert_int_equal(simulated.packages, evaluated.packages);
    assert_int_equal(simulated.workers_used, evaluated.workers_used);
}

static void prediction_is_simulation(const struct platform *platform, const struct plan *plan)
{
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    assert_true(simulate_plan(platform, plan, NULL, &simulation, &failure));
    assert_true(simulation.makespan_s == plan->predicted.makespan_s);
    const double bound_s = bound_of(platform, plan->tasks, plan->real_valued);
    /* `optimal` has a stronger one. */
    if (plan->scheduler != NULL && strcmp(plan->scheduler, "optimal") == 0)
        assert_true(bound_s <= plan->predicted.lower_bound_s);
    else
        assert_true(bound_s == plan->predicted.lower_bound_s);
    assert_true(plan->predicted.lower_bound_s <= simulation.makespan_s * (1 + 1e-12));
}

/* The scheduler's plan, or (`alone`) what it makes for all workers without trying the first ones,
 * which is most of the time. */
static bool plan_makes(const struct scheduler *scheduler, const struct schedule_request *request,
                       bool alone, struct plan *plan, struct failure *failure)
{
    if (!alone)
        return scheduler_make(scheduler, request, plan, failure);
    if (!scheduler->make(request, plan, failure))
        return false;
    plan->scheduler = strdup(scheduler->name);
    return true;
}

/* Every scheduler on one platform; the best makespan, HUGE_VAL when none applies. `alone` leaves
 * out `optimal`, too, where thousands of its programs would take minutes. */
static double all_hold(const struct platform *platform, double tasks, bool real_valued, bool alone)
{
    const struct schedule_request request = {
        .platform = platform, .tasks = tasks, .real_valued = real_valued};
    double best_s = HUGE_VAL;
    size_t count;
    const struct scheduler *list = scheduler_list(&count);
    for (size_t i = 0; i < count; i++) {
        struct plan plan = {.kernel = NULL};
        struct failure failure = FAILURE_INIT;
        if (alone && strcmp(list[i].name, "optimal") == 0)
            continue;
        if (!plan_makes(&list[i], &request, alone, &plan, &failure)) {
            assert_int_equal(failure.code, FAILURE_INFEASIBLE);
            continue;
        }
        assert_string_equal(plan.scheduler, list[i].name);
        loads_are_valid(platform, &plan, tasks, real_valued);
        workers_are_different(platform, &plan);
        prediction_is_simulation(platform, &plan);
        evaluation_agrees(platform, &plan);
        best_s = fmin(best_s, plan.predicted.makespan_s);
        plan_release(&plan);
    }
    return best_s;
}

static void auto_is_best(const struct platform *platform, double tasks, bool real_valued,
                         double best_s)
{
    const struct schedule_request request = {
        .platform = platform, .tasks = tasks, .real_valued = real_valued};
    struct plan plan = {.kernel = NULL};
    struct failure failure = FAILURE_INIT;
    const bool made = schedule_auto(&request, &plan, NULL, &failure);
    assert_int_equal(made, best_s < HUGE_VAL);
    if (made)
        assert_true(plan.predicted.makespan_s <= best_s * (1 + SCHEDULE_WITHIN));
    else
        assert_int_equal(failure.code, FAILURE_INFEASIBLE);
    plan_release(&plan);
}

static void every_plan_is_sound(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(120); seed++) {
        struct dice dice = dice_of(seed);
        struct platform platform = platform_random(&dice, seed % 20 == 0 ? 200 : 24);
        const double tasks = tasks_random(&dice);
        print_message("seed %d: %d workers, %.0f tasks\n", (int)seed, (int)platform.worker_count,
                      tasks);
        all_hold(&platform, tasks, seed % 4 == 0, true);
        platform_release(&platform);
    }
}

static void every_plan_is_sound_written_behind(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(32); seed++) {
        struct dice dice = dice_of(4000 + seed);
        struct platform platform = platform_random(&dice, 16);
        const double tasks = tasks_random(&dice);
        platform_write_behind(&dice, &platform, 2);
        print_message("seed %d: %d workers, %.0f tasks\n", (int)seed, (int)platform.worker_count,
                      tasks);
        all_hold(&platform, tasks, seed % 4 == 0, true);
        platform_release(&platform);
    }
}

static void automatic_is_never_worse(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(6); seed++) {
        struct dice dice = dice_of(1000 + seed);
        struct platform platform = platform_random(&dice, 6);
        const double tasks = dice_scale(&dice, 1, 40);
        const bool real_valued = seed % 4 == 0;
        print_message("seed %d: %d workers, %.0f tasks\n", (int)seed, (int)platform.worker_count,
                      floor(tasks));
        auto_is_best(&platform, floor(tasks), real_valued,
                     all_hold(&platform, floor(tasks), real_valued, false));
        platform_release(&platform);
    }
}

static void platform_scale(struct platform *platform, double factor)
{
    for (int64_t w = 0; w < platform->window_count; w++) {
        struct platform_window *window = &platform->windows[w];
        struct cost *costs[] = {&window->envelope, &window->send};
        for (size_t k = 0; k < 2; k++)
            *costs[k] = (struct cost){costs[k]->latency_s * factor, costs[k]->s_per_task * factor};
        for (int64_t c = 0; c < window->class_count; c++) {
            struct cost *own[] = {&window->classes[c].link, &window->classes[c].receive,
                                  &window->classes[c].compute, &window->classes[c].output};
            for (size_t k = 0; k < 4; k++)
                *own[k] = (struct cost){own[k]->latency_s * factor, own[k]->s_per_task * factor};
        }
    }
}

/* What the scheduler makes for all workers; HUGE_VAL where it does not apply. */
static double makespan_alone(const struct scheduler *scheduler, const struct platform *platform,
                             double tasks)
{
    const struct schedule_request request = {
        .platform = platform, .tasks = tasks, .real_valued = false};
    struct plan plan = {.kernel = NULL};
    struct failure failure = FAILURE_INIT;
    if (!scheduler->make(&request, &plan, &failure))
        return HUGE_VAL;
    const double makespan_s = plan.predicted.makespan_s;
    plan_release(&plan);
    return makespan_s;
}

/* In units of time that are a power of two, so that no load can differ by rounding. */
static void the_unit_of_time_does_not_matter(void **state)
{
    (void)state;
    size_t count;
    const struct scheduler *list = scheduler_list(&count);
    for (uint64_t seed = 1; seed <= cases_of(32); seed++) {
        struct dice dice = dice_of(2000 + seed);
        struct platform platform = platform_random(&dice, 20);
        const double tasks = tasks_random(&dice), factor = seed % 2 == 0 ? 64 : 1.0 / 1024;
        double before_s[32];
        for (size_t i = 0; i < count; i++)
            before_s[i] = strcmp(list[i].name, "optimal") == 0
                              ? 0
                              : makespan_alone(&list[i], &platform, tasks);
        platform_scale(&platform, factor);
        for (size_t i = 0; i < count; i++) {
            if (strcmp(list[i].name, "optimal") == 0)
                continue;
            const double after_s = makespan_alone(&list[i], &platform, tasks);
            if (!(after_s == before_s[i] * factor ||
                  fabs(after_s - before_s[i] * factor) <= 1e-9 * after_s))
                fail_msg("seed %d: %s takes %.12g, in other units %.12g", (int)seed, list[i].name,
                         before_s[i], after_s / factor);
        }
        platform_release(&platform);
    }
}

/* The classes of one window in the opposite order: the same workers under other numbers. */
static void platform_relabel(struct platform *platform)
{
    for (int64_t w = 0; w < platform->window_count; w++) {
        struct platform_window *window = &platform->windows[w];
        int64_t first = 0;
        for (int64_t c = 0; c < window->class_count / 2; c++) {
            const struct platform_class other = window->classes[window->class_count - 1 - c];
            window->classes[window->class_count - 1 - c] = window->classes[c];
            window->classes[c] = other;
        }
        for (int64_t c = 0; c < window->class_count; c++) {
            window->classes[c].first = first;
            first += window->classes[c].count;
        }
    }
}

/* Nothing of what a scheduler makes for all workers; the first of them, which are tried, too, are
 * others then. */
static void relabelled_workers_change_nothing(void **state)
{
    (void)state;
    size_t count;
    const struct scheduler *list = scheduler_list(&count);
    for (uint64_t seed = 1; seed <= cases_of(32); seed++) {
        struct dice dice = dice_of(3000 + seed);
        struct platform platform = platform_random(&dice, 20);
        const double tasks = tasks_random(&dice);
        for (size_t i = 0; i < count; i++) {
            if (strcmp(list[i].name, "optimal") == 0)
                continue;
            const double before_s = makespan_alone(&list[i], &platform, tasks);
            platform_relabel(&platform);
            const double after_s = makespan_alone(&list[i], &platform, tasks);
            if (!(after_s == before_s || fabs(after_s - before_s) <= 1e-9 * after_s))
                fail_msg("seed %d: %s takes %.12g, relabelled %.12g", (int)seed, list[i].name,
                         before_s, after_s);
        }
        platform_release(&platform);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_plan_is_sound),
                                       cmocka_unit_test(every_plan_is_sound_written_behind),
                                       cmocka_unit_test(automatic_is_never_worse),
                                       cmocka_unit_test(the_unit_of_time_does_not_matter),
                                       cmocka_unit_test(relabelled_workers_change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
