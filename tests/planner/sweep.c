/* Sweeps over numbers of workers: how far they go, and that marked rows are right. */
#include <inttypes.h>
#include <math.h>

#include "planner/model/beyond.h"
#include "planner/studies/feeding.h"
#include "planner/studies/masters.h"
#include "planner/studies/sweep.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

/* One class of `count` workers that take `work` for a task, and the master `send` for a package. */
struct star_like {
    struct profile_worker worker;
    struct profile_window window;
    struct profile_setting setting;
    struct profile profile;
};

static void star_make(struct star_like *star, int64_t count, struct cost send, struct cost work)
{
    static char kernel[] = "sleep";
    *star = (struct star_like){.worker = {.count = count, .compute = {.cost = work}}};
    star->window = (struct profile_window){.least = 1,
                                           .greatest = 1 << 20,
                                           .send = {.cost = send},
                                           .workers = &star->worker,
                                           .worker_count = 1};
    star->setting = (struct profile_setting){.windows = &star->window, .window_count = 1};
    star->profile =
        (struct profile){.kernel = kernel, .settings = &star->setting, .setting_count = 1};
}

static struct sweep sweep_by(const char *scheduler, const struct profile *profile, double tasks,
                             int64_t workers)
{
    const struct planning planning = {.profile = profile,
                                      .setting = &profile->settings[0],
                                      .scheduler = scheduler,
                                      .tasks = tasks,
                                      .workers = workers};
    struct failure failure = FAILURE_INIT;
    struct sweep sweep;
    if (!sweep_make(&planning, &sweep, &failure))
        fail_msg("%s", failure.text);
    return sweep;
}

static struct sweep sweep_of(const struct profile *profile, double tasks, int64_t workers)
{
    return sweep_by("auto", profile, tasks, workers);
}

static const struct sweep_row *row_of(const struct sweep *sweep, int64_t workers)
{
    for (size_t k = 0; k < sweep->count; k++)
        if (sweep->rows[k].workers == workers)
            return &sweep->rows[k];
    fail_msg("no row for %" PRId64 " workers", workers);
    return NULL;
}

/* Another way to a row: the profile itself is extended, and then planned with. */
static struct sweep_row row_again(const struct profile *profile, double tasks, int64_t workers)
{
    struct failure failure = FAILURE_INIT;
    const struct planning planning = {.profile = profile,
                                      .setting = &profile->settings[0],
                                      .scheduler = "scow-mp",
                                      .tasks = tasks,
                                      .workers = workers};
    struct plan plan;
    bool fed = false;
    assert_true(profile_workers(&planning.setting->windows[0]) >= workers);
    assert_true(planning_make(&planning, &plan, &failure));
    assert_true(feeding_suffices(planning.setting, workers, tasks, &fed, &failure));
    const struct sweep_row row = {.makespan_s = plan.predicted.makespan_s, .fed = fed};
    plan_release(&plan);
    return row;
}

static void rows_check(const struct sweep *sweep)
{
    const struct sweep_row *knee = row_of(sweep, sweep->marks[SWEEP_KNEE]);
    assert_true(sweep->count <= SWEEP_ROWS_MOST);
    assert_int_equal(sweep->rows[0].workers, 1);
    for (size_t k = 0; k < sweep->count; k++) {
        const struct sweep_row *row = &sweep->rows[k];
        const int64_t nodes =
            (row->workers + sweep->workers_per_node - 1) / sweep->workers_per_node;
        assert_true(k == 0 || row->workers > sweep->rows[k - 1].workers);
        assert_true(fabs(row->speedup - sweep->rows[0].makespan_s / row->makespan_s) < 1e-9);
        assert_true(row->node_seconds == (double)row->workers * row->makespan_s);
        assert_true(fabs(row->node_hours * 3600 / ((double)nodes * row->makespan_s) - 1) < 1e-9);
        assert_true(row->efficiency > 0 && row->efficiency <= 1);
        assert_true(row->speedup * row->efficiency <= knee->speedup * knee->efficiency);
    }
}

/* Seconds that one worker takes for all of it. */
static double alone_s(const struct profile *profile, double tasks, int64_t worker)
{
    enum { WINDOWS_MOST = 4 };
    struct failure failure = FAILURE_INIT;
    struct profile_setting setting = profile->settings[0];
    struct profile_window windows[WINDOWS_MOST];
    struct profile_worker only[WINDOWS_MOST];
    struct plan plan;
    assert_true(setting.window_count <= WINDOWS_MOST);
    for (size_t w = 0; w < setting.window_count; w++) {
        windows[w] = setting.windows[w];
        only[w] = windows[w].workers[profile_class(&windows[w], worker)];
        only[w].count = 1;
        windows[w].workers = &only[w];
        windows[w].worker_count = 1;
    }
    setting.windows = windows;
    const struct planning planning = {
        .profile = profile, .setting = &setting, .scheduler = "scow-mp", .tasks = tasks};
    assert_true(planning_make(&planning, &plan, &failure));
    const double makespan_s = plan.predicted.makespan_s;
    plan_release(&plan);
    return makespan_s;
}

