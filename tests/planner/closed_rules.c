/* Packages that follow from their number alone (distributed chunk calculation): golden values for N
 * = 1000 and p = 4, each core task once, and the same packages whichever worker takes which. */
#include <inttypes.h>
#include <string.h>

#include "planner/dispatch/dispatch.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

enum { TASKS = 1000, WORKERS = 4, PACKAGES_MOST = 2000 };

static struct dispatch *rule_new(const char *rule, int64_t tasks, int64_t workers, bool closed)
{
    const struct dispatch_setup setup = {.rule = rule,
                                         .tasks = tasks,
                                         .workers = workers,
                                         .ahead = 1,
                                         .least = 1,
                                         .most = tasks,
                                         .closed = closed};
    struct failure failure = FAILURE_INIT;
    struct dispatch *dispatch = dispatch_new_rule(&setup, &failure);
    if (!dispatch)
        fail_msg("%s: %s", rule, failure.text);
    return dispatch;
}

/* Sizes in order, whoever reports first. Returns how many. */
static size_t sizes_of(const char *rule, int64_t tasks, int64_t workers, bool closed,
                       struct dice *dice, int64_t sizes[PACKAGES_MOST])
{
    struct dispatch *dispatch = rule_new(rule, tasks, workers, closed);
    struct package out[64], package;
    size_t count = 0, under_way = 0;
    int64_t first = 0;
    enum dispatch_answer answer;
    while ((answer = dispatch_next(dispatch, 0, &package)) != DISPATCH_FINISHED) {
        if (answer == DISPATCH_SEND) {
            assert_int_equal(package.first, first);
            first += package.count;
            assert_true(count < PACKAGES_MOST);
            sizes[count++] = package.count;
            out[under_way++] = package;
            continue;
        }
        assert_true(under_way > 0);
        const size_t at = (size_t)dice_whole(dice, 0, (int64_t)under_way - 1);
        dispatch_done(dispatch, &out[at], 0, 1);
        out[at] = out[--under_way];
    }
    assert_int_equal(first, tasks);
    dispatch_free(&dispatch);
    return count;
}

static void sizes_as_calculated(void **state)
{
    static const struct {
        const char *rule;
        bool as_requested; /* so are they where a master says them */
        size_t count;
        int64_t sizes[32];
    } rows[] = {
        {"gss", false, 17, {250, 188, 141, 106, 80, 60, 45, 34, 26, 19, 15, 11, 8, 6, 5, 4, 2}},
        {"tss", true, 13, {125, 117, 109, 101, 93, 85, 77, 69, 61, 53, 45, 37, 28}},
        {"fac", false, 28, {125, 125, 125, 125, 63, 63, 63, 63, 32, 32, 32, 32, 16, 16,
                            16,  16,  8,   8,   8,  8,  4,  4,  4,  4,  2,  2,  2,  2}},
        {"fiss", true, 17, {41, 41, 41, 41, 55, 55, 55, 55, 69, 69, 69, 69, 83, 83, 83, 83, 8}},
        {"fsc,k=300", true, 4, {300, 300, 300, 100}}};
    int64_t sizes[PACKAGES_MOST], requested[PACKAGES_MOST];
    struct dice dice = {7};
    (void)state;
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        const size_t count = sizes_of(rows[k].rule, TASKS, WORKERS, true, &dice, sizes);
        assert_int_equal(count, rows[k].count);
        assert_memory_equal(sizes, rows[k].sizes, count * sizeof *sizes);
        const size_t others = sizes_of(rows[k].rule, TASKS, WORKERS, false, &dice, requested);
        const bool equal = others == count && memcmp(sizes, requested, count * sizeof *sizes) == 0;
        assert_int_equal(equal, rows[k].as_requested);
    }
}

/* Which worker gets which package does not change sizes. */
static void sizes_know_no_order(void **state)
{
    static const char *const rules[] = {
        "ss",         "fsc,k=7",      "gss,least=3",       "tss,last=5",
        "fac,part=3", "fiss,sigma=6", "gss,rounding=down", "tss,step=real"};
    int64_t sizes[PACKAGES_MOST], again[PACKAGES_MOST];
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct dice dice = {seed};
        const char *rule = rules[seed % COUNT_OF(rules)];
        const int64_t workers = dice_whole(&dice, 1, 60), tasks = dice_whole(&dice, 1, 1500);
        const size_t count = sizes_of(rule, tasks, workers, true, &dice, sizes);
        if (sizes_of(rule, tasks, workers, true, &dice, again) != count ||
            memcmp(sizes, again, count * sizeof *sizes) != 0)
            fail_msg("seed %" PRIu64 ": %s: other packages in another order", seed, rule);
    }
}

/* The number of a package alone tells its size, however many others were taken meanwhile. */
static void numbers_are_packages(void **state)
{
    static const char *const rules[] = {
        "ss",  "fsc,k=7",    "gss,least=3",  "tss,last=5",        "gss",
        "fac", "fac,part=3", "fiss,sigma=6", "gss,rounding=down", "tss,step=real"};
    int64_t sizes[PACKAGES_MOST];
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct dice dice = {seed};
        const char *rule = rules[seed % COUNT_OF(rules)];
        const int64_t workers = dice_whole(&dice, 1, 60), tasks = dice_whole(&dice, 1, 1500);
        const size_t count = sizes_of(rule, tasks, workers, true, &dice, sizes);
        struct dispatch *counted = rule_new(rule, tasks, workers, true);
        struct package package;
        int64_t first = 0;
        for (size_t k = 0; k < count; first += sizes[k++]) {
            if (dice_whole(&dice, 0, 3) > 0 && k + 1 < count)
                continue; /* somebody else's */
            if (!dispatch_rule_package(counted, (int64_t)k, &package) || package.first != first ||
                package.count != sizes[k] || package.index != (int64_t)k ||
                package.round != (int64_t)k / workers)
                fail_msg("seed %" PRIu64 ": %s: package %zu is another one", seed, rule, k);
        }
        assert_false(dispatch_rule_package(counted, (int64_t)count, &package));
        dispatch_free(&counted);
    }
}

/* Where sizes do not change any more, numbers are not gone through one by one. */
static void numbers_may_be_huge(void **state)
{
    const int64_t tasks = INT64_C(1000000000000);
    struct dispatch *counted = rule_new("ss", tasks, 8, true);
    struct package package;
    (void)state;
    assert_true(dispatch_rule_package(counted, tasks - 1, &package));
    assert_int_equal(package.first, tasks - 1);
    assert_false(dispatch_rule_package(counted, INT64_MAX / 2, &package));
    dispatch_free(&counted);
}

static void others_are_refused(void **state)
{
    struct failure failure = FAILURE_INIT;
    (void)state;
    assert_true(dispatch_rule_is_closed("gss,least=10", &failure));
    assert_false(dispatch_rule_is_closed("af", &failure));
    assert_failure(failure, FAILURE_USAGE,
                   "the packages of 'af' do not follow from their numbers alone: without a master "
                   "that is asked for each, take one of ss, fsc, gss, tss, fiss, fac");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_as_calculated),  cmocka_unit_test(sizes_know_no_order),
        cmocka_unit_test(numbers_are_packages), cmocka_unit_test(numbers_may_be_huge),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
