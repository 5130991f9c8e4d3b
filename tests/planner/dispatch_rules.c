/* Request-driven rules: published sequences, every task exactly once, and recovery from losses. */
#include <inttypes.h>
#include <math.h>

#include "planner/dispatch/dispatch.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

/* Package sizes that may be sent. */
struct limits {
    int64_t least, most;
};

static struct dispatch *rule_within(const char *rule, int64_t tasks, int64_t workers, int ahead,
                                    const double *weights, struct limits limits)
{
    const struct dispatch_setup setup = {.rule = rule,
                                         .tasks = tasks,
                                         .workers = workers,
                                         .ahead = ahead,
                                         .weights = weights,
                                         .overhead_s = 0.5,
                                         .deviation_s = 0.1,
                                         .least = limits.least,
                                         .most = limits.most};
    struct failure failure = FAILURE_INIT;
    struct dispatch *dispatch = dispatch_new_rule(&setup, &failure);
    if (!dispatch)
        fail_msg("%s", failure.text);
    return dispatch;
}

static struct dispatch *rule_new(const char *rule, int64_t tasks, int64_t workers, int ahead,
                                 const double *weights)
{
    return rule_within(rule, tasks, workers, ahead, weights, (struct limits){1, tasks});
}

/* Workers take turns and report at once: the sizes must be these, and no more where that is all. */
static void assert_sizes_within(const char *rule, int64_t tasks, int64_t workers,
                                const double *weights, struct limits limits, const int64_t *sizes,
                                size_t count, bool all)
{
    struct dispatch *dispatch = rule_within(rule, tasks, workers, 1, weights, limits);
    struct package package;
    double now_s = 0;
    for (size_t k = 0; k < count; k++) {
        assert_int_equal(dispatch_next(dispatch, now_s, &package), DISPATCH_SEND);
        if (package.count != sizes[k])
            fail_msg("%s: package %zu has %" PRId64 " tasks, not %" PRId64, rule, k, package.count,
                     sizes[k]);
        dispatch_done(dispatch, &package, now_s, now_s + (double)package.count);
        now_s += 1000;
    }
    if (all && dispatch_next(dispatch, now_s, &package) != DISPATCH_FINISHED)
        fail_msg("%s: one more package, of %" PRId64 " tasks", rule, package.count);
    dispatch_free(&dispatch);
}

static void assert_sizes(const char *rule, int64_t tasks, int64_t workers, const double *weights,
                         const int64_t *sizes, size_t count, bool all)
{
    assert_sizes_within(rule, tasks, workers, weights, (struct limits){1, tasks}, sizes, count,
                        all);
}

#define ASSERT_SIZES(rule, tasks, workers, weights, ...)                                           \
    assert_sizes(rule, tasks, workers, weights, (const int64_t[]){__VA_ARGS__},                    \
                 sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), true)
#define ASSERT_SIZES_WITHIN(rule, tasks, workers, weights, limits, ...)                            \
    assert_sizes_within(rule, tasks, workers, weights, limits, (const int64_t[]){__VA_ARGS__},     \
                        sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), true)
/* Only the first of them. */
#define ASSERT_BEGINS(rule, tasks, workers, weights, ...)                                          \
    assert_sizes(rule, tasks, workers, weights, (const int64_t[]){__VA_ARGS__},                    \
                 sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), false)

