/* Several dispatches side by side, between which work moves: whatever workers do, and whichever are
 * lost, each core task is done once. */
#include <inttypes.h>
#include <math.h>

#include "planner/dispatch/moves.h"
#include "planner/dispatch/watch.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

enum { STARS_MOST = 4, WORKERS_MOST = 6, TASKS_MOST = 4000, OUT_MOST = 4096 };

struct star {
    struct plan plan, head;   /* owned; head: of one with a tail */
    struct platform platform; /* of a watched one */
    struct platform_window window;
    struct platform_class class;
    struct dispatch *dispatch;
    int64_t workers;
    int pace; /* one of so many turns does something */
    bool lost[WORKERS_MOST];
    struct package out[OUT_MOST];
    size_t out_count;
};

struct course {
    struct star stars[STARS_MOST];
    int count;
    int64_t tasks, moved, turns;
    struct task_range *ranges; /* owned; that are assigned, in place of all; NULL: all are */
    int64_t range_count;
    struct work work; /* owned; of all core tasks, also where ranges leave some out */
    unsigned char done[3 * TASKS_MOST];
};

static struct deadline_cost second_each(const void *self, int64_t worker, int64_t tasks)
{
    (void)self;
    (void)worker;
    return (struct deadline_cost){0, (double)tasks};
}

static double no_start(const void *self, int64_t worker)
{
    (void)self;
    (void)worker;
    return 0;
}

/* What an earlier run has left: every third core task, or pairs of them. */
static void ranges_make(struct course *course, int64_t width)
{
    course->range_count = (course->tasks + width - 1) / width;
    course->ranges = calloc((size_t)course->range_count, sizeof *course->ranges);
    assert_non_null(course->ranges);
    for (int64_t k = 0; k < course->range_count; k++) {
        const int64_t left = course->tasks - k * width;
        course->ranges[k] = (struct task_range){3 * k, left < width ? left : width};
    }
}

/* Neighbours of one weight, which may be 0. */
static void work_make(struct course *course, struct dice *dice)
{
    static double weights[3 * TASKS_MOST];
    const int64_t tasks = course->ranges ? 3 * course->tasks : course->tasks;
    for (int64_t k = 0; k < tasks; k++)
        weights[k] =
            k > 0 && dice_whole(dice, 0, 9) > 0 ? weights[k - 1] : (double)dice_whole(dice, 0, 30);
    weights[0] = 1;
    assert_true(work_weigh(&course->work, weights, tasks));
}

/* The units that a star has to hand out. */
static double units_of(const struct course *course, const struct star *star)
{
    const int64_t first = (int64_t)star->plan.first, tasks = (int64_t)star->plan.tasks;
    double units = 0;
    if (!course->ranges)
        return work_worth(&course->work, (struct task_range){first, tasks});
    for (int64_t k = first; k < first + tasks; k++) {
        const int64_t width = course->ranges[0].count;
        const struct task_range one = {3 * (k / width) + k % width, 1};
        units += work_worth(&course->work, one);
    }
    return units;
}

/* ---- what decides in a star ------------------------------------------------------------------ */

static struct deadline_setup each_of(const struct star *star)
{
    return (struct deadline_setup){
        .cost = second_each, .start_s = no_start, .workers = star->workers};
}

/* Draws a rule for so many of the star's core tasks, from the first one of its rule on. */
static struct dispatch_setup rule_draw(const struct star *star, int64_t tasks, struct dice *dice)
{
    const int64_t rules = (int64_t)dispatch_rule_count();
    return (struct dispatch_setup){
        .rule = dispatch_rule_name((size_t)dice_whole(dice, 0, rules - 1)).name,
        .tasks = tasks,
        .workers = star->workers,
        .ahead = (int)dice_whole(dice, 1, 3),
        .overhead_s = 0.01,
        .deviation_s = 0.1,
        .least = 1,
        .most = dice_whole(dice, 1, 100),
        .first = (int64_t)star->plan.first};
}

static struct dispatch *rule_make(const struct star *star, struct dice *dice)
{
    const struct dispatch_setup setup = rule_draw(star, (int64_t)star->plan.tasks, dice);
    const struct deadline_setup each = each_of(star);
    struct failure failure = FAILURE_INIT;
    struct dispatch *rule = dispatch_new_rule(&setup, &failure);
    assert_non_null(rule);
    return dice_whole(dice, 0, 1) == 0 ? rule : dispatch_new_rule_parts(rule, &setup, &each);
}

