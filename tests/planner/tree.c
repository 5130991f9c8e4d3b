/* Trees of stars: what groups with masters of their own take, by hand, by formula and by tables of
 * an independent program. */
#include <inttypes.h>
#include <math.h>

#include "planner/files/plan_json.h"
#include "planner/simulate/simulate.h"
#include "planner/simulate/tree.h"
#include "tests/checks.h"
#include "tests/planner/platforms.h"

static struct plan_round *round_of(int64_t repeat, int64_t workers, double load)
{
    struct plan_round *round = calloc(1, sizeof *round);
    assert_non_null(round);
    *round = (struct plan_round){repeat, calloc((size_t)workers, sizeof *round->loads)};
    assert_non_null(round->loads);
    for (int64_t k = 0; k < workers; k++)
        round->loads[k] = load;
    return round;
}

/* `repeat` rounds of `load` for `count` workers from `first` on, every `step`-th. */
static struct plan star_of(int64_t first, int64_t step, int64_t count, int64_t repeat, double load)
{
    struct plan plan = {.tasks = (double)(repeat * count) * load,
                        .real_valued = load != floor(load),
                        .worker_count = count,
                        .round_count = 1};
    plan.kernel = strdup("sleep");
    plan.scheduler = strdup("hand");
    plan.workers = calloc((size_t)count, sizeof *plan.workers);
    plan.rounds = round_of(repeat, count, load);
    assert_true(plan.kernel && plan.scheduler && plan.workers);
    for (int64_t k = 0; k < count; k++)
        plan.workers[k] = first + k * step;
    return plan;
}

/* `rounds` packages for each of `groups` masters, of `times` packages of `load` for each of its
 * `workers`; ranks are numbered group by group. */
struct shape {
    int64_t groups, workers, times, rounds;
    double load;
};

static struct plan tree_of(struct shape shape)
{
    const int64_t step = shape.workers + 1;
    struct plan plan = star_of(0, step, shape.groups, shape.rounds,
                               (double)(shape.times * shape.workers) * shape.load);
    plan.children = calloc((size_t)shape.groups, sizeof *plan.children);
    assert_non_null(plan.children);
    plan.real_valued = shape.load != floor(shape.load);
    for (int64_t k = 0; k < shape.groups; k++) {
        struct plan *child = &plan.children[plan.child_count++];
        *child = star_of(k * step + 1, 1, shape.workers, shape.rounds * shape.times, shape.load);
        free(child->kernel);
        child->kernel = NULL;
    }
    plan_inherit(&plan);
    return plan;
}

/* Groups that are simulated each by itself, for something may become of their workers, and nothing
 * does. */
static void assert_simulated(const struct platform *platform, const struct plan *plan,
                             const struct simulation *simulation)
{
    const struct scenario usual = SCENARIO_INIT;
    const struct tree_setup setup = {.platform = platform, .plan = plan, .scenario = &usual};
    struct failure failure = FAILURE_INIT;
    struct simulation simulated;
    if (plan->real_valued || plan->child_count == 0)
        return;
    if (!simulate_tree(&setup, NULL, &simulated, &failure))
        fail_msg("%s", failure.text);
    if (simulated.makespan_s != simulation->makespan_s)
        fail_msg("%.17g s simulated, %.17g s as planned", simulated.makespan_s,
                 simulation->makespan_s);
    assert_true(simulated.worker_busy_s == simulation->worker_busy_s);
    assert_int_equal(simulated.packages, simulation->packages);
}

static double makespan_of(const struct platform *platform, const struct plan *plan)
{
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    if (!simulate_plan(platform, plan, NULL, &simulation, &failure))
        fail_msg("%s", failure.text);
    assert_int_equal(simulation.workers_used, plan_workers_used(plan));
    assert_int_equal(simulation.packages, plan_packages(plan));
    assert_simulated(platform, plan, &simulation);
    return simulation.makespan_s;
}

static double tree_takes(const struct platform *platform, struct shape shape)
{
    struct plan plan = tree_of(shape);
    const double makespan_s = makespan_of(platform, &plan);
    plan_release(&plan);
    return makespan_s;
}