/* Of a machine as fast as the first `workers` are by themselves. */
static double efficiency_of(const struct profile *profile, double tasks, int64_t workers,
                            double makespan_s)
{
    double speed = 0;
    for (int64_t worker = 0; worker < workers; worker++)
        speed += 1 / alone_s(profile, tasks, worker);
    return fmin(1 / speed / makespan_s, 1);
}

/* Efficiency falls with every worker but for what whole core tasks let it jump up and down by: the
 * mark is found by halving as if there were none of that (sweep.h). */
enum { JUMPS_PERCENT = 2 };

/* The row is below, and with one worker less it was not. */
static void below_check(const struct sweep *sweep, const struct profile *extended, double tasks,
                        enum sweep_mark mark, double efficiency)
{
    const int64_t workers = sweep->marks[mark];
    if (workers == 0)
        return;
    assert_true(row_of(sweep, workers)->efficiency < efficiency);
    const struct sweep_row fewer = row_again(extended, tasks, workers - 1);
    const double reached = efficiency_of(extended, tasks, workers - 1, fewer.makespan_s);
    if (!(reached >= efficiency * (1 - 0.01 * JUMPS_PERCENT)))
        fail_msg("%" PRId64 " workers are as little as %g efficient", workers - 1, reached);
}

static void fed_check(const struct sweep *sweep, const struct profile *extended, double tasks)
{
    const int64_t workers = sweep->marks[SWEEP_FED];
    if (workers == 0) {
        assert_true(sweep->rows[0].fed == sweep->rows[sweep->count - 1].fed);
        return;
    }
    assert_true(row_of(sweep, workers)->fed);
    assert_false(row_again(extended, tasks, workers + 1).fed);
}

static void sweeps_are_consistent(void **state)
{
    (void)state;
    int64_t marked = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct dice dice = {seed};
        struct profile profile;
        struct failure failure = FAILURE_INIT;
        sample_profile(&dice, 12, 1, &profile);
        const int64_t measured = beyond_measured(&profile);
        struct sweep sweep = sweep_of(&profile, 1000, 0);
        rows_check(&sweep);
        const int64_t last = sweep.rows[sweep.count - 1].workers;
        assert_true(last >= measured);
        assert_int_equal(sweep.marks[SWEEP_MEASURED], measured);
        assert_int_equal(sweep.beyond.workers, last - measured);
        assert_int_equal(beyond_measured(&profile), measured); /* the profile is as it was */
        assert_true(beyond_extend(&profile, 2 * last + 1, 0, &failure));
        below_check(&sweep, &profile, 1000, SWEEP_BELOW_90, 0.9);
        below_check(&sweep, &profile, 1000, SWEEP_BELOW_75, 0.75);
        below_check(&sweep, &profile, 1000, SWEEP_BELOW_50, 0.5);
        fed_check(&sweep, &profile, 1000);
        if (sweep.end == SWEEP_ENOUGH)
            assert_true(row_again(&profile, 1000, 2 * last).makespan_s >
                        0.98 * sweep.rows[sweep.count - 1].makespan_s);
        for (int k = 0; k < SWEEP_MARKS; k++)
            marked += sweep.marks[k] > 0;
        sweep_release(&sweep);
        profile_release(&profile);
    }
    assert_true(marked > 18); /* most have a knee, all measured, and some others */
}

/* The port takes 1 s for a task, a worker 10 s: ten workers are fed, and more do not help. */
static void it_goes_on_to_where_the_master_ends(void **state)
{
    (void)state;
    struct star_like star;
    for (int64_t count = 1; count <= 4; count++) {
        star_make(&star, count, (struct cost){0, 1}, (struct cost){0, 10});
        struct sweep sweep = sweep_of(&star.profile, 10000, 0);
        rows_check(&sweep);
        assert_int_equal(sweep.end, SWEEP_ENOUGH);
        assert_int_equal(sweep.marks[SWEEP_FED], 10);
        assert_true(fabs(row_of(&sweep, 10)->makespan_s / 10000 - 1) < 0.05);
        assert_in_range((uint64_t)sweep.marks[SWEEP_KNEE], 10, 11);
        assert_in_range((uint64_t)sweep.rows[sweep.count - 1].workers, 20, 32);
        assert_in_range((uint64_t)sweep.marks[SWEEP_BELOW_50], 20, 21);
        assert_int_equal(sweep.beyond.rank, count);
        sweep_release(&sweep);
    }
}

