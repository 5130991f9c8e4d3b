#include "planner/report/costs.h"

#include <math.h>

#include "planner/report/parts.h"
#include "planner/studies/charge.h"

/* NaN: not known. For a run that was resumed: of all its parts, each of which starts its ranks
 * again; the time between parts, in which no rank is paid for, does not count. */
struct run_costs {
    const char *objective;       /* borrowed; NULL: no objective was asked for */
    double deadline_s, budget;   /* asked for; 0: none */
    bool from_submission;        /* the deadline includes the wait in the queue; the run's time then
                                    includes the wait that was predicted */
    double predicted_s, taken_s; /* the times that the deadline is for */
    double predicted, used;      /* charges by the plan's prices */
};

/* The plan of the whole job, which is that of the first part. NULL: there is none. */
static const struct plan *plan_first(const struct run_record *record)
{
    if (record->resumed == 0 || record->part == 1)
        return &record->plan;
    for (int64_t k = 0; k < record->other_count; k++)
        if (record->others[k].part == 1)
            return &record->others[k].plan;
    return NULL;
}

/* The time that a run needs besides packages, by the profile, as predictions count it. */
static double around_s(const struct run_record *record)
{
    const struct overhead *overhead = &record->profile.overhead;
    return record->has_profile ? overhead->start_s + overhead->seal_s : 0;
}

static double makespan_of(const struct plan *plan)
{
    return plan && plan->predicted.known ? plan->predicted.makespan_s : (double)NAN;
}

/* The time from the first package of each part to its last one; NaN: not known. */
static double work_s(const struct residuals *residuals)
{
    const struct run_record *record = residuals->record;
    if (record->resumed > 0)
        return record->part_count > 1
                   ? parts_sum(record->parts, record->part_count, NULL).measured_s
                   : (double)NAN;
    return residuals_untraced(record) ? (double)NAN : residuals->measured.makespan_s;
}

static int64_t part_count(const struct run_record *record)
{
    return record->resumed > 0 ? record->part_count : 1;
}

/* The charge for the plan's first workers, of one part or of the whole run. */
static double charge_of(const struct run_record *record, const struct profile_setting *setting,
                        int64_t workers, double seconds)
{
    struct charge_rate rate;
    return charge_rate_find(&record->profile, setting, &record->plan, workers, &rate)
               ? rate.fees + rate.per_s * (around_s(record) + seconds)
               : (double)NAN;
}

static double used_of(const struct residuals *residuals)
{
    const struct run_record *record = residuals->record;
    const struct plan *plan = &record->plan;
    const struct profile_setting *setting =
        record->has_profile ? profile_find(&record->profile, &plan->parameters, plan->threads)
                            : NULL;
    const double all_s = work_s(residuals);
    double used = 0;
    if (!setting || isnan(all_s))
        return (double)NAN;
    if (record->resumed == 0)
        return charge_of(record, setting, plan_workers_needed(plan), all_s);
    for (int64_t k = 0; k < record->part_count; k++)
        used +=
            charge_of(record, setting, record->parts[k].workers, parts_seconds(&record->parts[k]));
    return used;
}

/* Finds the predictions for the whole job, where its plan is known. */
static void predictions_find(const struct run_record *record, struct run_costs *costs)
{
    const struct plan *first = plan_first(record);
    costs->predicted_s = makespan_of(first);
    costs->predicted = first && first->predicted.charge > 0 ? first->predicted.charge : (double)NAN;
    if (!first || !(first->predicted.turnaround_s > 0))
        return;
    const double wait_s =
        first->predicted.turnaround_s - first->predicted.makespan_s - around_s(record);
    costs->from_submission = true;
    costs->predicted_s = first->predicted.turnaround_s;
    costs->taken_s += wait_s + (double)part_count(record) * around_s(record);
}

static void run_costs_find(const struct residuals *residuals, struct run_costs *costs)
{
    const struct run_record *record = residuals->record;
    *costs = (struct run_costs){.objective = record->plan.objective,
                                .deadline_s = record->plan.deadline_s,
                                .budget = record->plan.budget,
                                .taken_s = work_s(residuals),
                                .used = used_of(residuals)};
    predictions_find(record, costs);
}

/* ---- for people ---------------------------------------------------------------------------- */

/* Where core tasks are left, it is known only whether a limit is exceeded already. */
static const char *kept_words(const struct run_record *record, double used, double most)
{
    if (used > most)
        return "exceeded";
    return record->complete ? "kept" : "not exceeded so far";
}