/* All that remains in one round. */
static bool even_plan(const void *self, const struct watch_remaining *remaining,
                      struct watch_answer *answer)
{
    struct plan *plan = &answer->plan;
    int64_t left = remaining->tasks;
    (void)self;
    *answer =
        (struct watch_answer){.kept_end_s = remaining->now_s + 10, .end_s = remaining->now_s + 5};
    plan->worker_count = remaining->workers;
    plan->workers = calloc((size_t)remaining->workers, sizeof *plan->workers);
    plan->rounds = calloc(1, sizeof *plan->rounds);
    plan->rounds[plan->round_count++] =
        (struct plan_round){1, calloc((size_t)remaining->workers, sizeof(double))};
    for (int64_t k = 0; k < remaining->workers; k++) {
        const int64_t mine = left / (remaining->workers - k);
        plan->workers[k] = k;
        plan->rounds->loads[k] = (double)mine;
        left -= mine;
    }
    return true;
}

/* A second for each core task. */
static struct dispatch *watch_make(struct star *star, const struct plan *plan)
{
    star->class = (struct platform_class){.count = star->workers, .compute = {.s_per_task = 1}};
    star->window = (struct platform_window){
        .least = 1, .greatest = TASKS_MOST, .classes = &star->class, .class_count = 1};
    star->platform = (struct platform){.windows = &star->window,
                                       .window_count = 1,
                                       .worker_count = star->workers,
                                       .buffers = PLATFORM_BUFFERS};
    const struct watch_setup setup = {.plan = plan,
                                      .platform = &star->platform,
                                      .workers = star->workers,
                                      .tolerance = 0.1,
                                      .planner = {even_plan, NULL}};
    return dispatch_new_watch(&setup);
}

/* The end by a rule; what comes before as planned, in parts, or watched. */
static struct dispatch *tail_make(struct star *star, struct dice *dice)
{
    struct failure failure = FAILURE_INIT;
    const double tasks = star->plan.tasks;
    assert_true(plan_head(&star->plan, (double)dice_whole(dice, 0, (int64_t)tasks), &star->head));
    star->head.first = star->plan.first;
    const struct dispatch_setup setup = rule_draw(star, (int64_t)(tasks - star->head.tasks), dice);
    const struct deadline_setup each = each_of(star);
    const int64_t kind = dice_whole(dice, 0, 2);
    struct dispatch *head = kind == 0   ? dispatch_new_plan(&star->head)
                            : kind == 1 ? dispatch_new_parts(&star->head, &each)
                                        : watch_make(star, &star->head);
    return setup.tasks > 0 ? dispatch_new_tail(head, &setup, &failure) : head;
}

static struct dispatch *dispatch_make(const struct course *course, struct star *star,
                                      struct dice *dice)
{
    const struct deadline_setup each = each_of(star);
    const int64_t kind = dice_whole(dice, 0, 4);
    struct dispatch *dispatch = kind == 0   ? dispatch_new_plan(&star->plan)
                                : kind == 1 ? dispatch_new_parts(&star->plan, &each)
                                : kind == 2 ? rule_make(star, dice)
                                : kind == 3 ? watch_make(star, &star->plan)
                                            : tail_make(star, dice);
    if (dispatch && course->ranges)
        dispatch =
            dispatch_new_ranges(dispatch, course->ranges, course->range_count, star->workers);
    return dispatch ? dispatch_new_recovery(dispatch, star->workers) : NULL;
}

