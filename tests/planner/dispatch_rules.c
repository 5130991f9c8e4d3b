/* Request-driven rules: published sequences, every task exactly once, and recovery from losses. */
#include <inttypes.h>
#include <math.h>

#include "planner/dispatch/dispatch.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

static struct dispatch *rule_new(const char *rule, int64_t tasks, int64_t workers, int ahead,
                                 const double *weights)
{
    const struct dispatch_setup setup = {.rule = rule,
                                         .tasks = tasks,
                                         .workers = workers,
                                         .ahead = ahead,
                                         .weights = weights,
                                         .overhead_s = 0.5,
                                         .deviation_s = 0.1,
                                         .least = 1,
                                         .most = tasks};
    struct failure failure = FAILURE_INIT;
    struct dispatch *dispatch = dispatch_new_rule(&setup, &failure);
    if (!dispatch)
        fail_msg("%s", failure.text);
    return dispatch;
}

/* Workers take turns and report at once: the sizes must be these. */
static void assert_sizes(const char *rule, int64_t tasks, int64_t workers, const double *weights,
                         const int64_t *sizes, size_t count)
{
    struct dispatch *dispatch = rule_new(rule, tasks, workers, 1, weights);
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
    if (dispatch_next(dispatch, now_s, &package) != DISPATCH_FINISHED)
        fail_msg("%s: one more package, of %" PRId64 " tasks", rule, package.count);
    dispatch_free(&dispatch);
}

#define ASSERT_SIZES(rule, tasks, workers, weights, ...)                                           \
    assert_sizes(rule, tasks, workers, weights, (const int64_t[]){__VA_ARGS__},                    \
                 sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* 100 tasks and 4 workers are the example of the surveys. */
static void sequences_as_published(void **state)
{
    static const double weights[] = {1, 3};
    (void)state;
    ASSERT_SIZES("ss", 5, 2, NULL, 1, 1, 1, 1, 1);
    ASSERT_SIZES("gss", 100, 4, NULL, 25, 19, 14, 11, 8, 6, 5, 3, 3, 2, 1, 1, 1, 1);
    ASSERT_SIZES("fac", 100, 4, NULL, 13, 13, 13, 13, 6, 6, 6, 6, 3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1,
                 1);
    /* F = 12.5, 15 steps of 11.5 / 14. */
    ASSERT_SIZES("tss", 100, 4, NULL, 12, 11, 10, 10, 9, 8, 7, 6, 5, 5, 4, 3, 2, 1, 1, 1, 1, 1, 1,
                 1, 1);
    /* C_0 = 4, bump 2 * 100 / 3 / 48 = 2 rounded up. */
    ASSERT_SIZES("fiss", 100, 4, NULL, 4, 4, 4, 4, 6, 6, 6, 6, 8, 8, 8, 8, 10, 10, 8);
    /* (sqrt(2) * 100 * 0.5 / (0.1 * 4 * sqrt(ln 4)))^(2/3) = 28.3 is above the equal split. */
    ASSERT_SIZES("fsc", 100, 4, NULL, 25, 25, 25, 25);
    /* Weights 0.5 and 1.5 of batches of 25, 13, 6, ... */
    ASSERT_SIZES("wf", 100, 2, weights, 13, 38, 7, 20, 3, 9, 2, 5, 1, 2);
    /* Powers 1 and 3: F = 32 / 8 = 4, 13 steps of 3 / 12; the second gets 3 (4 - (1 + 1) / 4). */
    ASSERT_SIZES("dtss", 32, 2, weights, 4, 10, 3, 7, 2, 4, 1, 1);
}

/* Every task once, in order, whatever the times; nobody waits for ever. */
static void rule_is_played(const char *rule, uint64_t seed)
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
    (void)state;
    for (size_t rule = 0; rule < dispatch_rule_count(); rule++)
        for (uint64_t seed = 1; seed <= 100; seed++)
            rule_is_played(dispatch_rule_name(rule).name, seed);
}

/* The slower worker is measured to be slower and gets less. */
static void measured_rules_learn(void **state)
{
    static const char *const learning[] = {"awf-b", "awf-c", "awf-d", "awf-e", "af", "monitor"};
    (void)state;
    for (size_t k = 0; k < COUNT_OF(learning); k++) {
        struct dispatch *dispatch = rule_new(learning[k], 10000, 2, 1, NULL);
        struct package out[2], package;
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

static void unknown_rules_are_refused(void **state)
{
    struct dispatch_setup setup = {"gsss", 1, 1, 1, NULL, 0, 0, 1, 1};
    struct failure near = FAILURE_INIT, far = FAILURE_INIT;
    (void)state;
    assert_null(dispatch_new_rule(&setup, &near));
    assert_failure(near, FAILURE_USAGE, "unknown rule 'gsss': did you mean 'gss'?");
    setup.rule = "nonsense";
    assert_null(dispatch_new_rule(&setup, &far));
    assert_failure(far, FAILURE_USAGE, "unknown rule 'nonsense': see 'scow simulate --help'");
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
        assert_int_equal(answer, DISPATCH_WAIT);
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
        losses_are_made_good(dispatch_new_plan(&plan), (int64_t)plan.tasks, workers, &dice, seed);
        plan_release(&plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_as_published),    cmocka_unit_test(every_task_once),
        cmocka_unit_test(measured_rules_learn),      cmocka_unit_test(unknown_rules_are_refused),
        cmocka_unit_test(losses_of_plans_and_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