static void deadline_text(const struct run_record *record, const struct run_costs *costs,
                          struct text *text)
{
    if (!(costs->deadline_s > 0))
        return;
    text_add(text, "deadline    ");
    text_add_seconds(text, costs->deadline_s);
    text_add(text, "%s", costs->from_submission ? " from submission on" : "");
    if (!isnan(costs->predicted_s)) {
        text_add(text, ", ");
        text_add_seconds(text, costs->predicted_s);
        text_add(text, " predicted");
    }
    if (!isnan(costs->taken_s)) {
        text_add(text, ", ");
        text_add_seconds(text, costs->taken_s);
        text_add(text, " taken%s: %s", costs->from_submission ? " with the wait of the plan" : "",
                 kept_words(record, costs->taken_s, costs->deadline_s));
    }
    text_add(text, "\n");
}

static void charge_text(const struct run_record *record, const struct run_costs *costs,
                        struct text *text)
{
    if (isnan(costs->used))
        return;
    text_add(text, "charge      %.6g", costs->used);
    if (record->resumed > 0)
        text_add(text, " in all parts");
    if (!isnan(costs->predicted))
        text_add(text, ", %.6g predicted", costs->predicted);
    if (costs->budget > 0)
        text_add(text, ", of a budget of %.6g: %s", costs->budget,
                 kept_words(record, costs->used, costs->budget));
    text_add(text, "\n");
}

/* Adds the energy of this part. */
static void energy_text(const struct run_record *record, struct text *text)
{
    const double predicted_j = record->plan.predicted.energy_j, used_j = record->used.energy_j;
    if (used_j > 0 && predicted_j > 0)
        text_add(text, "energy      %.6g J, %.6g J predicted\n", used_j, predicted_j);
    else if (used_j > 0)
        text_add(text, "energy      %.6g J\n", used_j);
    else if (predicted_j > 0)
        text_add(text,
                 "energy      %.6g J predicted, not measured: no counter of the nodes' "
                 "processors could be read; --energy takes what the batch system knows\n",
                 predicted_j);
}

void run_costs_text(const struct residuals *residuals, struct text *text)
{
    struct run_costs costs;
    run_costs_find(residuals, &costs);
    if (costs.objective)
        text_add(text, "objective   %s\n", costs.objective);
    deadline_text(residuals->record, &costs, text);
    charge_text(residuals->record, &costs, text);
    energy_text(residuals->record, text);
}

/* ---- as JSON ------------------------------------------------------------------------------- */

/* Writes whether the limit was kept; null while that is not known. */
static void kept_json(struct json_text *json, const char *key, const struct run_record *record,
                      double used, double most)
{
    if (isnan(used) || (used <= most && !record->complete))
        json_raw(json, key, NULL);
    else
        json_flag(json, key, used <= most);
}

static void energy_json(const struct run_record *record, struct json_text *json)
{
    const double predicted_j = record->plan.predicted.energy_j, used_j = record->used.energy_j;
    if (!(used_j > 0 || predicted_j > 0))
        return;
    json_number(json, "energy_j", used_j > 0 ? used_j : (double)NAN);
    json_number(json, "predicted_energy_j", predicted_j > 0 ? predicted_j : (double)NAN);
}

void run_costs_json(const struct residuals *residuals, struct json_text *json)
{
    const struct run_record *record = residuals->record;
    struct run_costs costs;
    run_costs_find(residuals, &costs);
    if (costs.objective)
        json_word(json, "objective", costs.objective);
    if (costs.deadline_s > 0) {
        struct json_text deadline = json_open_in(json, "deadline", "{", ", ");
        json_number(&deadline, "asked_s", costs.deadline_s);
        json_number(&deadline, "predicted_s", costs.predicted_s);
        json_number(&deadline, "taken_s", costs.taken_s);
        json_flag(&deadline, "from_submission", costs.from_submission);
        kept_json(&deadline, "kept", record, costs.taken_s, costs.deadline_s);
        json_close(&deadline, "}");
    }
    if (costs.budget > 0)
        json_number(json, "budget", costs.budget);
    if (!isnan(costs.used)) {
        json_number(json, "charge", costs.used);
        json_number(json, "predicted_charge", costs.predicted);
    }
    if (costs.budget > 0)
        kept_json(json, "within_budget", record, costs.used, costs.budget);
    energy_json(record, json);
}
