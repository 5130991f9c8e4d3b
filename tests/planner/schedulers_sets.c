/* All schedulers together: what each plan is asked, and what planning may cost. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "planner/schedulers/scheduler.h"
#include "planner/schedulers/search/search.h"
#include "tests/planner/platforms.h"

/* Each in one way no plan, and itself. */
static void plans_are_checked(void **state)
{
    (void)state;
    struct platform platform =
        platform_of_equals(3, 2, 10, (struct cost){0, 0}, (struct cost){0, 1}, (struct cost){0, 1});
    int64_t workers[2] = {2, 0};
    double first[2] = {4, 5}, second[2] = {0, 3};
    struct plan_round rounds[2] = {{2, first}, {1, second}};
    const struct plan plan = {
        .tasks = 21, .workers = workers, .worker_count = 2, .rounds = rounds, .round_count = 2};
    const struct {
        double *place, wrong;
        const char *why;
    } cases[] = {{&second[1], 0, "a round without a package"},
                 {&first[0], 1, "a package whose size is in no window"},
                 {&first[0], 11, "a package whose size is in no window"},
                 {&first[0], 4.5, "a package whose size is in no window"},
                 {&second[1], 4, "loads that do not sum to the job's tasks"}};
    struct failure none = FAILURE_INIT, twice = FAILURE_INIT, absent = FAILURE_INIT;
    assert_true(plan_check(&platform, &plan, &none));
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct failure failure = FAILURE_INIT;
        const double right = *cases[k].place;
        *cases[k].place = cases[k].wrong;
        assert_false(plan_check(&platform, &plan, &failure));
        assert_non_null(strstr(failure.text, cases[k].why));
        assert_int_equal(failure.code, FAILURE_MISMATCH);
        *cases[k].place = right;
    }
    workers[1] = 2;
    assert_false(plan_check(&platform, &plan, &twice));
    assert_non_null(strstr(twice.text, "the same worker twice"));
    workers[1] = 3;
    assert_false(plan_check(&platform, &plan, &absent));
    assert_non_null(strstr(absent.text, "an unknown worker"));
    platform_release(&platform);
}

/* A round that is left without a load is not part of the plan. */
static void empty_rounds_are_left_out(void **state)
{
    (void)state;
    struct platform platform = platform_of_equals(2, 1, 100, (struct cost){0, 0},
                                                  (struct cost){0, 1}, (struct cost){0, 1});
    const struct schedule_request request = {.platform = &platform, .tasks = 5};
    struct search search;
    struct ranking ranking;
    struct plan candidate, plan = {.kernel = NULL};
    struct failure failure = FAILURE_INIT;
    assert_true(search_init(&search, &request, &failure));
    assert_true(ranking_init(&ranking, &platform, &platform.windows[0], false, RANKING_BY_FEED));
    candidate_open(&search, &candidate, &ranking, 2);
    candidate_round(&search, &candidate, 1, (double[]){2, 2});
    candidate_round(&search, &candidate, 1, (double[]){1, 0});
    candidate_round(&search, &candidate, 1, (double[]){0, 1});
    candidate.rounds[1].loads[0] = 0;
    assert_true(search_offer(&search, &candidate));
    assert_true(search_finish(&search, "", &plan, &failure));
    assert_int_equal(plan.round_count, 2);
    assert_true(plan_check(&platform, &plan, &failure));
    plan_release(&plan);
    ranking_release(&ranking);
    platform_release(&platform);
}

/* The plan and those left out, for so much effort. */
static struct plan auto_with(const struct platform *platform, double tasks, double units,
                             struct schedule_omissions *omissions)
{
    struct effort effort = {units};
    const struct schedule_request request = {
        .platform = platform, .tasks = tasks, .effort = &effort};
    struct plan plan = {.kernel = NULL};
    struct failure failure = FAILURE_INIT;
    if (!schedule_auto(&request, &plan, omissions, &failure))
        fail_msg("%s", failure.text);
    return plan;
}

static enum schedule_omission omission_of(const struct schedule_omissions *omissions,
                                          const char *scheduler)
{
    for (size_t k = 0; k < omissions->count; k++)
        if (strcmp(omissions->items[k].scheduler, scheduler) == 0)
            return omissions->items[k].why;
    return SCHEDULE_TRIED;
}

/* With hardly any effort there is a plan all the same, and who is left out is said; with a little
 * more there is a better one; the same effort gives the same plan. */
static void effort_limits_planning(void **state)
{
    (void)state;
    struct dice dice = dice_of(700);
    struct platform platform = platform_cluster(&dice, 40);
    struct schedule_omissions none, few, all;
    struct plan least = auto_with(&platform, 1e5, 1, &none);
    struct plan some = auto_with(&platform, 1e5, 1e6, &few);
    struct plan same = auto_with(&platform, 1e5, 1e6, &few);
    struct plan best = auto_with(&platform, 1e5, 1e12, &all);
    struct failure failure = FAILURE_INIT;
    assert_true(plan_check(&platform, &least, &failure));
    assert_int_equal(omission_of(&none, "scow-mp"), SCHEDULE_CUT_SHORT);
    assert_int_equal(omission_of(&none, "static"), SCHEDULE_NO_EFFORT);
    assert_true(few.count > 0 && few.count <= none.count);
    assert_int_equal(all.count, 0);
    assert_true(some.predicted.makespan_s <= least.predicted.makespan_s);
    assert_true(best.predicted.makespan_s <= some.predicted.makespan_s);
    assert_true(same.predicted.makespan_s == some.predicted.makespan_s);
    assert_string_equal(same.scheduler, some.scheduler);
    plan_release(&least);
    plan_release(&some);
    plan_release(&same);
    plan_release(&best);
    platform_release(&platform);
}

