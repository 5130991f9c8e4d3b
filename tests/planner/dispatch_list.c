/* A list of packages as a dispatch: each once, every worker's in order, no more ahead than allowed.
 */
#include "planner/dispatch/dispatch.h"
#include "tests/checks.h"

enum { PACKAGES = 60, WORKERS = 4, AHEAD = 2 };

/* Worker 2 has none. */
static void list_make(struct package *packages)
{
    for (int64_t i = 0; i < PACKAGES; i++)
        packages[i] = (struct package){
            .worker = (int64_t[]){0, 3, 1, 3}[i % 4], .first = 1000 - 10 * i, .count = 1 + i % 7};
}

/* Reports come back `lag` packages later. */
static void check_order(int lag)
{
    struct package packages[PACKAGES], sent[PACKAGES], package;
    int64_t next[WORKERS] = {0}, outstanding[WORKERS] = {0}, count = 0, done = 0;
    list_make(packages);
    struct dispatch *dispatch = dispatch_new_list(packages, PACKAGES, WORKERS, AHEAD);
    assert_non_null(dispatch);
    for (;;) {
        const enum dispatch_answer answer = dispatch_next(dispatch, 0, &package);
        if (answer == DISPATCH_FINISHED)
            break;
        if (answer == DISPATCH_SEND) {
            int64_t *at = &next[package.worker];
            while (packages[*at].worker != package.worker)
                ++*at;
            assert_true(packages[*at].first == package.first);
            assert_true(packages[*at].count == package.count && package.index == count);
            ++*at;
            assert_true(++outstanding[package.worker] <= AHEAD);
            sent[count++] = package;
        }
        if (answer == DISPATCH_WAIT || count - done > lag) {
            assert_true(done < count); /* it waits for nobody in vain */
            outstanding[sent[done].worker]--;
            dispatch_done(dispatch, &sent[done++], 0, 0);
        }
    }
    assert_int_equal(count, PACKAGES);
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_FINISHED);
    dispatch_free(&dispatch);
}

static void test_each_once_in_order(void **state)
{
    (void)state;
    for (int lag = 0; lag < 20; lag++)
        check_order(lag);
}

static void test_empty_list(void **state)
{
    (void)state;
    struct package package;
    struct dispatch *dispatch = dispatch_new_list(NULL, 0, WORKERS, AHEAD);
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_FINISHED);
    dispatch_free(&dispatch);
}

/* The first ones go to all in turns: nobody waits for another's list to end. */
static void test_turns(void **state)
{
    (void)state;
    struct package packages[PACKAGES], package;
    list_make(packages);
    struct dispatch *dispatch = dispatch_new_list(packages, PACKAGES, WORKERS, AHEAD);
    static const int64_t wanted[] = {0, 1, 3, 0, 1, 3};
    for (size_t k = 0; k < COUNT_OF(wanted); k++) {
        assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_SEND);
        assert_int_equal(package.worker, wanted[k]);
    }
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_WAIT);
    dispatch_free(&dispatch);
}

/* Core tasks of the master's own lie all over the job, and there are some as long as a worker has a
 * package. */
static void test_own(void **state)
{
    enum { OWN = 100, PARTS = 10 };
    const struct package one = {.worker = 1, .first = 5, .count = 2};
    struct package package, own;
    int64_t parts[PARTS] = {0};
    struct dispatch *dispatch = dispatch_new_list(&one, 1, WORKERS, AHEAD);
    (void)state;
    assert_true(dispatch_master(dispatch).tasks == 0);
    dispatch_list_own(dispatch, 1000);
    assert_true(dispatch_master(dispatch).tasks == 1000);
    assert_false(dispatch_own(dispatch, 0, 1, &own));
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_SEND);
    for (int k = 0; k < OWN; k++) {
        assert_true(dispatch_own(dispatch, 0, 1, &own));
        assert_true(own.worker == -1 && own.count == 1 && own.first >= 0 && own.first < 1000);
        parts[own.first / (1000 / PARTS)]++;
    }
    for (int k = 0; k < PARTS; k++)
        assert_true(parts[k] >= OWN / PARTS - 2 && parts[k] <= OWN / PARTS + 2);
    dispatch_done(dispatch, &package, 0, 1);
    assert_false(dispatch_own(dispatch, 0, 1, &own));
    dispatch_free(&dispatch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_once_in_order),
        cmocka_unit_test(test_empty_list),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