static void course_make(struct course *course, struct dice *dice)
{
    course->count = (int)dice_whole(dice, 2, STARS_MOST);
    course->tasks = course->moved = course->turns = 0;
    course->ranges = NULL;
    memset(course->done, 0, sizeof course->done);
    for (int k = 0; k < course->count; k++) {
        struct star *star = &course->stars[k];
        *star = (struct star){.workers = dice_whole(dice, 1, WORKERS_MOST)};
        do {
            plan_release(&star->plan);
            sample_plan(dice, star->workers, false, &star->plan);
        } while (star->plan.tasks > TASKS_MOST / STARS_MOST);
        star->plan.first = (double)course->tasks;
        course->tasks += (int64_t)star->plan.tasks;
        star->pace = (int)dice_whole(dice, 1, 8);
    }
    if (dice_whole(dice, 0, 2) == 0)
        ranges_make(course, dice_whole(dice, 1, 2));
    course->work = (struct work){.tasks = 0};
    if (dice_whole(dice, 0, 1) == 0)
        work_make(course, dice);
    for (int k = 0; k < course->count; k++) {
        struct star *star = &course->stars[k];
        star->dispatch = dispatch_make(course, star, dice);
        assert_non_null(star->dispatch);
        dispatch_recovery_open(star->dispatch);
        if (work_differs(&course->work))
            dispatch_recovery_weigh(star->dispatch, &course->work, units_of(course, star));
        dispatch_recovery_ahead(star->dispatch, dice_whole(dice, 1, 4));
    }
}

static void course_release(struct course *course)
{
    for (int k = 0; k < course->count; k++) {
        dispatch_free(&course->stars[k].dispatch);
        plan_release(&course->stars[k].plan);
        plan_release(&course->stars[k].head);
    }
    free(course->ranges);
    work_release(&course->work);
}

static void packages_take(struct star *star, int64_t turn)
{
    struct package package;
    while (star->out_count < OUT_MOST &&
           dispatch_next(star->dispatch, (double)turn, &package) == DISPATCH_SEND) {
        assert_false(star->lost[package.worker]);
        star->out[star->out_count++] = package;
    }
}

static void package_do(struct course *course, struct star *star, struct dice *dice)
{
    if (star->out_count == 0)
        return;
    const size_t at = (size_t)dice_whole(dice, 0, (int64_t)star->out_count - 1);
    const struct package package = star->out[at];
    star->out[at] = star->out[--star->out_count];
    for (int64_t task = package.first; task < package.first + package.count; task++)
        course->done[task]++;
    assert_true(dispatch_claim(star->dispatch, &package));
    const double end_s = (double)course->turns;
    dispatch_done(star->dispatch, &package, fmax(0, end_s - (double)package.count), end_s);
}

static void worker_lose(struct star *star, int64_t worker)
{
    size_t kept = 0;
    if (star->lost[worker])
        return;
    star->lost[worker] = true;
    for (size_t k = 0; k < star->out_count; k++)
        if (star->out[k].worker != worker)
            star->out[kept++] = star->out[k];
    star->out_count = kept;
    dispatch_lost(star->dispatch, worker);
}

static double worth_of(const struct course *course, struct task_range range)
{
    return work_differs(&course->work) ? work_worth(&course->work, range) : (double)range.count;
}

/* The weight given is at least what was wanted, and less without its first core task; or it is all
 * that there is, where a part of what is left is being sent in pieces. */
static void assert_given(const struct course *course, const struct dispatch_given *given,
                         const struct dispatch_share *share, double half)
{
    static const double NEAR = 1e-6;
    double units = 0;
    for (size_t k = 0; k < given->count; k++)
        units += worth_of(course, given->items[k].range);
    assert_true(given->tasks > 0);
    assert_true(given->tasks <= share->left || share->living == 0);
    if (!work_differs(&course->work)) /* parts of packages are given whole */
        return;
    if (units < half - NEAR && given->tasks < share->left)
        fail_msg("%g units were to be given, and are %g", half, units);
    if (share->living > 0) {
        const struct task_range *last = &given->items[given->count - 1].range;
        double first = 0; /* of those that are worth something */
        for (int64_t k = 0; k < last->count && !(first > NEAR); k++)
            first = worth_of(course, (struct task_range){last->first + k, 1});
        if (units - first > half + NEAR)
            fail_msg("%g units were to be given, and are %g, %g of them its first", half, units,
                     first);
    }
}

/* Moves core tasks as the first master does. False: all is done. */
static bool moves_make(struct course *course)
{
    struct moves_star stars[STARS_MOST];
    struct moves_pair pair;
    for (int k = 0; k < course->count; k++)
        stars[k] = (struct moves_star){dispatch_recovery_share(course->stars[k].dispatch), false};
    if (moves_are_over(stars, course->count))
        return false;
    assert_false(moves_are_vain(stars, course->count));
    if (!moves_find(stars, course->count, (double)course->turns, &pair))
        return true;
    struct dispatch_given given = {.items = NULL};
    const double half = moves_half(&stars[pair.from].share);
    assert_true(dispatch_recovery_give(course->stars[pair.from].dispatch, half, &given));
    assert_given(course, &given, &stars[pair.from].share, half);
    assert_true(dispatch_recovery_take(course->stars[pair.to].dispatch, &given));
    course->moved += given.tasks;
    dispatch_given_release(&given);
    return true;
}