/* Sixty tasks of 1 s, and hardly anything else: no more than sixty workers. */
static void it_ends_where_tasks_do(void **state)
{
    (void)state;
    struct star_like star;
    star_make(&star, 2, (struct cost){0, 1e-9}, (struct cost){0, 1});
    struct sweep sweep = sweep_of(&star.profile, 60, 0);
    rows_check(&sweep);
    assert_int_equal(sweep.end, SWEEP_TASKS);
    assert_int_equal(sweep.rows[sweep.count - 1].workers, 60);
    assert_true(fabs(sweep.rows[sweep.count - 1].makespan_s - 1) < 1e-3);
    assert_true(sweep.rows[sweep.count - 1].fed);
    assert_int_equal(sweep.marks[SWEEP_FED], 0);
    sweep_release(&sweep);
}

/* Nobody wants more rows than fit on a screen. */
static void large_ones_have_few_rows(void **state)
{
    (void)state;
    struct star_like star;
    star_make(&star, 2, (struct cost){1e-9, 1e-9}, (struct cost){1e-3, 1});
    struct sweep sweep = sweep_by("static", &star.profile, 1e6, 0);
    rows_check(&sweep);
    assert_int_equal(sweep.end, SWEEP_LIMIT);
    assert_int_equal(sweep.rows[sweep.count - 1].workers, SWEEP_WORKERS_MOST);
    assert_true(sweep.count > 20);
    sweep_release(&sweep);
    sweep = sweep_of(&star.profile, 1e6, 777);
    rows_check(&sweep);
    assert_int_equal(sweep.end, SWEEP_ASKED);
    assert_int_equal(sweep.rows[sweep.count - 1].workers, 777);
    assert_int_equal(sweep.beyond.workers, 775);
    sweep_release(&sweep);
    sweep = sweep_of(&star.profile, 1e6, 1);
    assert_int_equal(sweep.count, 1);
    assert_int_equal(sweep.marks[SWEEP_MEASURED], 0);
    assert_int_equal(sweep.beyond.workers, 0);
    sweep_release(&sweep);
}

/* The port takes longer than the worker: one is too many. */
static void one_worker_may_be_too_many(void **state)
{
    (void)state;
    struct star_like star;
    struct text text = TEXT_INIT;
    star_make(&star, 1, (struct cost){0, 2}, (struct cost){0, 1});
    struct sweep sweep = sweep_of(&star.profile, 1000, 0);
    rows_check(&sweep);
    assert_false(sweep.rows[0].fed);
    assert_int_equal(sweep.marks[SWEEP_FED], 0);
    assert_int_equal(sweep.marks[SWEEP_KNEE], 1);
    sweep_text(&sweep, &text);
    assert_non_null(strstr(text.bytes, "one master cannot keep even one worker busy\n"));
    text_release(&text);
    sweep_release(&sweep);
}

/* Two workers of 8 s a task, then two of 1 s: all four are 18 times as fast as the first. */
static void unlike_workers_are_at_most_fully_efficient(void **state)
{
    (void)state;
    struct star_like star;
    star_make(&star, 2, (struct cost){0, 1e-6}, (struct cost){0, 8});
    struct profile_worker workers[] = {star.worker, star.worker};
    workers[1].compute.cost.s_per_task = 1;
    star.window.workers = workers;
    star.window.worker_count = 2;
    struct sweep sweep = sweep_of(&star.profile, 1e5, 4);
    rows_check(&sweep);
    for (int64_t count = 1; count <= 4; count++) {
        const struct sweep_row *row = row_of(&sweep, count);
        assert_true(row->efficiency > 0.99);
        assert_true(fabs(row->efficiency -
                         efficiency_of(&star.profile, 1e5, count, row->makespan_s)) < 1e-9);
        assert_true((row->speedup / (double)count > 1.1) == (count > 2));
    }
    assert_int_equal(sweep.marks[SWEEP_BELOW_90], 0);
    assert_int_equal(sweep.marks[SWEEP_KNEE], 4);
    sweep_release(&sweep);
}

/* Workers that are alike are as efficient as speed-up over workers. */
static void alike_workers_are_as_efficient_as_they_speed_up(void **state)
{
    (void)state;
    struct star_like star;
    star_make(&star, 3, (struct cost){0.1, 1}, (struct cost){0.1, 10});
    struct sweep sweep = sweep_of(&star.profile, 10000, 0);
    rows_check(&sweep);
    for (size_t k = 0; k < sweep.count; k++) {
        const struct sweep_row *row = &sweep.rows[k];
        assert_true(fabs(row->efficiency - row->speedup / (double)row->workers) < 1e-12);
    }
    sweep_release(&sweep);
}

