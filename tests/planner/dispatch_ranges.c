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
static void assign(struct dispatch *dispatch, char *handed)
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
            dispatch_new_ranges(inner_make(tasks, (int)(seed % 3)), ranges, count, 3);
        assert_non_null(dispatch);
        assign(dispatch, handed);
        dispatch_free(&dispatch);
        if (memcmp(wanted, handed, sizeof wanted) != 0)
            fail_msg("seed %llu: not each task once", (unsigned long long)seed);
    }
}

static void assert_piece(struct dispatch *dispatch, const struct task_range *range, int64_t index)
{
    struct package package;
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_SEND);
    assert_true(package.index == index && package.worker == 1);
    assert_true(package.first == range->first && package.count == range->count);
}

/* Two pieces at a time; the third when one of them is reported. */
static void test_one_package_over_all(void **state)
{
    (void)state;
    const struct package whole = {.worker = 1, .first = 0, .count = 6};
    const struct task_range ranges[] = {{3, 1}, {7, 3}, {20, 2}};
    struct dispatch *dispatch =
        dispatch_new_ranges(dispatch_new_list(&whole, 1, 2, 1), ranges, 3, 2);
    struct package package = {.index = 1, .worker = 1, .first = 7, .count = 3};
    assert_piece(dispatch, &ranges[0], 0);
    assert_piece(dispatch, &ranges[1], 1);
    struct package none;
    assert_int_equal(dispatch_next(dispatch, 0, &none), DISPATCH_WAIT);
    dispatch_done(dispatch, &package, 0, 1);
    assert_piece(dispatch, &ranges[2], 2);
    assert_int_equal(dispatch_next(dispatch, 0, &none), DISPATCH_FINISHED);
    dispatch_free(&dispatch);
}

/* Another worker's package passes the one whose worker has enough. */
static void test_others_pass(void **state)
{
    (void)state;
    const struct package wholes[] = {{.worker = 1, .first = 0, .count = 6},
                                     {.worker = 0, .first = 6, .count = 2}};
    const struct task_range ranges[] = {{3, 1}, {7, 3}, {20, 4}};
    struct dispatch *dispatch =
        dispatch_new_ranges(dispatch_new_list(wholes, 2, 2, 1), ranges, 3, 2);
    struct package package;
    while (dispatch_next(dispatch, 0, &package) == DISPATCH_SEND && package.worker == 1)
        ;
    assert_true(package.worker == 0 && package.first == 22 && package.count == 2);
    dispatch_free(&dispatch);
}

/* The inner dispatch may come to the other worker late. */
static void test_nobody_waits_behind_others(void **state)
{
    (void)state;
    struct package wholes[9];
    const struct task_range ranges[] = {{3, 10}, {20, 10}, {40, 10}};
    for (int k = 0; k < 9; k++)
        wholes[k] = (struct package){.worker = k < 8 ? 1 : 0, .first = 3 * k, .count = 3};
    struct dispatch *dispatch =
        dispatch_new_ranges(dispatch_new_list(wholes, 9, 2, 9), ranges, 3, 2);
    struct package package;
    bool other = false;
    while (dispatch_next(dispatch, 0, &package) == DISPATCH_SEND)
        other = other || package.worker == 0;
    assert_true(other);
    dispatch_free(&dispatch);
}

/* The pieces of a lost worker are never reported: all are sent, so that others can be given
 * them. */
static void test_lost_workers_wait_for_nothing(void **state)
{
    (void)state;
    const struct package whole = {.worker = 1, .first = 0, .count = 6};
    const struct task_range ranges[] = {{3, 1}, {7, 3}, {20, 2}};
    struct dispatch *dispatch =
        dispatch_new_ranges(dispatch_new_list(&whole, 1, 2, 1), ranges, 3, 2);
    assert_piece(dispatch, &ranges[0], 0);
    assert_piece(dispatch, &ranges[1], 1);
    dispatch_lost(dispatch, 1);
    assert_piece(dispatch, &ranges[2], 2);
    dispatch_free(&dispatch);
}

/* A plan goes on handing out to a worker that is lost. */
static void test_lost_workers_wait_for_nothing_later(void **state)
{
    (void)state;
    const struct package wholes[] = {{.worker = 1, .first = 0, .count = 1},
                                     {.worker = 1, .first = 1, .count = 5}};
    const struct task_range ranges[] = {{3, 2}, {7, 2}, {20, 2}};
    struct dispatch *dispatch =
        dispatch_new_ranges(dispatch_new_list(wholes, 2, 2, 2), ranges, 3, 2);
    dispatch_lost(dispatch, 1);
    assert_piece(dispatch, &(struct task_range){3, 1}, 0);
    assert_piece(dispatch, &(struct task_range){4, 1}, 1);
    assert_piece(dispatch, &ranges[1], 2);
    assert_piece(dispatch, &ranges[2], 3);
    dispatch_free(&dispatch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_task_once),
        cmocka_unit_test(test_one_package_over_all),
        cmocka_unit_test(test_others_pass),
        cmocka_unit_test(test_nobody_waits_behind_others),
        cmocka_unit_test(test_lost_workers_wait_for_nothing),
        cmocka_unit_test(test_lost_workers_wait_for_nothing_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