#define assert_close(value, expected, tolerance)                                                   \
    do {                                                                                           \
        if (!(fabs((value) - (expected)) <= (tolerance)))                                          \
            fail_msg("%s is %.9g, expected %.9g", #value, (double)(value), (double)(expected));    \
    } while (0)

/* Of all packages that a group gets. */
static double package_of(struct shape shape)
{
    return (double)(shape.times * shape.workers) * shape.load;
}

/* Workers of which larger packages than the shape's loads, those for its groups, take the master
 * `send_s`, and their links what `passes` says: as if all data passed rank 0. */
static struct platform passing_platform(struct shape shape, double send_s, struct cost passes,
                                        struct cost link, struct cost work)
{
    const int64_t small = (int64_t)ceil(shape.load), step = shape.workers + 1;
    struct platform platform =
        platform_of_equals(shape.groups * step, 1, small, (struct cost){0, 0}, link, work);
    platform_add_window(&platform, small + 1, 1000000, 1);
    platform.windows[1].send = (struct cost){send_s, 0};
    platform.windows[1].classes[0].link = (struct cost){cost_of(passes, package_of(shape)), 0};
    return platform;
}

/* Packages for workers cost the master nothing; those for groups 0.1 s. Links take 0.25 + 0.25 x,
 * those to groups 0.5 + 0.25 x; work takes 0.5 + 2 x. */
static struct platform hand_platform(struct shape shape)
{
    return passing_platform(shape, 0.1, (struct cost){0.5, 0.25}, (struct cost){0.25, 0.25},
                            (struct cost){0.5, 2});
}

/* makespan = (e+s)_1(x) + (r-1) h_1(x) + l_1(x) + r_1(x) + (e+s)_2(Y) + (m-1) h_2(Y) + l_2(Y) + nu
 * k T_2, where groups are fed in time. */
static double hand_formula(struct shape shape)
{
    const double x = package_of(shape), y = shape.load;
    const double l1_s = 0.5 + 0.25 * x, l2_s = 0.25 + 0.25 * y, t2_s = 0.5 + 2 * y;
    return 0.1 + (double)(shape.groups - 1) * fmax(0.1, l1_s) + l1_s +
           (double)(shape.workers - 1) * l2_s + l2_s + (double)(shape.rounds * shape.times) * t2_s;
}

static void times_are_those_by_hand(void **state)
{
    static const struct {
        struct shape shape;
        double makespan_s;
        bool fed;
    } rows[] = {{{2, 2, 1, 2, 1}, 8.1, true},
                {{2, 4, 2, 5, 1}, 32.1, true},
                {{3, 4, 1, 5, 2}, 45.1, false}};
    (void)state;
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        struct platform platform = hand_platform(rows[k].shape);
        const double takes_s = tree_takes(&platform, rows[k].shape);
        assert_close(takes_s, rows[k].makespan_s, 1e-9);
        if (rows[k].fed)
            assert_close(takes_s, hand_formula(rows[k].shape), 1e-9);
        platform_release(&platform);
    }
}

static double flat_best(const struct platform *platform, double tasks, int64_t workers,
                        int64_t rounds_most)
{
    double best_s = HUGE_VAL;
    for (int64_t rounds = 1; rounds <= rounds_most; rounds++) {
        struct plan plan = star_of(0, 1, workers, rounds, tasks / (double)workers / (double)rounds);
        plan.real_valued = true;
        best_s = fmin(best_s, makespan_of(platform, &plan));
        plan_release(&plan);
    }
    return best_s;
}

/* Links of which those to groups pass what `passes` says. */
static double tree_best(struct cost link, struct cost passes, double tasks, struct shape shape,
                        int64_t times_most, int64_t rounds_most)
{
    const struct cost work = {0.03, 1};
    double best_s = HUGE_VAL;
    for (shape.times = 1; shape.times <= times_most; shape.times++)
        for (shape.rounds = 1; shape.rounds <= rounds_most; shape.rounds++) {
            shape.load =
                tasks / (double)(shape.groups * shape.workers * shape.times * shape.rounds);
            struct platform platform = passing_platform(shape, 0, passes, link, work);
            best_s = fmin(best_s, tree_takes(&platform, shape));
            platform_release(&platform);
        }
    return best_s;
}