/* Packages are so small that evaluating a plan takes long: the effort is kept, and hardly missed.
 */
static void effort_is_shared_by_all_rows(void **state)
{
    (void)state;
    enum { WORKERS = 120 };
    struct profile_worker workers[WORKERS];
    struct star_like star;
    struct dice dice = {11};
    struct failure failure = FAILURE_INIT;
    double used_s = 0;
    star_make(&star, 1, (struct cost){2e-5, 1e-7}, (struct cost){1e-3, 1e-2});
    for (int k = 0; k < WORKERS; k++) {
        workers[k] = star.worker;
        workers[k].compute.cost.s_per_task *= dice_scale(&dice, 0.5, 2);
    }
    star.window.workers = workers;
    star.window.worker_count = WORKERS;
    star.window.greatest = 2;
    struct planning planning = {.profile = &star.profile,
                                .setting = &star.profile.settings[0],
                                .scheduler = "auto",
                                .tasks = 1e12,
                                .workers = WORKERS,
                                .effort_s = 0.1,
                                .used_s = &used_s};
    struct sweep sweep, all = sweep_of(&star.profile, 1e12, WORKERS);
    assert_true(sweep_make(&planning, &sweep, &failure));
    assert_true(used_s > 0.1 && used_s < 3 * planning.effort_s);
    for (size_t k = 0; k < sweep.count; k++)
        if (sweep.rows[k].workers == all.rows[k].workers)
            assert_true(sweep.rows[k].makespan_s < 1.1 * all.rows[k].makespan_s);
    assert_int_equal(sweep.rows[sweep.count - 1].workers, WORKERS);
    sweep_release(&sweep);
    sweep_release(&all);
}

/* Four workers on a node at calibration: five need two nodes. */
static void nodes_are_those_of_calibration(void **state)
{
    (void)state;
    struct star_like star;
    star_make(&star, 4, (struct cost){0, 1e-9}, (struct cost){0, 1});
    star.profile.origin.workers_per_node = 4;
    struct sweep sweep = sweep_of(&star.profile, 20, 0);
    rows_check(&sweep);
    assert_int_equal(sweep.workers_per_node, 4);
    assert_true(fabs(row_of(&sweep, 4)->node_hours - 5 / 3600.0) < 1e-6);
    assert_true(fabs(row_of(&sweep, 5)->node_hours - 2 * 4 / 3600.0) < 1e-6);
    sweep_release(&sweep);
}

/* One master feeds hardly more than two: from there on several take less, and never more. */
static void rows_may_have_several_masters(void **state)
{
    enum { WORKERS = 30 };
    struct failure failure = FAILURE_INIT;
    struct star_like star;
    (void)state;
    star_make(&star, WORKERS, (struct cost){0.1, 0.4}, (struct cost){0, 1});
    const struct planning planning = {.profile = &star.profile,
                                      .setting = &star.profile.settings[0],
                                      .scheduler = "auto",
                                      .tasks = 3000,
                                      .workers = WORKERS};
    struct sweep one = sweep_of(&star.profile, 3000, WORKERS), best, three;
    assert_true(sweep_make_with(&planning, MASTERS_AUTO, &best, &failure));
    assert_true(sweep_make_with(&planning, 3, &three, &failure));
    for (size_t k = 0; k < best.count; k++) {
        const struct sweep_row *row = &best.rows[k];
        assert_in_range(row->masters, 1, (row->workers + 1) / 2);
        assert_true(row->makespan_s <= row_of(&one, row->workers)->makespan_s);
        assert_true(row->masters > 1 || row->makespan_s == row_of(&one, row->workers)->makespan_s);
    }
    assert_true(row_of(&best, WORKERS)->masters > 3);
    assert_true(row_of(&best, WORKERS)->makespan_s < row_of(&one, WORKERS)->makespan_s / 3);
    assert_int_equal(row_of(&three, WORKERS)->masters, 3);
    assert_int_equal(row_of(&three, 1)->masters, 1);
    assert_false(one.several);
    assert_int_equal(row_of(&one, WORKERS)->masters, 1);
    sweep_release(&one);
    sweep_release(&best);
    sweep_release(&three);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_are_consistent),
        cmocka_unit_test(it_goes_on_to_where_the_master_ends),
        cmocka_unit_test(it_ends_where_tasks_do),
        cmocka_unit_test(large_ones_have_few_rows),
        cmocka_unit_test(one_worker_may_be_too_many),
        cmocka_unit_test(unlike_workers_are_at_most_fully_efficient),
        cmocka_unit_test(alike_workers_are_as_efficient_as_they_speed_up),
        cmocka_unit_test(effort_is_shared_by_all_rows),
        cmocka_unit_test(nodes_are_those_of_calibration),
        cmocka_unit_test(rows_may_have_several_masters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