/* 100 tasks and 4 workers are the example of the surveys. */
static void sequences_as_published(void **state)
{
    static const double weights[] = {1, 3};
    (void)state;
    ASSERT_SIZES("ss", 5, 2, NULL, 1, 1, 1, 1, 1);
    ASSERT_SIZES("gss", 100, 4, NULL, 25, 19, 14, 11, 8, 6, 5, 3, 3, 2, 1, 1, 1, 1);
    ASSERT_SIZES("fac", 100, 4, NULL, 13, 13, 13, 13, 6, 6, 6, 6, 3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1,
                 1);
    ASSERT_SIZES("fac,part=4", 100, 4, NULL, 7, 7, 7, 7, 5, 5, 5, 5, 4, 4, 4, 4, 3, 3, 3, 3, 2, 2,
                 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
    /* F = 12.5, 15 steps of 11.5 / 14, which has no whole part to go by. */
    ASSERT_SIZES("tss", 100, 4, NULL, 12, 11, 10, 10, 9, 8, 7, 6, 5, 5, 4, 3, 2, 1, 1, 1, 1, 1, 1,
                 1, 1);
    /* 1,000 tasks: closed forms (closed_rules.c) have one core task more here and there. */
    ASSERT_SIZES("gss", 1000, 4, NULL, 250, 188, 141, 106, 79, 59, 45, 33, 25, 19, 14, 11, 8, 6, 4,
                 3, 3, 2, 1, 1, 1, 1);
    ASSERT_BEGINS("fac", 1000, 4, NULL, 125, 125, 125, 125, 63, 63, 63, 63, 31, 31, 31, 31);
    /* C_0 = 4, bump 2 * 100 / 3 / 48 = 2 rounded up. */
    ASSERT_SIZES("fiss", 100, 4, NULL, 4, 4, 4, 4, 6, 6, 6, 6, 8, 8, 8, 8, 10, 10, 8);
    /* (sqrt(2) * 100 * 0.5 / (0.1 * 4 * sqrt(ln 4)))^(2/3) = 28.3 is above the equal split. */
    ASSERT_SIZES("fsc", 100, 4, NULL, 25, 25, 25, 25);
    /* Weights 0.5 and 1.5 of batches of 25, 13, 6, ... */
    ASSERT_SIZES("wf", 100, 2, weights, 13, 38, 7, 20, 3, 9, 2, 5, 1, 2);
    /* Powers 1 and 3: F = 32 / 8 = 4, 13 steps of 3 / 12; the second is first, and gets 3 (4 - 1 /
     * 4).
     */
    ASSERT_SIZES("dtss", 32, 2, weights, 11, 3, 8, 2, 5, 1, 2);
}

/* Core tasks that a rule hands out to workers in turn, by these weights. */
static void assert_weighed(const char *rule, const double *weights, int64_t tasks,
                           struct limits limits, const int64_t *sizes, size_t count)
{
    struct work work;
    assert_true(work_weigh(&work, weights, tasks));
    const struct dispatch_setup setup = {.rule = rule,
                                         .tasks = tasks,
                                         .workers = 2,
                                         .ahead = 1,
                                         .least = limits.least,
                                         .most = limits.most,
                                         .work = &work};
    struct failure failure = FAILURE_INIT;
    struct dispatch *dispatch = dispatch_new_rule(&setup, &failure);
    struct package package;
    assert_non_null(dispatch);
    for (size_t k = 0; k < count; k++) {
        assert_int_equal(dispatch_next(dispatch, (double)k, &package), DISPATCH_SEND);
        if (package.count != sizes[k])
            fail_msg("%s: package %zu has %" PRId64 " tasks, not %" PRId64, rule, k, package.count,
                     sizes[k]);
        dispatch_done(dispatch, &package, (double)k, (double)k + 1);
    }
    assert_int_equal(dispatch_next(dispatch, 99, &package), DISPATCH_FINISHED);
    dispatch_free(&dispatch);
    work_release(&work);
}

#define ASSERT_WEIGHED(rule, weights, limits, ...)                                                 \
    assert_weighed(rule, weights, sizeof(weights) / sizeof *(weights), limits,                     \
                   (const int64_t[]){__VA_ARGS__},                                                 \
                   sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* What remains counts by its worth: 8 units, the first 4 of which are five core tasks. */
static void rules_count_in_work(void **state)
{
    static const double weights[] = {1, 1, 1, 1, 4, 4, 2, 2};
    static const double light[] = {0, 0, 0, 0, 0, 0, 3, 1};
    static const struct limits any = {1, 8}, few = {1, 2};
    (void)state;
    ASSERT_WEIGHED("gss", weights, any, 5, 1, 1, 1);
    ASSERT_WEIGHED("fac", weights, any, 4, 1, 1, 1, 1);
    ASSERT_WEIGHED("ss", weights, any, 1, 1, 1, 1, 1, 1, 1, 1);
    /* Limits are those of packages as they are sent. */
    ASSERT_WEIGHED("gss", weights, few, 2, 2, 1, 1, 1, 1);
    /* What is worth nothing goes along. */
    ASSERT_WEIGHED("gss", light, any, 7, 1);
}

/* Whatever the weights, within the limits, with a plan before it or not. */
static void every_weighed_task_once(void **state)
{
    (void)state;
    enum { TASKS = 300, WORKERS = 3, HEAD = 60 };
    int64_t workers[WORKERS] = {0, 1, 2};
    double loads[WORKERS] = {10, 30, 20};
    struct plan_round round = {1, loads};
    const struct plan head = {.tasks = HEAD,
                              .workers = workers,
                              .worker_count = WORKERS,
                              .rounds = &round,
                              .round_count = 1};
    for (uint64_t seed = 1; seed <= 200; seed++)
        for (size_t rule = 0; rule < dispatch_rule_count(); rule++) {
            struct dice dice = {seed};
            struct work work;
            struct failure failure = FAILURE_INIT;
            double weights[TASKS], ends[WORKERS] = {0};
            const bool tail = dice_whole(&dice, 0, 1);
            for (int64_t k = 0; k < TASKS; k++)
                weights[k] = dice_whole(&dice, 0, 3) ? dice_scale(&dice, 0.001, 100) : k == 0;
            assert_true(work_weigh(&work, weights, TASKS));
            const struct dispatch_setup setup = {.rule = dispatch_rule_name(rule).name,
                                                 .tasks = tail ? TASKS - HEAD : TASKS,
                                                 .workers = WORKERS,
                                                 .ahead = (int)dice_whole(&dice, 1, 2),
                                                 .overhead_s = 0.5,
                                                 .deviation_s = 0.1,
                                                 .least = 1,
                                                 .most = dice_whole(&dice, 1, 100),
                                                 .work = &work};
            struct dispatch *dispatch =
                tail ? dispatch_new_tail(dispatch_new_plan(&head), &setup, &failure)
                     : dispatch_new_rule(&setup, &failure);
            struct package package, out[64];
            int64_t at = 0, waiting = 0;
            assert_non_null(dispatch);
            for (;;) {
                const enum dispatch_answer answer = dispatch_next(dispatch, 0, &package);
                if (answer == DISPATCH_SEND) {
                    assert_int_equal(package.first, at);
                    if (!tail || at >= HEAD)
                        assert_in_range(package.count, 1, setup.most);
                    at += package.count;
                    out[waiting++] = package;
                } else if (waiting > 0) {
                    package = out[--waiting];
                    const double begin_s = ends[package.worker];
                    ends[package.worker] +=
                        work_before(&work, (double)(package.first + package.count)) -
                        work_before(&work, (double)package.first);
                    dispatch_done(dispatch, &package, begin_s, ends[package.worker]);
                } else {
                    assert_int_equal(answer, DISPATCH_FINISHED);
                    break;
                }
            }
            if (at != TASKS)
                fail_msg("seed %" PRIu64 ", %s: %" PRId64 " of %d core tasks", seed, setup.rule, at,
                         TASKS);
            dispatch_free(&dispatch);
            work_release(&work);
        }
}

/* First and last size are cut first, and the steps then go from one to the other. */
static void sequences_within_limits(void **state)
{
    static const struct limits limits = {5, 10};
    static const double weights[] = {1, 3};
    (void)state;
    /* From 10 to 5, 14 steps of 5 / 13. */
    ASSERT_SIZES_WITHIN("tss", 100, 4, NULL, limits, 10, 9, 9, 8, 8, 8, 7, 7, 6, 6, 6, 5, 5, 5, 1);
    ASSERT_SIZES_WITHIN("dtss", 100, 4, NULL, limits, 10, 9, 9, 8, 8, 8, 7, 7, 6, 6, 6, 5, 5, 5, 1);
    ASSERT_SIZES_WITHIN("tss,first=50,last=2", 100, 4, NULL, limits, 10, 9, 9, 8, 8, 8, 7, 7, 6, 6,
                        6, 5, 5, 5, 1);
    ASSERT_SIZES_WITHIN("tss,last=40", 30, 2, NULL, limits, 10, 10, 10);
    /* C_0 = 4 is raised to 5, stages grow by 2 up to 10. */
    ASSERT_SIZES_WITHIN("fiss", 100, 4, NULL, limits, 5, 5, 5, 5, 7, 7, 7, 7, 9, 9, 9, 9, 10, 6);
    ASSERT_SIZES_WITHIN("fiss", 1000, 4, NULL, ((struct limits){5, 400}), 41, 41, 41, 41, 55, 55,
                        55, 55, 69, 69, 69, 69, 83, 83, 83, 83, 8);
    /* Powers 1 and 3: F = 64 / 8 and L = 1, between which a worker has 33.5 / 7 and 70.5 / 7 core
     * tasks in the mean: 18 powers in all, steps of 7 / 17. */
    ASSERT_SIZES_WITHIN("dtss", 64, 2, weights, ((struct limits){3, 12}), 12, 6, 12, 5, 12, 3, 7, 3,
                        3, 1);
}

/* Table 1 of Herrera, Huedo, Montero and Llorente: 50,000 tasks and 5 workers. */
static void sequences_of_table_1(void **state)
{
    (void)state;
    ASSERT_BEGINS("fsc,k=2000", 50000, 5, NULL, 2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000,
                  2000, 2000, 2000);
    ASSERT_SIZES("gss,least=1000", 50000, 5, NULL, 10000, 8000, 6400, 5120, 4096, 3277, 2622, 2097,
                 1678, 1342, 1074, 1000, 1000, 1000, 1000, 294);
    ASSERT_BEGINS("tss,first=5000,last=1000", 50000, 5, NULL, 5000, 4750, 4500, 4250, 4000, 3750,
                  3500, 3250, 3000, 2750, 2500);
    /* C_0 = 50000 / (5 * 5), bump 2 * 50000 * 2 / 5 / 30 rounded up. */
    ASSERT_SIZES("fiss,sigma=3", 50000, 5, NULL, 2000, 2000, 2000, 2000, 2000, 3334, 3334, 3334,
                 3334, 3334, 4668, 4668, 4668, 4668, 4658);
}

/* Figure 3.2 of Rosenvinge: 512 tasks and 4 workers, their task times those of step 1. */
static void sequences_of_figure_3_2(void **state)
{
    static const double speeds[] = {1 / 0.10, 1 / 0.56, 1 / 0.89, 1 / 0.75};
    (void)state;
    ASSERT_SIZES("fsc,k=128", 512, 4, NULL, 128, 128, 128, 128); /* static chunking */
    ASSERT_SIZES("gss,rounding=down", 512, 4, NULL, 128, 96, 72, 54, 40, 30, 23, 17, 13, 9, 7, 5, 4,
                 3, 2, 2, 1, 1, 1, 1, 1, 1, 1);
    ASSERT_SIZES("tss", 512, 4, NULL, 64, 60, 56, 52, 48, 44, 40, 36, 32, 28, 24, 20, 8);
    /* Tzen and Ni's own step is 63 / 15. */
    ASSERT_BEGINS("tss,step=real", 512, 4, NULL, 64, 59, 55, 51, 47, 43);
    ASSERT_SIZES("fac", 512, 4, NULL, 64, 64, 64, 64, 32, 32, 32, 32, 16, 16, 16, 16, 8, 8, 8, 8, 4,
                 4, 4, 4, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1);
    ASSERT_BEGINS("wf", 512, 4, speeds, 180, 32, 20, 24, 90, 16, 10, 12, 45, 8, 5, 6, 22, 4, 3, 3);
}

/* The same figure's Monitor: two tasks each, then every phase when the one before is done, by the
 * task times of its own step (figure 3.1): eta up to 4 give the first five phases. No eta gives the
 * last 16 tasks, 4 1 1 1, 0 2 1 1 and 1 2 1 1, be R/2 real, rounded down or up, and shares rounded
 * by largest remainders, to the nearest, down, up, or with the rest for the first or the last; r
 * and phi cannot matter where y = 0, as the figure says. The sixth is what 7 tasks (of R = 16) give
 * with y_2 = 1, the seventh what 4 give with y_1 = 1, and the last takes all 5 that are left in
 * place of 2. */
static void phases_check(const char *rule)
{
    static const double times_s[][4] = {{0.10, 0.56, 0.89, 0.75},
                                        {0.15, 0.40, 0.90, 0.76},
                                        {1.01, 0.50, 0.89, 0.74},
                                        {0.90, 0.48, 0.24, 0.50},
                                        {0.28, 0.52, 0.67, 0.45}};
    static const int64_t sizes[][4] = {
        {177, 32, 20, 23}, {73, 27, 12, 14}, {11, 23, 13, 16}, {4, 7, 14, 6}, {6, 3, 3, 4}};
    struct dispatch *dispatch = rule_new(rule, 512, 4, 2, NULL);
    struct package package[8];
    for (size_t k = 0; k < 8; k++) {
        assert_int_equal(dispatch_next(dispatch, 0, &package[k]), DISPATCH_SEND);
        assert_int_equal(package[k].count, 1);
    }
    for (size_t k = 0; k < 8; k++)
        dispatch_done(dispatch, &package[k], 0, times_s[0][package[k].worker]);
    for (size_t phase = 0; phase < COUNT_OF(sizes); phase++) {
        for (size_t k = 0; k < 4; k++) {
            assert_int_equal(dispatch_next(dispatch, 0, &package[k]), DISPATCH_SEND);
            assert_int_equal(package[k].worker, k);
            assert_int_equal(package[k].count, sizes[phase][k]);
        }
        for (size_t k = 0; k < 4 && phase + 1 < COUNT_OF(times_s); k++)
            dispatch_done(dispatch, &package[k], 0,
                          (double)package[k].count * times_s[phase + 1][k]);
    }
    dispatch_free(&dispatch);
}

static void phases_of_figure_3_2(void **state)
{
    (void)state;
    phases_check("monitor,eta=1");
    phases_check("monitor,eta=4");
}

/* Reports every r tasks; a package only for who has fewer than phi. */
static void monitor_keeps_to_its_limits(void **state)
{
    enum { R = 4, PHI = 3, WORKERS = 3 };
    struct dispatch *dispatch = rule_new("monitor,eta=5,r=4,phi=3", 1000, WORKERS, 4, NULL);
    struct package out[WORKERS * 4], package;
    int64_t queued[WORKERS] = {0}, tasks = 0, largest = 0;
    size_t count = 0;
    enum dispatch_answer answer;
    (void)state;
    while ((answer = dispatch_next(dispatch, (double)tasks, &package)) != DISPATCH_FINISHED) {
        if (answer == DISPATCH_SEND) {
            assert_true(queued[package.worker] < PHI && package.count <= R);
            queued[package.worker] += package.count;
            largest = package.count > largest ? package.count : largest;
            tasks += package.count;
            out[count++] = package;
            continue;
        }
        assert_true(count > 0);
        package = out[0];
        memmove(out, out + 1, --count * sizeof *out);
        queued[package.worker] -= package.count;
        dispatch_done(dispatch, &package, 0, (double)(package.count * (1 + package.worker)));
    }
    assert_int_equal(tasks, 1000);
    assert_int_equal(largest, R);
    dispatch_free(&dispatch);
}

/* Every task once, in order, whatever the times; nobody waits for ever. */
static void rule_is_simulated(const char *rule, uint64_t seed)
{
    enum { AHEAD_MOST = 3, WORKERS_MOST = 12 };
    struct dice dice = {seed};
    double weights[WORKERS_MOST], free_s[WORKERS_MOST] = {0}, now_s = 0;
    struct package out[WORKERS_MOST * AHEAD_MOST], package;
    int64_t workers = dice_whole(&dice, 1, WORKERS_MOST), next = 0;
    int64_t tasks = (int64_t)dice_scale(&dice, 1, 3000);
    int ahead = (int)dice_whole(&dice, 1, AHEAD_MOST);
    size_t out_count = 0, longest = 0;
    for (int64_t k = 0; k < workers; k++)
        weights[k] = dice_scale(&dice, 0.1, 10);
    struct dispatch *dispatch = rule_new(rule, tasks, workers, ahead, weights);
    enum dispatch_answer answer;
    while ((answer = dispatch_next(dispatch, now_s, &package)) != DISPATCH_FINISHED) {
        if (answer == DISPATCH_SEND) {
            if (package.first != next || package.count < 1)
                fail_msg("%s, seed %" PRIu64 ": task %" PRId64, rule, seed, next);
            next += package.count;
            assert_true(out_count < (size_t)(workers * ahead));
            out[out_count++] = package;
            longest = out_count > longest ? out_count : longest;
            continue;
        }
        if (out_count == 0)
            fail_msg("%s, seed %" PRIu64 ": waits for nobody", rule, seed);
        package = out[0]; /* the oldest reports */
        memmove(out, out + 1, --out_count * sizeof *out);
        double start_s = fmax(now_s, free_s[package.worker]);
        now_s =
            start_s + (double)package.count * dice_scale(&dice, 0.1, 1) / weights[package.worker];
        free_s[package.worker] = now_s;
        dispatch_done(dispatch, &package, start_s, now_s);
    }
    assert_int_equal(next, tasks);
    assert_true(longest >= 1);
    dispatch_free(&dispatch);
}

static void every_task_once(void **state)
{
    static const char *const chosen[] = {"fsc,k=3",
                                         "gss,least=7,rounding=down",
                                         "tss,first=9,last=4,step=real",
                                         "tss,last=50",
                                         "fiss,sigma=1",
                                         "fac,part=1",
                                         "fac,part=5",
                                         "monitor,eta=1,r=3,phi=2",
                                         "monitor,r=1",
                                         "monitor,eta=auto,r=auto"};
    (void)state;
    for (size_t rule = 0; rule < dispatch_rule_count(); rule++)
        for (uint64_t seed = 1; seed <= 100; seed++)
            rule_is_simulated(dispatch_rule_name(rule).name, seed);
    for (size_t k = 0; k < COUNT_OF(chosen); k++)
        for (uint64_t seed = 1; seed <= 100; seed++)
            rule_is_simulated(chosen[k], seed);
}

/* The slower worker is measured to be slower and gets less. */
static void measured_rules_learn(void **state)
{
    static const char *const learning[] = {"awf-b", "awf-c", "awf-d", "awf-e", "af", "monitor"};
    (void)state;
    for (size_t k = 0; k < COUNT_OF(learning); k++) {
        struct dispatch *dispatch = rule_new(learning[k], 10000, 2, 1, NULL);
        struct package out[2] = {{0}}, package = {0};
        double ends_s[2] = {0, 0}, now_s = 0;
        int64_t tasks[2] = {0, 0};
        bool busy[2] = {false, false};
        while (dispatch_next(dispatch, now_s, &package) != DISPATCH_FINISHED || busy[0] ||
               busy[1]) {
            if (package.count > 0) {
                int64_t w = package.worker;
                out[w] = package;
                busy[w] = true;
                ends_s[w] = now_s + (double)package.count * (w == 0 ? 1 : 4);
                tasks[w] += package.count;
                package.count = 0;
                continue;
            }
            int64_t w = busy[0] && (!busy[1] || ends_s[0] <= ends_s[1]) ? 0 : 1;
            double start_s = ends_s[w] - (double)out[w].count * (w == 0 ? 1 : 4);
            now_s = ends_s[w];
            busy[w] = false;
            dispatch_done(dispatch, &out[w], start_s, now_s);
            package.count = 0;
        }
        assert_int_equal(tasks[0] + tasks[1], 10000);
        if (!(tasks[0] >= 3 * tasks[1] && fabs(ends_s[0] - ends_s[1]) <= 2500))
            fail_msg("%s: %" PRId64 " and %" PRId64 " tasks, ends %g and %g", learning[k], tasks[0],
                     tasks[1], ends_s[0], ends_s[1]);
        dispatch_free(&dispatch);
    }
}

enum { COURSE_WORKERS = 5, COURSE_AHEAD = 2, COURSE_TASKS = 2000 };

/* A run's workers, each with its own speed, and what they have. */
struct simulated {
    struct dispatch *dispatch;
    double per_task_s[COURSE_WORKERS], free_s[COURSE_WORKERS], now_s;
    struct package out[COURSE_WORKERS * COURSE_AHEAD];
    double starts_s[COURSE_WORKERS * COURSE_AHEAD], ends_s[COURSE_WORKERS * COURSE_AHEAD];
    size_t count;
};

static void simulated_take(struct simulated *simulated, const struct package *package)
{
    const int64_t worker = package->worker;
    const size_t at = simulated->count++;
    simulated->out[at] = *package;
    simulated->starts_s[at] = fmax(simulated->now_s, simulated->free_s[worker]);
    simulated->ends_s[at] =
        simulated->starts_s[at] + (double)package->count * simulated->per_task_s[worker];
    simulated->free_s[worker] = simulated->ends_s[at];
}

/* Reports the worker that ends first. */
static void simulated_report(struct simulated *simulated)
{
    size_t first = 0;
    for (size_t k = 1; k < simulated->count; k++)
        first = simulated->ends_s[k] < simulated->ends_s[first] ? k : first;
    const size_t last = --simulated->count;
    simulated->now_s = fmax(simulated->now_s, simulated->ends_s[first]);
    dispatch_done(simulated->dispatch, &simulated->out[first], simulated->starts_s[first],
                  simulated->ends_s[first]);
    simulated->out[first] = simulated->out[last];
    simulated->starts_s[first] = simulated->starts_s[last];
    simulated->ends_s[first] = simulated->ends_s[last];
}

/* All packages, as one number; the master that waits asks `polls` times more for every answer. */
static double progress_curve_of(const char *rule, uint64_t seed, int polls)
{
    struct dice dice = {seed};
    struct simulated simulated = {.now_s = 0};
    struct package package;
    enum dispatch_answer answer;
    double sum = 0;
    simulated.dispatch = rule_new(rule, COURSE_TASKS, COURSE_WORKERS, COURSE_AHEAD, NULL);
    for (size_t k = 0; k < COURSE_WORKERS; k++)
        simulated.per_task_s[k] = dice_scale(&dice, 0.1, 1);
    while ((answer = dispatch_next(simulated.dispatch, simulated.now_s, &package)) !=
           DISPATCH_FINISHED) {
        if (answer == DISPATCH_SEND) {
            sum = 1.001 * sum + (double)(package.count * (package.worker + 1));
            simulated_take(&simulated, &package);
            continue;
        }
        for (int k = 0; k < polls; k++)
            assert_int_equal(dispatch_next(simulated.dispatch, simulated.now_s, &package),
                             DISPATCH_WAIT);
        simulated_report(&simulated);
    }
    dispatch_free(&simulated.dispatch);
    return sum;
}

/* A simulation asks when something has happened, a run as often as its master wakes. */
static void asking_again_changes_nothing(void **state)
{
    (void)state;
    for (size_t rule = 0; rule < dispatch_rule_count(); rule++)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            const char *name = dispatch_rule_name(rule).name;
            const double once = progress_curve_of(name, seed, 0),
                         often = progress_curve_of(name, seed, 7);
            if (once != often)
                fail_msg("%s, seed %" PRIu64 ": other packages when asked more often", name, seed);
        }
}

static void unknown_rules_are_refused(void **state)
{
    struct dispatch_setup setup = {
        .rule = "gsss", .tasks = 1, .workers = 1, .ahead = 1, .least = 1, .most = 1};
    struct failure near = FAILURE_INIT, far = FAILURE_INIT;
    (void)state;
    assert_null(dispatch_new_rule(&setup, &near));
    assert_failure(near, FAILURE_USAGE, "unknown rule 'gsss': did you mean 'gss'?");
    setup.rule = "nonsense";
    assert_null(dispatch_new_rule(&setup, &far));
    assert_failure(far, FAILURE_USAGE, "unknown rule 'nonsense': see 'scow simulate --help'");
}

static void options_are_read(void **state)
{
    static const struct {
        const char *text, *why;
    } wrong[] = {
        {"ss,k=3", "rule 'ss' has no options, not 'k' either: leave it out"},
        {"gss,lest=3", "rule 'gss' has no option 'lest': did you mean 'least'?"},
        {"gss,k=3", "rule 'gss' has no option 'k': 'scow simulate --help' lists them"},
        {"gss,least", "rule 'gss': give its options as NAME=VALUE,NAME=VALUE, not 'least'"},
        {"gss,", NULL},
        {"gss,least=0", "gss: least needs a whole number from 1 to 9007199254740992, not '0'"},
        {"monitor,eta=1e3", "monitor: eta needs a whole number from 1 to 10000, not '1e3'"},
        {"gss,rounding=off", "gss: rounding is up or down, not 'off'"},
        {"gss,least=1,least=2", "gss: least is given twice: choose one"},
        {"tss,first=3,last=4", "tss: first must not be less than last"},
        {"tsss,first=3", "unknown rule 'tsss': did you mean 'tss'?"}};
    (void)state;
    for (size_t k = 0; k < COUNT_OF(wrong); k++) {
        struct failure failure = FAILURE_INIT;
        assert_int_equal(dispatch_rule_check(wrong[k].text, &failure), wrong[k].why == NULL);
        if (wrong[k].why)
            assert_failure(failure, FAILURE_USAGE, wrong[k].why);
    }
}

/* Random reports and losses: what the living have reported is every task exactly once. */
static void losses_are_made_good(struct dispatch *inner, int64_t tasks, int64_t workers,
                                 struct dice *dice, uint64_t seed)
{
    struct dispatch *dispatch = dispatch_new_recovery(inner, workers);
    struct package out[256], package;
    size_t out_count = 0;
    int64_t living = workers;
    unsigned char *done = calloc((size_t)tasks, 1);
    bool *lost = calloc((size_t)workers, sizeof *lost);
    enum dispatch_answer answer;
    assert_true(dispatch && done && lost);
    while ((answer = dispatch_next(dispatch, 0, &package)) != DISPATCH_FINISHED) {
        if (answer == DISPATCH_SEND && out_count < COUNT_OF(out)) {
            assert_false(lost[package.worker]);
            out[out_count++] = package;
            continue;
        }
        assert_true(answer == DISPATCH_WAIT || answer == DISPATCH_HANDED_OUT);
        assert_true(out_count > 0);
        int64_t victim = dice_whole(dice, 0, workers - 1);
        if (dice_whole(dice, 0, 9) == 0 && !lost[victim] && living > 1) {
            size_t kept = 0;
            lost[victim] = true;
            living--;
            dispatch_lost(dispatch, victim);
            for (size_t k = 0; k < out_count; k++)
                if (out[k].worker != victim)
                    out[kept++] = out[k];
            out_count = kept;
            continue;
        }
        size_t at = (size_t)dice_whole(dice, 0, (int64_t)out_count - 1);
        package = out[at];
        out[at] = out[--out_count];
        for (int64_t k = 0; k < package.count; k++)
            done[package.first + k]++;
        dispatch_done(dispatch, &package, 0, 1);
    }
    for (int64_t k = 0; k < tasks; k++)
        if (done[k] != 1)
            fail_msg("seed %" PRIu64 ": task %" PRId64 " done %d times", seed, k, done[k]);
    free(done);
    free(lost);
    dispatch_free(&dispatch);
}

static void losses_of_plans_and_rules(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct dice dice = {seed};
        struct plan plan;
        int64_t workers = dice_whole(&dice, 1, 10);
        const char *rule = dispatch_rule_name(seed % dispatch_rule_count()).name;
        losses_are_made_good(rule_new(rule, 500, workers, 2, NULL), 500, workers, &dice, seed);
        sample_plan(&dice, workers, false, &plan);
        losses_are_made_good(dispatch_new_plan(&plan), (int64_t)plan.tasks,
                             workers + dice_whole(&dice, 0, 3), &dice, seed);
        plan_release(&plan);
    }
}

