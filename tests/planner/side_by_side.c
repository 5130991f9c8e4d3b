/* Reports on runs side by side: figures that can be computed by hand. */
#include <math.h>

#include "planner/report/runs.h"
#include "tests/checks.h"

/* Two workers of 8 and 4 seconds; the master spends 2 of 10. */
static void record_init(struct run_record *record, double scale)
{
    static const struct trace_event events[] = {
        {0, OPERATION_ENVELOPE, 0, 0, 0, 8, 0, 0.5}, {0, OPERATION_SEND, 0, 0, 0, 8, 0.5, 1},
        {0, OPERATION_ENVELOPE, 0, 1, 8, 4, 1, 1.5}, {0, OPERATION_SEND, 0, 1, 8, 4, 1.5, 2},
        {1, OPERATION_RECEIVE, 0, 0, 0, 8, 2, 3},    {1, OPERATION_COMPUTE, 0, 0, 0, 8, 3, 10},
        {2, OPERATION_COMPUTE, 0, 1, 8, 4, 2, 5},    {2, OPERATION_OUTPUT, 0, 1, 8, 4, 5, 6},
    };
    *record = (struct run_record){.tasks = 12, .tasks_done = 12};
    record->plan.scheduler = strdup("by hand");
    record->plan.tasks = 12;
    for (size_t k = 0; k < COUNT_OF(events); k++) {
        struct trace_event event = events[k];
        event.start_s *= scale;
        event.end_s *= scale;
        assert_true(trace_add(&record->trace, &event));
    }
}

static void test_figures(void **state)
{
    (void)state;
    struct run_record record;
    struct run_figures run;
    struct failure failure = FAILURE_INIT;
    record_init(&record, 1);
    assert_true(run_summarise("a.h5", &record, &run, &failure));
    assert_string_equal(run.scheduler, "by hand");
    assert_true(fabs(run.makespan_s - 10) < 1e-12);
    assert_true(fabs(run.over_ideal - 10 / 6.0) < 1e-12);
    assert_true(fabs(run.variation - 0.25) < 1e-12); /* of 10 and 6 */
    assert_true(fabs(run.imbalance - (8 / 6.0 - 1)) < 1e-12);
    assert_true(fabs(run.master_share - 0.2) < 1e-12);
    assert_int_equal(run.packages, 2);
    record.rule = strdup("gss");
    assert_true(run_summarise("a.h5", &record, &run, &failure));
    assert_string_equal(run.scheduler, "gss");
    run_record_release(&record);
}

static void test_fastest_first(void **state)
{
    (void)state;
    struct run_record records[3];
    struct run_figures runs[3];
    const char *const paths[] = {"slow.h5", "fast.h5", "middle.h5"};
    const double scales[] = {3, 1, 2};
    struct failure failure = FAILURE_INIT;
    struct text table = TEXT_INIT, json = TEXT_INIT;
    for (int k = 0; k < 3; k++) {
        record_init(&records[k], scales[k]);
        assert_true(run_summarise(paths[k], &records[k], &runs[k], &failure));
    }
    runs_describe(runs, 3, &table);
    runs_print(runs, 3, &json);
    char *words = text_take(&table), *value = text_take(&json);
    const char *fast = strstr(words, "fast.h5"), *middle = strstr(words, "middle.h5");
    assert_true(fast && middle && fast < middle && middle < strstr(words, "slow.h5"));
    assert_true(strstr(words, "20.0 %") != NULL); /* the master's share */
    assert_true(strstr(value, "\"schema\": \"scow-runs-1\"") != NULL);
    assert_true(strstr(value, "\"makespan_s\": 10,") < strstr(value, "\"makespan_s\": 30,"));
    free(words);
    free(value);
    for (int k = 0; k < 3; k++)
        run_record_release(&records[k]);
}

static void test_no_trace(void **state)
{
    (void)state;
    struct run_record record = {.tasks = 1};
    struct run_figures run;
    struct failure failure = FAILURE_INIT;
    assert_false(run_summarise("a.h5", &record, &run, &failure));
    assert_int_equal(failure.code, FAILURE_MISMATCH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_fastest_first),
        cmocka_unit_test(test_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
