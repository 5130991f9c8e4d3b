/* What the description of a plan says besides the plan itself. */
#include "planner/studies/advice.h"
#include "tests/checks.h"

/* `first` workers that take 10 s for a task, and `second` that take 20 s; the port takes 1 s. */
static char *feeding(int64_t first, int64_t second, bool staged, bool input)
{
    struct profile_worker workers[] = {{.count = first, .compute = {{0, 10}, {.n = 0}}},
                                       {.count = second, .compute = {{0, 20}, {.n = 0}}}};
    struct profile_window window = {.least = 1,
                                    .greatest = 1000,
                                    .send = {{0, 1}, {.n = 0}},
                                    .workers = workers,
                                    .worker_count = second > 0 ? 2 : 1};
    struct profile_setting setting = {.windows = &window, .window_count = 1};
    struct plan_round round = {.repeat = 3, .loads = (double[]){120}};
    struct plan plan = {.tasks = 360,
                        .workers = (int64_t[]){0},
                        .worker_count = 1,
                        .rounds = &round,
                        .round_count = 1};
    const struct profile profile = {.settings = &setting, .setting_count = 1};
    const struct advice advice = {.plan = &plan, .profile = &profile, .setting = &setting};
    struct failure failure = FAILURE_INIT;
    struct text text = TEXT_INIT;
    if (staged)
        assert_true(parameter_list_add(&plan.parameters, "staged", "no", 0));
    assert_true(advice_feeding(&advice, 0, input, &text, &failure));
    parameter_list_release(&plan.parameters);
    return text_take(&text);
}

static void assert_feeding(int64_t first, int64_t second, const char *line)
{
    char *said = feeding(first, second, false, false);
    assert_string_equal(said, line);
    free(said);
}

/* Ten of the first kind, twenty of the second; five and ten of them together. */
static void one_master_feeds_so_many(void **state)
{
    (void)state;
    assert_feeding(10, 0, "");
    assert_feeding(11, 0,
                   "feeding     one master keeps 10 of 11 workers busy with packages of 120\n");
    assert_feeding(5, 10, "");
    assert_feeding(6, 20,
                   "feeding     one master keeps 20 of 26 workers busy with packages of 120\n");
    assert_feeding(100, 10,
                   "feeding     one master keeps 15 of 110 workers busy with packages of 120\n");
}

static void workers_may_read_by_themselves(void **state)
{
    (void)state;
    char *shipped = feeding(11, 0, false, true), *known = feeding(11, 0, true, true);
    assert_non_null(strstr(shipped, "calibrate --staged-too may do better"));
    assert_null(strstr(known, "--staged-too"));
    free(shipped);
    free(known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_master_feeds_so_many),
        cmocka_unit_test(workers_may_read_by_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