static bool turn(struct course *course, struct dice *dice, int losses)
{
    course->turns++;
    for (int k = 0; k < course->count; k++) {
        struct star *star = &course->stars[k];
        packages_take(star, course->turns);
        if (course->turns % star->pace == 0)
            package_do(course, star, dice);
        if (k > 0 && losses > 0 && dice_whole(dice, 0, 40) == 0)
            worker_lose(star, dice_whole(dice, 0, star->workers - 1));
    }
    return moves_make(course);
}

/* Workers of the first star live. */
static void each_core_task_is_done_once(void **state)
{
    static struct course course;
    int64_t moved = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(300); seed++) {
        struct dice dice = {seed};
        course_make(&course, &dice);
        const int losses = (int)dice_whole(&dice, 0, 1);
        while (turn(&course, &dice, losses))
            if (course.turns > 100 * TASKS_MOST)
                fail_msg("seed %" PRIu64 " does not end", seed);
        for (int64_t k = 0; k < course.tasks; k++) {
            const int64_t width = course.ranges ? course.ranges[0].count : 1;
            const int64_t task = course.ranges ? 3 * (k / width) + k % width : k;
            if (course.done[task] != 1)
                fail_msg("seed %" PRIu64 ": core task %" PRId64 " is done %d times", seed, task,
                         course.done[task]);
        }
        for (int k = 0; k < course.count; k++) {
            struct package package;
            dispatch_recovery_close(course.stars[k].dispatch);
            assert_int_equal(dispatch_next(course.stars[k].dispatch, 0, &package),
                             DISPATCH_FINISHED);
        }
        moved += course.moved;
        course_release(&course);
    }
    assert_true(moved > 0);
}

/* ---- who gives, and who gets ----------------------------------------------------------------- */

/* Core tasks that are alike. */
static struct moves_star star_of(int64_t left, int64_t out, int64_t done, int64_t living)
{
    return (struct moves_star){.share = {.left = left,
                                         .left_work = (double)left,
                                         .out_work = (double)out,
                                         .done_work = (double)done,
                                         .living = living,
                                         .wants = left + out == 0}};
}

static void the_slowest_star_gives_half(void **state)
{
    const struct moves_star stars[] = {star_of(0, 0, 100, 2), star_of(30, 4, 70, 2),
                                       star_of(20, 4, 20, 2)};
    struct moves_pair pair;
    (void)state;
    assert_true(moves_find(stars, 3, 100, &pair));
    assert_int_equal(pair.from, 2);
    assert_int_equal(pair.to, 0);
    assert_true(moves_half(&stars[2].share) == 10);
    assert_true(moves_half(&(struct dispatch_share){.left_work = 7, .living = 1}) == 3.5);
}

/* The second has more core tasks left, and the third more work. */
static void work_decides_where_it_is_known(void **state)
{
    struct moves_star stars[] = {star_of(0, 0, 100, 2), star_of(30, 4, 70, 2),
                                 star_of(10, 4, 90, 2)};
    struct moves_pair pair;
    (void)state;
    stars[2].share.left_work = 80;
    stars[2].share.done_work = 60;
    assert_true(moves_find(stars, 3, 100, &pair));
    assert_int_equal(pair.from, 2);
    assert_true(moves_half(&stars[2].share) == 40);
    stars[2].share.left_work = 0;
    assert_true(moves_find(stars, 3, 100, &pair));
    assert_int_equal(pair.from, 1);
}

static void what_is_soon_done_stays(void **state)
{
    struct moves_star stars[] = {star_of(0, 0, 1000, 2), star_of(10, 9, 1000, 2)};
    struct moves_pair pair;
    (void)state;
    assert_false(moves_find(stars, 2, 100, &pair));
    stars[1] = star_of(12, 9, 1000, 2);
    assert_true(moves_find(stars, 2, 100, &pair));
    stars[1].moving = true;
    assert_false(moves_find(stars, 2, 100, &pair));
}