/* Equal rounds, none levelled. With the thesis's links at B = 11 little is gained where all data
 * pass rank 0, and more where groups are only told what they get; where latency rules, a tree takes
 * less either way, with processors that only assign. */
static void equal_rounds_take_what_was_found(void **state)
{
    const struct cost none = {0, 0}, work = {0.03, 1}, told = {0.03, 0};
    const struct cost slow = {0.03, 1.0 / 11}, quick = {0.03, 0.001};
    const struct shape fives = {.groups = 5, .workers = 2}, twos = {.groups = 2, .workers = 5};
    const struct shape eights = {.groups = 8, .workers = 8};
    const struct {
        double tasks;
        struct cost link, passes;
        struct shape shape;
        int64_t times, rounds;
        double makespan_s;
    } trees[] = {
        {1000, slow, slow, fives, 4, 59, 103.83},    {1000, slow, slow, twos, 4, 59, 104.29},
        {1000, slow, told, fives, 4, 59, 101.69},    {1000, slow, told, twos, 4, 59, 102.55},
        {640, quick, quick, eights, 2, 24, 10.77},   {640, quick, told, eights, 2, 24, 10.58},
        {6400, quick, quick, eights, 2, 24, 101.41}, {6400, quick, told, eights, 2, 24, 100.79},
    };
    struct platform thesis = platform_of_equals(10, 1, 1000000, none, slow, work);
    struct platform many = platform_of_equals(64, 1, 1000000, none, quick, work);
    (void)state;
    assert_close(flat_best(&thesis, 1000, 10, 59), 104.04, 0.005);
    assert_close(flat_best(&many, 640, 64, 24), 12.20, 0.005);
    assert_close(flat_best(&many, 6400, 64, 24), 102.80, 0.005);
    for (size_t k = 0; k < COUNT_OF(trees); k++)
        assert_close(tree_best(trees[k].link, trees[k].passes, trees[k].tasks, trees[k].shape,
                               trees[k].times, trees[k].rounds),
                     trees[k].makespan_s, 0.005);
    platform_release(&thesis);
    platform_release(&many);
}

/* One group of all workers behind a link that takes nothing assigns as a master does, from the
 * moment on at which it has everything. */
static void a_group_assigns_like_a_master(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct dice dice = dice_of(seed);
        const int64_t workers = dice_between(&dice, 1, 9);
        const double send_s = dice_scale(&dice, 0.01, 1), work_s = dice_scale(&dice, 0.1, 10);
        struct platform platform =
            platform_of_equals(workers + 1, 1, 100000, (struct cost){0, 0}, (struct cost){0, 0.01},
                               (struct cost){0.1, work_s});
        const struct shape shape = {1, workers, dice_between(&dice, 1, 5), 1, 3};
        platform.windows[0].send = (struct cost){send_s, 0.1 * send_s};
        struct plan flat = star_of(1, 1, workers, shape.times, shape.load);
        const double takes_s = tree_takes(&platform, shape);
        assert_close(takes_s, makespan_of(&platform, &flat) + send_s, 1e-9 * takes_s);
        plan_release(&flat);
        platform_release(&platform);
    }
}

/* Three levels: groups of groups. */
static void trees_nest(void **state)
{
    struct platform platform = platform_of_equals(15, 1, 1000, (struct cost){0, 0},
                                                  (struct cost){1, 0}, (struct cost){0, 1});
    struct plan plan = star_of(0, 7, 2, 1, 8);
    (void)state;
    plan.children = calloc(2, sizeof *plan.children);
    assert_non_null(plan.children);
    for (int64_t k = 0; k < 2; k++) {
        struct plan *child = &plan.children[plan.child_count++];
        *child = star_of(7 * k + 1, 3, 2, 1, 4);
        child->children = calloc(2, sizeof *child->children);
        assert_non_null(child->children);
        for (int64_t j = 0; j < 2; j++)
            child->children[child->child_count++] = star_of(7 * k + 3 * j + 2, 1, 2, 1, 2);
    }
    plan_inherit(&plan);
    /* The last leaf's package passes its link at 2 + 2 + 2, and is worked on for 2 s. */
    assert_close(makespan_of(&platform, &plan), 8, 1e-12);
    assert_int_equal(plan_workers_used(&plan), 8);
    assert_int_equal(plan_workers_needed(&plan), 14);
    plan_release(&plan);
    platform_release(&platform);
}

