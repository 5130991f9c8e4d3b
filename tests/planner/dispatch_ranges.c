/* What is left of a job as a dispatch: each task of the ranges once, none between them, and the
 * inner dispatch hears of its own packages. */
#include "planner/dispatch/dispatch.h"
#include "tests/checks.h"

enum { TASKS = 400, WORKERS = 3, RANGES_MOST = 60 };

static uint64_t seed_state;

static int64_t draw(int64_t below)
{
    seed_state = seed_state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((seed_state >> 33) % (uint64_t)below);
}

/* Random ranges with gaps between them, or none. Their tasks are marked 1. */
static int64_t ranges_draw(struct task_range *ranges, char *wanted, int64_t *tasks)
{
    int64_t count = 0;
    *tasks = 0;
    for (int64_t at = draw(9); at < TASKS && count < RANGES_MOST;) {
        const int64_t room = TASKS - at, size = 1 + draw(1 + draw(30));
        ranges[count] = (struct task_range){at, size < room ? size : room};
        for (int64_t k = 0; k < ranges[count].count; k++)
            wanted[at + k] = 1;
        *tasks += ranges[count].count;
        at += ranges[count++].count + draw(12);
    }
    return count;
}

static struct dispatch *inner_make(int64_t tasks, int kind)
{
    static const char *const rules[] = {"ss", "gss", "fac"};
    struct failure failure = FAILURE_INIT;
    const struct dispatch_setup setup = {.rule = rules[kind],
                                         .tasks = tasks,
                                         .workers = WORKERS,
                                         .ahead = 2,
                                         .least = 1,
                                         .most = tasks};
    struct dispatch *inner = dispatch_new_rule(&setup, &failure);
    assert_string_equal(failure.text, "");
    return inner;
}

/* Marks what is handed out; reports come back in any order. */
static void deal(struct dispatch *dispatch, char *handed)
{
    struct package out[TASKS], package;
    int64_t count = 0, index = 0;
    for (;;) {
        const enum dispatch_answer answer = dispatch_next(dispatch, 0, &package);
        if (answer == DISPATCH_FINISHED)
            break;
        if (answer == DISPATCH_SEND) {
            assert_true(package.index == index++ && package.count >= 1);
            for (int64_t k = 0; k < package.count; k++)
                handed[package.first + k]++;
            out[count++] = package;
        }
        if (answer == DISPATCH_WAIT || draw(2) == 0) {
            assert_true(count > 0); /* it waits for nobody in vain */
            const int64_t which = draw(count);
            dispatch_done(dispatch, &out[which], 0, 1);
            out[which] = out[--count];
        }
    }
}

static void test_each_task_once(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct task_range ranges[RANGES_MOST];
        char wanted[TASKS] = {0}, handed[TASKS] = {0};
        int64_t tasks;
        seed_state = seed;
        const int64_t count = ranges_draw(ranges, wanted, &tasks);
        struct dispatch *dispatch =
            dispatch_new_ranges(inner_make(tasks, (int)(seed % 3)), ranges, count);
        assert_non_null(dispatch);
        deal(dispatch, handed);
        dispatch_free(&dispatch);
        if (memcmp(wanted, handed, sizeof wanted) != 0)
            fail_msg("seed %llu: not each task once", (unsigned long long)seed);
    }
}

static void test_one_package_over_all(void **state)
{
    (void)state;
    const struct package whole = {.worker = 1, .first = 0, .count = 6};
    const struct task_range ranges[] = {{3, 1}, {7, 3}, {20, 2}};
    struct dispatch *dispatch = dispatch_new_ranges(dispatch_new_list(&whole, 1, 2, 1), ranges, 3);
    struct package package;
    for (int64_t k = 0; k < 3; k++) {
        assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_SEND);
        assert_true(package.index == k && package.worker == 1);
        assert_true(package.first == ranges[k].first && package.count == ranges[k].count);
    }
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_FINISHED);
    dispatch_free(&dispatch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_task_once),
        cmocka_unit_test(test_one_package_over_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