/* What is left of a job, in ranges whose ends lie within packages. */
static void losses_in_what_is_left(void **state)
{
    enum { LEFT = 300, RANGES = 60 };
    struct task_range ranges[RANGES];
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct dice dice = {seed};
        const int64_t workers = dice_whole(&dice, 1, 8);
        const char *rule = dispatch_rule_name(seed % dispatch_rule_count()).name;
        int64_t at = 0;
        for (int k = 0; k < RANGES; k++, at += LEFT / RANGES)
            ranges[k] = (struct task_range){at, LEFT / RANGES};
        struct dispatch *remaining =
            dispatch_new_ranges(rule_new(rule, LEFT, workers, 2, NULL), ranges, RANGES, workers);
        losses_are_made_good(remaining, LEFT, workers, &dice, seed);
    }
}

/* A worker that the plan does not use takes the place of one that is lost. */
static void a_spare_worker_takes_over(void **state)
{
    double loads[1] = {10};
    int64_t only[1] = {0};
    struct plan_round round = {1, loads};
    const struct plan plan = {
        .tasks = 10, .workers = only, .worker_count = 1, .rounds = &round, .round_count = 1};
    struct dispatch *dispatch = dispatch_new_recovery(dispatch_new_plan(&plan), 2);
    struct package package;
    (void)state;
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_SEND);
    assert_int_equal(package.worker, 0);
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_HANDED_OUT);
    dispatch_lost(dispatch, 0);
    int64_t again = 0;
    while (dispatch_next(dispatch, 0, &package) == DISPATCH_SEND) {
        assert_int_equal(package.worker, 1);
        assert_int_equal(package.first, again);
        again += package.count;
        dispatch_done(dispatch, &package, 0, 1);
    }
    assert_int_equal(again, 10);
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_FINISHED);
    dispatch_free(&dispatch);
}

