/* A fixed plan hands out every core task once, in order, to the workers it names. */
#include "planner/dispatch/dispatch.h"
#include "planner/files/plan_json.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

static void plan_is_handed_out(const struct plan *plan)
{
    struct dispatch *dispatch = dispatch_new_plan(plan);
    struct package package;
    int64_t next = 0, packages = 0, round = 0;
    assert_non_null(dispatch);
    while (dispatch_next(dispatch, 0, &package) == DISPATCH_SEND) {
        assert_int_equal(package.first, next);
        assert_int_equal(package.index, packages);
        assert_true(package.count >= 1 && package.round >= round && package.worker >= 0);
        next += package.count;
        round = package.round;
        packages++;
        dispatch_done(dispatch, &package, 0, 1);
    }
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_FINISHED);
    assert_int_equal(next, (int64_t)plan->tasks);
    assert_int_equal(packages, plan_packages(plan));
    dispatch_free(&dispatch);
    assert_null(dispatch);
    dispatch_free(&dispatch);
}

static void every_task_once(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        struct dice dice = {seed};
        struct plan plan;
        sample_plan(&dice, dice_whole(&dice, 1, 20), false, &plan);
        plan_is_handed_out(&plan);
        plan_release(&plan);
    }
}

static void rounds_and_workers_as_planned(void **state)
{
    static const char text[] =
        "{\"schema\": \"scow-plan-1\", \"kernel\": \"sleep\", \"scheduler\": \"hand\","
        " \"tasks\": 23, \"workers\": [2, 0], \"rounds\": ["
        "{\"repeat\": 2, \"loads\": [7, 3]}, {\"repeat\": 1, \"loads\": [0, 3]}]}";
    static const int64_t workers[] = {2, 0, 2, 0, 0}, rounds[] = {0, 0, 1, 1, 2};
    struct plan plan;
    struct package package;
    struct failure failure = FAILURE_INIT;
    (void)state;
    assert_true(plan_parse(&plan, text, strlen(text), "plan", &failure));
    struct dispatch *dispatch = dispatch_new_plan(&plan);
    assert_non_null(dispatch);
    for (size_t k = 0; k < COUNT_OF(workers); k++) {
        assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_SEND);
        assert_int_equal(package.worker, workers[k]);
        assert_int_equal(package.round, rounds[k]);
        for (int64_t worker = 0; worker < 4; worker++) {
            bool later = false;
            for (size_t m = k + 1; m < COUNT_OF(workers); m++)
                later = later || workers[m] == worker;
            assert_int_equal(dispatch_gives_more(dispatch, worker), later);
        }
    }
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_FINISHED);
    dispatch_free(&dispatch);
    plan_release(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_once),
        cmocka_unit_test(rounds_and_workers_as_planned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