/* Core tasks that each worker of a tree has computed, by its groups' rules. */
static void tasks_of(const struct tree_setup *setup, int64_t *tasks)
{
    struct failure failure = FAILURE_INIT;
    struct simulation simulation;
    struct trace trace = {.count = 0};
    if (!simulate_tree(setup, &trace, &simulation, &failure))
        fail_msg("%s", failure.text);
    for (size_t k = 0; k < trace.count; k++)
        if (trace.events[k].operation == OPERATION_COMPUTE)
            tasks[trace.events[k].rank - 1] += trace.events[k].tasks;
    trace_release(&trace);
}

/* Each group's master assigns what the group gets, and no more, by any rule; and a worker that is
 * slow gets less of it than its neighbours, whose group does not give any away. */
static void groups_decide_about_their_parts(void **state)
{
    static const char *const rules[] = {"ss", "gss", "fac", "tss", "awf-c"};
    enum { GROUPS = 2, WORKERS = 3, RANKS = GROUPS * (WORKERS + 1) };
    const struct shape shape = {GROUPS, WORKERS, 2, 5, 7};
    struct platform platform = hand_platform(shape);
    struct plan plan = tree_of(shape);
    (void)state;
    for (size_t k = 0; k < COUNT_OF(rules); k++) {
        int64_t tasks[RANKS] = {0};
        const struct dispatch_setup rule = {.rule = rules[k],
                                            .tasks = (int64_t)plan.children[0].tasks,
                                            .workers = WORKERS,
                                            .ahead = 1,
                                            .least = 1,
                                            .most = 7};
        const struct decision decisions[GROUPS] = {{.setup = &rule}, {.setup = &rule}};
        struct scenario slow = SCENARIO_INIT;
        slow.slow_first = 5;
        slow.slow_workers = 1;
        slow.slow_factor = 4;
        tasks_of(
            &(const struct tree_setup){
                .platform = &platform, .plan = &plan, .decisions = decisions, .scenario = &slow},
            tasks);
        assert_int_equal(tasks[0] + tasks[4], 0);
        assert_int_equal(tasks[1] + tasks[2] + tasks[3], 210);
        assert_int_equal(tasks[5] + tasks[6] + tasks[7], 210);
        if (!(2 * tasks[5] < tasks[6] && 2 * tasks[5] < tasks[7]))
            fail_msg("%s: %" PRId64 " of %" PRId64 " and %" PRId64, rules[k], tasks[5], tasks[6],
                     tasks[7]);
    }
    plan_release(&plan);
    platform_release(&platform);
}

static void files_say_all(void **state)
{
    struct failure failure = FAILURE_INIT, none = FAILURE_INIT;
    struct plan plan = tree_of((struct shape){2, 3, 2, 4, 5}), again, copy, single = {.tasks = 77};
    struct platform platform = hand_platform((struct shape){2, 3, 2, 4, 5});
    (void)state;
    char *text = plan_print(&plan);
    assert_non_null(text);
    if (!plan_parse_any(&again, text, strlen(text), "plan.json", &failure))
        fail_msg("%s", failure.text);
    assert_true(plan_equal(&plan, &again));
    assert_true(plan_copy(&copy, &again));
    assert_true(makespan_of(&platform, &copy) == makespan_of(&platform, &plan));
    copy.children[1].rounds[0].loads[0]++;
    assert_false(plan_equal(&copy, &plan));
    assert_int_equal(again.children[1].master, 5);
    assert_false(plan_parse(&single, text, strlen(text), "plan.json", &none));
    assert_failure(none, FAILURE_MISMATCH,
                   "plan.json: is a tree of 2 groups with masters of their own, which is for 'scow "
                   "run', 'scow show' and 'scow simulate' only: plan with --masters 1");
    free(text);
    plan_release(&copy);
    plan_release(&again);
    plan_release(&plan);
    platform_release(&platform);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_those_by_hand),
        cmocka_unit_test(equal_rounds_take_what_was_found),
        cmocka_unit_test(a_group_assigns_like_a_master),
        cmocka_unit_test(trees_nest),
        cmocka_unit_test(groups_decide_about_their_parts),
        cmocka_unit_test(files_say_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