/* A plan goes on handing out to workers that are lost, and every package crosses several ranges. */
static void losses_in_what_is_left_of_a_plan(void **state)
{
    enum { LEFT = 1500, RANGES = 500, PACKAGES = 150 };
    struct task_range ranges[RANGES];
    struct package packages[PACKAGES];
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct dice dice = {seed};
        const int64_t workers = dice_whole(&dice, 1, 8);
        for (int64_t k = 0; k < RANGES; k++)
            ranges[k] = (struct task_range){k * (LEFT / RANGES), LEFT / RANGES};
        for (int64_t k = 0; k < PACKAGES; k++)
            packages[k] = (struct package){
                .worker = k % workers, .first = k * (LEFT / PACKAGES), .count = LEFT / PACKAGES};
        struct dispatch *listed = dispatch_new_list(packages, PACKAGES, workers, PACKAGES);
        losses_are_made_good(dispatch_new_ranges(listed, ranges, RANGES, workers), LEFT, workers,
                             &dice, seed);
    }
}

/* A dispatch that only makes up for losses does not decide by reports. */
static void listening_is_the_inner_ones(void **state)
{
    const struct plan plan = {.tasks = 0};
    const struct task_range range = {0, 1};
    (void)state;
    struct dispatch *dispatch =
        dispatch_new_recovery(dispatch_new_ranges(dispatch_new_plan(&plan), &range, 1, 1), 1);
    assert_false(dispatch_listens(dispatch));
    dispatch_free(&dispatch);
    dispatch = dispatch_new_recovery(rule_new("ss", 1, 1, 1, NULL), 1);
    assert_true(dispatch_listens(dispatch));
    dispatch_free(&dispatch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_as_published),
        cmocka_unit_test(rules_count_in_work),
        cmocka_unit_test(every_weighed_task_once),
        cmocka_unit_test(sequences_within_limits),
        cmocka_unit_test(sequences_of_table_1),
        cmocka_unit_test(sequences_of_figure_3_2),
        cmocka_unit_test(phases_of_figure_3_2),
        cmocka_unit_test(monitor_keeps_to_its_limits),
        cmocka_unit_test(every_task_once),
        cmocka_unit_test(measured_rules_learn),
        cmocka_unit_test(asking_again_changes_nothing),
        cmocka_unit_test(unknown_rules_are_refused),
        cmocka_unit_test(options_are_read),
        cmocka_unit_test(losses_of_plans_and_rules),
        cmocka_unit_test(losses_in_what_is_left),
        cmocka_unit_test(losses_in_what_is_left_of_a_plan),
        cmocka_unit_test(a_spare_worker_takes_over),
        cmocka_unit_test(listening_is_the_inner_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