/* Also to a star that is busy, for nobody else does it. */
static void a_star_without_workers_gives_all(void **state)
{
    struct moves_star stars[] = {star_of(50, 5, 50, 2), star_of(10, 0, 50, 0),
                                 star_of(20, 5, 50, 1)};
    struct moves_pair pair;
    (void)state;
    assert_true(moves_find(stars, 3, 100, &pair));
    assert_int_equal(pair.from, 1);
    assert_int_equal(pair.to, 2);
    assert_true(moves_half(&stars[1].share) == 10);
    stars[0].share.living = stars[2].share.living = 0;
    assert_false(moves_find(stars, 3, 100, &pair));
    assert_true(moves_are_vain(stars, 3));
}

/* A plan for one worker, of which nothing is handed out: its last core task is worth as much as all
 * others. */
static void half_is_half_of_the_work(void **state)
{
    double weights[100];
    struct plan plan = {.tasks = 100, .worker_count = 1};
    struct work work;
    struct dispatch_given given = {.items = NULL};
    (void)state;
    for (int k = 0; k < 100; k++)
        weights[k] = k < 99 ? 1 : 99;
    assert_true(work_weigh(&work, weights, 100));
    plan.workers = calloc(1, sizeof *plan.workers);
    plan.rounds = calloc(1, sizeof *plan.rounds);
    plan.round_count = 1;
    plan.rounds[0] = (struct plan_round){10, calloc(1, sizeof(double))};
    plan.rounds[0].loads[0] = 10;
    struct dispatch *dispatch = dispatch_new_recovery(dispatch_new_plan(&plan), 1);
    dispatch_recovery_open(dispatch);
    dispatch_recovery_weigh(dispatch, &work, 100);
    struct dispatch_share share = dispatch_recovery_share(dispatch);
    assert_int_equal(share.left, 100);
    assert_true(dispatch_recovery_give(dispatch, moves_half(&share), &given));
    assert_int_equal(given.tasks, 1);
    assert_int_equal(given.items[0].range.first, 99);
    share = dispatch_recovery_share(dispatch);
    assert_int_equal(share.left, 99);
    assert_true(fabs(share.left_work - 50) < 1e-9);
    dispatch_given_release(&given);
    dispatch_free(&dispatch);
    work_release(&work);
    plan_release(&plan);
}

/* Five are suspect of having cost a worker; what has cost two is begun here, one at a time. */
static void suspects_move_with_their_losses(void **state)
{
    struct plan plan = {.tasks = 0, .worker_count = 2};
    struct dispatch_given given = {.items = NULL};
    (void)state;
    plan.workers = calloc(2, sizeof *plan.workers);
    struct dispatch *from = dispatch_new_recovery(dispatch_new_plan(&plan), 2);
    struct dispatch *to = dispatch_new_recovery(dispatch_new_plan(&plan), 2);
    dispatch_recovery_open(from);
    dispatch_recovery_open(to);
    assert_true(dispatch_recovery_suspect(from, (struct task_range){0, 5}, 1));
    assert_true(dispatch_recovery_suspect(from, (struct task_range){9, 1}, DISPATCH_LOSSES_MOST));
    const struct dispatch_share share = dispatch_recovery_share(from);
    assert_int_equal(share.left, 5);
    assert_true(dispatch_recovery_give(from, moves_half(&share), &given));
    assert_int_equal(given.count, 1);
    assert_int_equal(given.items[0].range.first, 2);
    assert_int_equal(given.items[0].range.count, 3);
    assert_int_equal(given.items[0].losses, 1);
    assert_true(dispatch_recovery_take(to, &given));
    struct package package;
    assert_int_equal(dispatch_next(to, 0, &package), DISPATCH_SEND);
    assert_int_equal(package.count,
                     1); /* one by one, so that the next loss tells which one it is */
    assert_int_equal(dispatch_recovery_share(from).left, 2);
    dispatch_given_release(&given);
    dispatch_free(&from);
    dispatch_free(&to);
    plan_release(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_core_task_is_done_once),
        cmocka_unit_test(the_slowest_star_gives_half),
        cmocka_unit_test(work_decides_where_it_is_known),
        cmocka_unit_test(half_is_half_of_the_work),
        cmocka_unit_test(suspects_move_with_their_losses),
        cmocka_unit_test(what_is_soon_done_stays),
        cmocka_unit_test(a_star_without_workers_gives_all),
    };
    tests_choose();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
