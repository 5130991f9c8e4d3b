/* What workers had of their processors, added up over packages and parts. */
#include "spmd/protocol/run_had.h"

#include <math.h>
#include <stdlib.h>

#include "tests/checks.h"

enum { WORKERS = 3 };

static void add(struct run_had_list *list, int64_t worker, double worked_s, double queued_s,
                double computed_s)
{
    const struct run_had had = {worked_s, queued_s, computed_s};
    assert_true(run_had_add(list, WORKERS, worker, had));
}

/* Shares are weighted by seconds, not by packages: a long package in which half was there counts
 * more than a short one in which all was. */
static void shares_are_of_seconds(void **state)
{
    struct run_had_list list = {.items = NULL};
    (void)state;
    add(&list, 1, 1, 0, 1);
    add(&list, 1, 4.5, 4.5, 9);
    assert_true(fabs(run_had_share(&list, 1) - 0.55) < 1e-12);
    assert_true(run_had_share(&list, 0) == 0);
    assert_true(run_had_share(&list, WORKERS) == 0);
    run_had_release(&list);
}

/* Shares are rounded to the 10,000th, as Linux counts no better, and are never zero. */
static void shares_are_rounded(void **state)
{
    struct run_had_list list = {.items = NULL};
    (void)state;
    add(&list, 0, 1, 2, 3);
    add(&list, 1, 1e-6, 1, 1);
    assert_true(run_had_share(&list, 0) == 0.3333);
    assert_true(run_had_share(&list, 1) == 1e-4);
    run_had_release(&list);
}

/* A worker that sleeps, or has others compute, was hardly ready: that says nothing of the machine.
 */
static void who_was_hardly_ready_is_not_known(void **state)
{
    struct run_had_list list = {.items = NULL};
    (void)state;
    add(&list, 0, 0.05, 0.04, 1);
    add(&list, 1, 0.05, 0.06, 1);
    assert_true(run_had_share(&list, 0) == 0);
    assert_true(run_had_share(&list, 1) > 0);
    assert_true(run_had_share_of((struct run_had){0.05, 0.04, 1}) == 0);
    assert_true(run_had_share_of((struct run_had){0.25, 0.75, 1}) == 0.25);
    assert_true(run_had_share_of((struct run_had){0, 1, 1}) == 0);
    assert_true(run_had_share_of((struct run_had){1, -1, 1}) == 0);
    run_had_release(&list);
}

/* Where the system does not count, or counts backwards, nothing is added. */
static void nothing_said_is_nothing_known(void **state)
{
    struct run_had_list list = {.items = NULL};
    (void)state;
    add(&list, 0, 0, 0, 5);
    add(&list, 0, -1, 0, 5);
    add(&list, 0, 1, -1e-3, 5);
    add(&list, 0, (double)NAN, 0, 5);
    assert_int_equal(list.count, 0);
    assert_null(run_had_json(&list));
    run_had_release(&list);
}

static void parts_are_merged(void **state)
{
    struct run_had_list list = {.items = NULL}, other = {.items = NULL};
    (void)state;
    assert_true(run_had_merge(&list, &other));
    assert_int_equal(list.count, 0);
    add(&other, 0, 1, 1, 2);
    add(&other, 2, 3, 0, 3);
    add(&list, 0, 1, 0, 1);
    assert_true(run_had_merge(&list, &other));
    char *json = run_had_json(&list);
    assert_string_equal(json, "[0.6667, null, 1]");
    free(json);
    run_had_release(&list);
    run_had_release(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_of_seconds),
        cmocka_unit_test(shares_are_rounded),
        cmocka_unit_test(who_was_hardly_ready_is_not_known),
        cmocka_unit_test(nothing_said_is_nothing_known),
        cmocka_unit_test(parts_are_merged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