/* One worker without latencies: nothing can be better than any plan, and `optimal` need not look.
 */
static void nothing_to_be_won_is_left_out(void **state)
{
    (void)state;
    struct platform platform = platform_of_equals(1, 1, 1000, (struct cost){0, 0},
                                                  (struct cost){0, 1e-9}, (struct cost){0, 1});
    struct schedule_omissions omissions;
    struct plan plan = auto_with(&platform, 1000, 1e9, &omissions);
    assert_int_equal(omission_of(&omissions, "optimal"), SCHEDULE_NO_GAIN);
    assert_int_equal(omissions.count, 1);
    assert_true(plan.predicted.gap <= 1e-5);
    plan_release(&plan);
    platform_release(&platform);
}

/* A set has what each scheduler makes by itself. */
static void sets_have_every_plan(void **state)
{
    (void)state;
    struct dice dice = dice_of(701);
    struct platform platform = platform_cluster(&dice, 6);
    const struct schedule_request request = {.platform = &platform, .tasks = 500};
    struct schedule_set set;
    struct failure failure = FAILURE_INIT;
    size_t count;
    const struct scheduler *list = scheduler_list(&count);
    assert_true(schedule_set_make(&request, &set, &failure));
    assert_int_equal(set.count, scheduler_automatic());
    assert_string_equal(list[set.count].name, "scow-mu"); /* asked for by name only */
    assert_string_equal(list[set.count + 1].name, "apples");
    assert_int_equal(count, set.count + 2);
    for (size_t i = 0; i < set.count; i++) {
        struct plan plan = {.kernel = NULL};
        struct failure refused = FAILURE_INIT;
        const bool made = scheduler_make(&list[i], &request, &plan, &refused);
        assert_ptr_equal(set.entries[i].scheduler, &list[i]);
        assert_int_equal(set.entries[i].made, made);
        assert_int_equal(set.entries[i].omission, SCHEDULE_TRIED);
        if (made)
            assert_true(set.entries[i].plan.predicted.makespan_s == plan.predicted.makespan_s);
        else
            assert_string_equal(set.entries[i].refused.text, refused.text);
        plan_release(&plan);
    }
    schedule_set_release(&set);
    platform_release(&platform);
}

enum { TIES = 5 };

/* A set of plans that take so long with so many workers. */
static struct schedule_set set_of(const double makespans_s[TIES], const int64_t workers[TIES])
{
    struct schedule_set set = {.entries = calloc(TIES, sizeof *set.entries), .count = TIES};
    assert_non_null(set.entries);
    for (size_t k = 0; k < TIES; k++) {
        struct plan *plan = &set.entries[k].plan;
        set.entries[k].made = workers[k] > 0;
        if (!set.entries[k].made)
            continue;
        plan->worker_count = workers[k];
        plan->predicted.makespan_s = makespans_s[k];
        plan->rounds = calloc(1, sizeof *plan->rounds);
        plan->round_count = 1;
        plan->rounds[0].loads = calloc((size_t)workers[k], sizeof(double));
        for (int64_t i = 0; i < workers[k]; i++)
            plan->rounds[0].loads[i] = 1;
    }
    return set;
}

/* The workers of the plan that is taken. */
static int64_t taken_of(const double makespans_s[TIES], const int64_t workers[TIES], double within)
{
    struct schedule_set set = set_of(makespans_s, workers);
    struct plan plan = {.kernel = NULL};
    struct failure failure = FAILURE_INIT;
    assert_true(schedule_set_take(&set, within, &plan, NULL, &failure));
    const int64_t taken = plan_workers_used(&plan);
    plan_release(&plan);
    schedule_set_release(&set);
    return taken;
}

static void the_thriftiest_of_equals_is_taken(void **state)
{
    static const double makespans_s[TIES] = {0, 100.09, 100, 100.05, 104};
    static const int64_t workers[TIES] = {0, 17, 21, 16, 4};
    (void)state;
    assert_int_equal(taken_of(makespans_s, workers, 0), 21);
    assert_int_equal(taken_of(makespans_s, workers, 0.0004), 21);
    assert_int_equal(taken_of(makespans_s, workers, 0.0005), 16);
    assert_int_equal(taken_of(makespans_s, workers, 0.001), 16);
    assert_int_equal(taken_of(makespans_s, workers, 0.05), 4);
    /* Worker-seconds first: 10 workers for 100 s are less than 9 for 112 s, and as many as 8 for
     * 125 s. */
    static const double longer_s[TIES] = {100, 112, 125, 0, 100};
    static const int64_t fewer[TIES] = {10, 9, 8, 0, 11};
    assert_int_equal(taken_of(longer_s, fewer, 0.2), 10);
    assert_int_equal(taken_of(longer_s, fewer, 0.25), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_are_checked),
        cmocka_unit_test(empty_rounds_are_left_out),
        cmocka_unit_test(effort_limits_planning),
        cmocka_unit_test(nothing_to_be_won_is_left_out),
        cmocka_unit_test(sets_have_every_plan),
        cmocka_unit_test(the_thriftiest_of_equals_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
