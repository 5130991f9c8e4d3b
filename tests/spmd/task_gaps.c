/* Which core tasks of a job are missing: compared with a mark for every core task. */
#include <inttypes.h>
#include <string.h>

#include "planner/base/random.h"
#include "spmd/master/task_gaps.h"
#include "tests/checks.h"

enum { TASKS = 200 };

static bool all_missing(const bool missing[TASKS], struct task_range range)
{
    for (int64_t k = range.first; k < range.first + range.count; k++)
        if (k >= TASKS || !missing[k])
            return false;
    return range.count > 0;
}

/* The gaps say what the marks say, with nothing between two that touch. */
static void gaps_check(const struct task_gaps *gaps, const bool missing[TASKS], uint64_t seed)
{
    bool said[TASKS] = {false};
    for (int64_t k = 0; k < gaps->count; k++)
        for (int64_t task = gaps->ranges[k].first;
             task < gaps->ranges[k].first + gaps->ranges[k].count; task++)
            said[task] = true;
    if (memcmp(said, missing, sizeof said) != 0)
        fail_msg("seed %" PRIu64 ": other core tasks are missing", seed);
}

static void gaps_are_filled(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t chance = seed;
        const struct task_range ranges[] = {{3, 40}, {60, 1}, {70, 130}};
        bool missing[TASKS] = {false};
        struct task_gaps gaps;
        assert_true(task_gaps_init(&gaps, ranges, 3));
        for (int k = 0; k < 3; k++)
            memset(missing + ranges[k].first, true, (size_t)ranges[k].count);
        for (int turn = 0; turn < 100; turn++) {
            const struct task_range range = {(int64_t)(random_bits(&chance) % TASKS),
                                             (int64_t)(random_bits(&chance) % 13)};
            const bool there = all_missing(missing, range);
            if (task_gaps_have(&gaps, range) != there)
                fail_msg("seed %" PRIu64 ": %" PRId64 " core tasks from %" PRId64, seed,
                         range.count, range.first);
            if (!there)
                continue;
            assert_true(task_gaps_fill(&gaps, range));
            memset(missing + range.first, false, (size_t)range.count);
            gaps_check(&gaps, missing, seed);
        }
        task_gaps_release(&gaps);
    }
}

static void numbers_beyond_all_are_not_missing(void **state)
{
    const struct task_range whole = {0, INT64_MAX};
    struct task_gaps gaps;
    (void)state;
    assert_true(task_gaps_init(&gaps, &whole, 1));
    assert_true(task_gaps_have(&gaps, (struct task_range){INT64_MAX - 1, 1}));
    assert_false(task_gaps_have(&gaps, (struct task_range){INT64_MAX - 1, 2}));
    assert_false(task_gaps_have(&gaps, (struct task_range){-1, 1}));
    assert_false(task_gaps_have(&gaps, (struct task_range){0, INT64_MIN}));
    task_gaps_release(&gaps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_filled),
        cmocka_unit_test(numbers_beyond_all_are_not_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
