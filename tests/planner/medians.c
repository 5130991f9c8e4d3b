/* Predictions by the median, where variation makes runs longer: in plans, and in reports. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/report/report.h"
#include "planner/studies/interval.h"
#include "tests/checks.h"
#include "tests/planner/runs.h"

/* One package of ten core tasks of a second for each of so many workers, by a master that takes no
 * time. `fit` says how they vary. */
static struct plan_prediction alike_predict(int64_t workers, const struct fit *fit)
{
    struct profile_worker worker = {.count = workers, .compute = {{0, 1}, *fit}};
    struct profile_window window = {
        .least = 1, .greatest = 100, .workers = &worker, .worker_count = 1};
    struct profile_setting setting = {.windows = &window, .window_count = 1};
    const struct profile profile = {.settings = &setting, .setting_count = 1};
    int64_t order[16];
    double loads[16];
    struct plan_round round = {1, loads};
    for (int k = 0; k < 16; k++) {
        order[k] = k;
        loads[k] = 10;
    }
    struct plan plan = {.tasks = 10 * (double)workers,
                        .workers = order,
                        .worker_count = workers,
                        .rounds = &round,
                        .round_count = 1,
                        .predicted = {.known = true,
                                      .makespan_s = 10,
                                      .worker_busy_share = 0.9,
                                      .network_utilization = 0.5,
                                      .lower_bound_s = 9,
                                      .gap = 1.0 / 9}};
    const struct interval_request request = {
        .profile = &profile, .setting = &setting, .plan = &plan, .seed = 5};
    struct failure failure = FAILURE_INIT;
    struct interval interval;
    if (!interval_draw(&request, &interval, &failure))
        fail_msg("%s", failure.text);
    interval_predict(&interval, &plan.predicted);
    interval_release(&interval);
    return plan.predicted;
}

/* All wait for the slowest of n workers whose times are log-normal of mean 1 and deviation d: with
 * s^2 = log(1 + d^2), that is above exp(s z - s^2 / 2) in half of the runs, where z is what a
 * normal deviate is below with the n-th root of a half. */
static void plans_that_vary_are_predicted_by_their_median(void **state)
{
    static const struct {
        int64_t workers;
        double deviation, z;
    } cases[] = {{8, 0.13, 1.3820}, {16, 0.13, 1.7232}, {16, 0.05, 1.7232}, {16, 0.003, 1.7232}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const struct fit fit = {.n = 9, .drift_own = cases[k].deviation};
        const struct plan_prediction predicted = alike_predict(cases[k].workers, &fit);
        const struct plan_prediction steady = plan_prediction_steady(&predicted);
        const double variance = log(1 + cases[k].deviation * cases[k].deviation);
        const double expected_s = 10 * exp(sqrt(variance) * cases[k].z - variance / 2);
        print_message("%" PRId64 " workers: %.4g s, %.4g to %.4g s; %.4g s expected\n",
                      cases[k].workers, predicted.makespan_s, predicted.interval_s[0],
                      predicted.interval_s[1], expected_s);
        assert_true(fabs(predicted.makespan_s - expected_s) < 0.01 * expected_s);
        assert_true(predicted.interval_s[0] < predicted.makespan_s);
        assert_true(predicted.interval_s[1] > predicted.makespan_s);
        assert_true(predicted.without_variation_s == 10);
        assert_true(predicted.gap == 1.0 / 9);
        assert_true(fabs(predicted.worker_busy_share * predicted.makespan_s - 9) < 1e-9);
        assert_true(steady.makespan_s == 10 && steady.without_variation_s == 0);
        assert_true(fabs(steady.worker_busy_share - 0.9) < 1e-9);
        assert_true(fabs(steady.network_utilization - 0.5) < 1e-9);
    }
}

/* Half of the runs take longer than by mean costs, half less: whatever the draws' median is off by
 * is chance. So is what hardly varies. */
static void other_plans_are_predicted_as_they_are_simulated(void **state)
{
    const struct fit fits[] = {
        {.n = 0}, {.n = 9, .drift = 0.08}, {.n = 9, .drift = 0.02}, {.n = 9, .drift_own = 1e-5}};
    (void)state;
    for (size_t k = 0; k < sizeof fits / sizeof *fits; k++) {
        const struct plan_prediction predicted = alike_predict(8, &fits[k]);
        assert_true(predicted.makespan_s == 10 && predicted.without_variation_s == 0);
        assert_true(predicted.worker_busy_share == 0.9);
        assert_true(predicted.interval_s[0] < 10.001 && predicted.interval_s[1] > 9.999);
        assert_true(plan_prediction_steady(&predicted).makespan_s == 10);
    }
}

/* The run is what its plan's mean costs come to, and the plan has predicted an eighth more: that is
 * what it is compared with. */
static void reports_compare_with_the_median(void **state)
{
    struct run_record record;
    (void)state;
    run_sample(3, 0, &record);
    json_t *before = run_report(&record);
    const double measured_s = run_member(before, "measured_s");
    struct plan_prediction *predicted = &record.plan.predicted;
    *predicted = (struct plan_prediction){.known = true,
                                          .makespan_s = 1.125 * measured_s,
                                          .without_variation_s = measured_s,
                                          .interval_s = {measured_s, 1.5 * measured_s}};
    json_t *json = run_report(&record);
    assert_null(json_object_get(before, "without_variation_s"));
    assert_true(run_member(json, "predicted_s") == predicted->makespan_s);
    assert_true(fabs(run_member(json, "without_variation_s") / measured_s - 1) < 1e-12);
    assert_true(fabs(run_member(json, "error") - (1 / 1.125 - 1)) < 1e-12);
    assert_true(fabs(run_member(json, "drift") - (1 / 1.125 - 1)) < 1e-12);
    assert_true(fabs(run_member(json, "model_error")) < 1e-12);
    run_tells(&record, "\n  by mean costs    ");
    run_tells(&record, "The run took 11.1 % less than predicted: ");
    run_tells(&record, " than by mean costs. The prediction is ");
    json_decref(json);
    /* By a rule it was another run. */
    record.rule = strdup("ss");
    record.ahead = 1;
    json = run_report(&record);
    assert_null(json_object_get(json, "without_variation_s"));
    json_decref(json);
    json_decref(before);
    run_record_release(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_that_vary_are_predicted_by_their_median),
        cmocka_unit_test(other_plans_are_predicted_as_they_are_simulated),
        cmocka_unit_test(reports_compare_with_the_median),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
