/* What workers report of core tasks: nothing is lost or reported twice, however many different
 * times there are. */
#include "spmd/job/counts.h"

#include "tests/checks.h"

static void told_in_parts(void **state)
{
    (void)state;
    static struct counts_gathered gathered;
    static struct counts_sum sum;
    struct counts counts;
    for (int k = 0; k < 300; k++)
        counts_gather(&gathered, 1e-4 * (k + 1) * (k + 1), k % 10 == 3);
    int messages = 0;
    do {
        counts_tell(&gathered, &counts);
        assert_true(counts_check(&counts));
        counts_add(&sum, &counts);
        messages++;
    } while (counts.told > 0);
    assert_true(messages > 2);
    assert_int_equal(sum.finished, 300);
    assert_int_equal(sum.failed, 30);
    assert_int_equal(sum.durations.count, 270);
    assert_true(counts_median(&sum) > 2 && counts_median(&sum) < 2.5);
}

static void too_few_have_no_median(void **state)
{
    (void)state;
    static struct counts_gathered gathered;
    static struct counts_sum sum;
    struct counts counts;
    counts_gather(&gathered, 1, false);
    counts_gather(&gathered, 1, true);
    counts_tell(&gathered, &counts);
    counts_add(&sum, &counts);
    assert_true(counts_median(&sum) == 0);
}

static void what_cannot_be(void **state)
{
    (void)state;
    struct counts counts = {.finished = 2, .failed = 1, .told = 1};
    assert_true(counts_check(&counts));
    counts.steps[0].step = COUNTS_STEPS;
    assert_false(counts_check(&counts));
    counts = (struct counts){.finished = 1, .failed = 2};
    assert_false(counts_check(&counts));
    counts = (struct counts){.told = COUNTS_TOLD + 1};
    assert_false(counts_check(&counts));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told_in_parts),
        cmocka_unit_test(too_few_have_no_median),
        cmocka_unit_test(what_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
