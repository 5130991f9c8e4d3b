/* What a run may cost and take: charge, deadline, budget and energy, as asked, predicted and
 * used. */
#include <math.h>

#include "tests/checks.h"
#include "tests/planner/runs.h"

/* A quarter of the charge is fees, which do not grow with the time. */
static void what_was_paid_stands_beside_what_was_planned(void **state)
{
    struct run_record record;
    (void)state;
    run_sample(5, 0.1, &record);
    record.plan.predicted.charge = 0; /* no rank had a price */
    json_t *json = run_report(&record);
    assert_null(json_object_get(json, "charge"));
    const double ratio = run_member(json, "measured_s") / record.plan.predicted.makespan_s;
    json_decref(json);
    record.profile.overhead = (struct overhead){0, 0};
    record.profile.master.fee = 25;
    record.plan.predicted.charge = 100;
    json = run_report(&record);
    assert_true(ratio != 1);
    assert_true(fabs(run_member(json, "charge") / (25 + 75 * ratio) - 1) < 1e-9);
    assert_true(run_member(json, "predicted_charge") == 100);
    json_decref(json);
    run_record_release(&record);
}

/* Asked, predicted, used; a deadline from submission on counts the wait that was predicted. */
static void limits_stand_beside_what_was_used(void **state)
{
    struct run_record record;
    (void)state;
    run_sample(5, 0, &record);
    json_t *json = run_report(&record);
    const double makespan_s = run_member(json, "measured_s");
    json_decref(json);
    record.profile.overhead = (struct overhead){0, 0};
    record.complete = true;
    record.plan.predicted.makespan_s = makespan_s;
    record.plan.predicted.turnaround_s = 0;
    record.plan.predicted.charge = 100;
    record.plan.deadline_s = 2 * makespan_s;
    record.plan.budget = 99;
    json = run_report(&record);
    const json_t *deadline = json_object_get(json, "deadline");
    assert_true(run_member(deadline, "asked_s") == 2 * makespan_s);
    assert_true(fabs(run_member(deadline, "taken_s") / makespan_s - 1) < 1e-9);
    assert_true(json_is_true(json_object_get(deadline, "kept")));
    assert_true(json_is_false(json_object_get(json, "within_budget")));
    run_tells(&record, " predicted, of a budget of 99: exceeded\n");
    json_decref(json);
    record.plan.predicted.turnaround_s = 2.5 * makespan_s;
    json = run_report(&record);
    deadline = json_object_get(json, "deadline");
    assert_true(json_is_true(json_object_get(deadline, "from_submission")));
    assert_true(fabs(run_member(deadline, "taken_s") / (2.5 * makespan_s) - 1) < 1e-9);
    assert_true(json_is_false(json_object_get(deadline, "kept")));
    json_decref(json);
    record.plan.predicted.energy_j = 700;
    run_tells(&record, "energy      700 J predicted, not measured: ");
    record.used.energy_j = 750;
    run_tells(&record, "energy      750 J, 700 J predicted\n");
    record.complete = false;
    record.plan.deadline_s = 3 * makespan_s;
    run_tells(&record, " taken with the wait of the plan: not exceeded so far\n");
    run_record_release(&record);
}

/* Of two parts, with the plan's workers and with fewer: fees for each, seconds of both. */
static void all_parts_are_paid_for(void **state)
{
    struct run_record record;
    (void)state;
    uint64_t seed = 0;
    for (run_sample(seed, 0, &record); plan_workers_needed(&record.plan) == 1;
         run_sample(++seed, 0, &record))
        run_record_release(&record);
    const int64_t workers = plan_workers_needed(&record.plan);
    struct run_part parts[] = {
        {.began_s = 1000, .ended_s = 1010, .makespan_s = 8, .outcome = PART_STOPPED},
        {.began_s = 1100, .ended_s = 1102, .makespan_s = 1, .outcome = PART_COMPLETE}};
    parts[0].workers = parts[1].workers = (int32_t)workers;
    record.profile.overhead = (struct overhead){0, 0};
    record.profile.master = (struct price){.price_s = 2, .fee = 25};
    record.plan.predicted.known = true;
    record.plan.predicted.makespan_s = 10;
    record.plan.predicted.charge = 25 + 2 * 10;
    record.resumed = 1;
    record.part = 2;
    record.parts = parts;
    record.part_count = 2;
    json_t *json = run_report(&record);
    assert_true(fabs(run_member(json, "charge") - (2 * 25 + 2 * 9)) < 1e-9);
    json_decref(json);
    parts[0].workers--; /* by the profile's prices, which are the plan's: the master's alone */
    json = run_report(&record);
    assert_true(fabs(run_member(json, "charge") - (2 * 25 + 2 * 9)) < 1e-9);
    json_decref(json);
    record.plan.predicted.charge *= 2; /* prices were the plan's own */
    json = run_report(&record);
    assert_null(json_object_get(json, "charge"));
    json_decref(json);
    record.parts = NULL;
    record.part_count = 0;
    run_record_release(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_paid_stands_beside_what_was_planned),
        cmocka_unit_test(limits_stand_beside_what_was_used),
        cmocka_unit_test(all_parts_are_paid_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
