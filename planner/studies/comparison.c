#include "planner/studies/comparison.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/json_text.h"
#include "planner/schedulers/scheduler.h"
#include "planner/studies/masters.h"
#include "planner/studies/repeated.h"
#include "planner/studies/several.h"

/* What is asked for of every entry. */
struct comparing {
    const struct planning *planning;
    const struct platform *platform; /* with the job's cost map */
    const struct scenario *scenario;
    int64_t seeds;
    enum comparison_masters masters;
    const struct plan *planned; /* the plan of several masters that is compared, if any */
};

/* Simulates the plan with the noise that was asked for. */
static bool robustness_fill(const struct comparing *comparing, const struct plan *plan,
                            struct ensemble_summary *robustness, struct failure *failure)
{
    const struct decision decision = {.plan = plan};
    const struct ensemble_setup setup = {.platform = comparing->platform,
                                         .decision = &decision,
                                         .scenario = comparing->scenario,
                                         .runs = comparing->seeds};
    return comparing->seeds == 0 || ensemble_study(&setup, robustness, failure);
}

static bool entry_fill(const struct comparing *comparing, const struct schedule_entry *from,
                       struct comparison_entry *entry, struct failure *failure)
{
    entry->scheduler = from->scheduler->name;
    entry->applies = from->made;
    if (!from->made) {
        snprintf(entry->reason, sizeof entry->reason, "%s", from->refused.text);
        return true;
    }
    entry->predicted = from->plan.predicted;
    entry->workers = plan_workers_used(&from->plan);
    entry->rounds = plan_rounds_total(&from->plan);
    return robustness_fill(comparing, &from->plan, &entry->robustness, failure);
}

/* Plans the next entry by a scheduler that "auto" does not try. */
static bool named_fill(const struct comparing *comparing, const struct schedule_request *request,
                       const struct scheduler *scheduler, struct comparison *comparison,
                       struct failure *failure)
{
    struct schedule_entry entry = {.scheduler = scheduler};
    entry.made = scheduler_make(scheduler, request, &entry.plan, &entry.refused);
    bool good = entry.made || entry.refused.code == FAILURE_INFEASIBLE ||
                failure_set(failure, entry.refused.code, "%s", entry.refused.text);
    good = good && (!entry.made || planning_apply_map(comparing->planning, &entry.plan, failure)) &&
           entry_fill(comparing, &entry, &comparison->entries[comparison->count], failure);
    comparison->count += good;
    plan_release(&entry.plan);
    return good;
}

static bool several_fill(const struct comparing *comparing, const struct plan *plan,
                         struct comparison_several *row, struct failure *failure)
{
    const bool tree = plan->child_count > 0;
    *row = (struct comparison_several){.kind = tree ? "tree" : "masters",
                                       .applies = true,
                                       .count =
                                           (int64_t)(tree ? plan_groups(plan) : plan_masters(plan)),
                                       .predicted = plan_prediction_steady(&plan->predicted),
                                       .workers = plan_workers_used(plan),
                                       .rounds = plan_rounds_total(plan)};
    snprintf(row->scheduler, sizeof row->scheduler, "%s", plan->scheduler);
    return comparing->seeds == 0 || repeated_study(comparing->planning, plan, comparing->scenario,
                                                   comparing->seeds, &row->robustness, failure);
}

/* Marks what "plan" would take in place of `one`: the least makespan of those that save enough. */
static void several_choose(const struct plan *one, struct comparison *comparison)
{
    struct comparison_several *best = NULL;
    double least_s = (1 - MASTERS_GAIN) * one->predicted.makespan_s;
    for (size_t k = 0; k < comparison->several_count; k++) {
        struct comparison_several *row = &comparison->several[k];
        if (!row->applies || !(row->predicted.makespan_s < least_s))
            continue;
        best = row;
        least_s = row->predicted.makespan_s;
    }
    if (best)
        best->chosen = true;
}

static bool best_fill(const struct comparing *comparing, const struct plan *one,
                      struct comparison *comparison, struct failure *failure)
{
    static const char *const kinds[SEVERAL_KINDS] = {"masters", "tree"};
    struct several_row rows[SEVERAL_KINDS];
    bool good = several_compare(comparing->planning, one, rows, failure);
    for (int kind = 0; good && kind < SEVERAL_KINDS; kind++) {
        struct comparison_several *row = &comparison->several[comparison->several_count++];
        *row = (struct comparison_several){.kind = kinds[kind]};
        if (rows[kind].made)
            good = several_fill(comparing, &rows[kind].plan, row, failure);
        else
            snprintf(row->reason, sizeof row->reason, "%s", rows[kind].refused.text);
    }
    several_rows_release(rows);
    several_choose(one, comparison);
    return good;
}

/* Adds plans of several masters. `one` is what one master would run; NULL: no plan of it is
 * feasible. */
static bool masters_fill(const struct comparing *comparing, const struct plan *one,
                         struct comparison *comparison, struct failure *failure)
{
    const struct plan *planned = comparing->planned;
    if (comparing->masters == COMPARISON_BEST && one)
        return best_fill(comparing, one, comparison, failure);
    if (comparing->masters != COMPARISON_PLANNED ||
        (planned->star_count == 0 && planned->child_count == 0))
        return true;
    return several_fill(comparing, planned, &comparison->several[comparison->several_count++],
                        failure);
}

/* Fills the entries from plans, which are released here. */
static bool entries_fill(const struct comparing *comparing, const struct schedule_request *request,
                         struct comparison *comparison, struct failure *failure)
{
    struct schedule_set set;
    if (!schedule_set_make(request, &set, failure))
        return false;
    size_t all = 0;
    const struct scheduler *schedulers = scheduler_list(&all);
    comparison->entries = calloc(all, sizeof *comparison->entries);
    comparison->count = comparison->entries ? set.count : 0;
    if (!comparison->entries)
        failure_memory(failure, "comparing schedulers");
    bool good = comparison->entries && planning_apply_map_all(comparing->planning, &set, failure);
    const struct schedule_entry *chosen = schedule_set_choose(&set, SCHEDULE_WITHIN);
    for (size_t k = 0; good && k < comparison->count; k++) {
        good = entry_fill(comparing, &set.entries[k], &comparison->entries[k], failure);
        comparison->entries[k].chosen = &set.entries[k] == chosen;
    }
    for (size_t k = scheduler_automatic(); good && k < all; k++)
        good = named_fill(comparing, request, &schedulers[k], comparison, failure);
    good = good && masters_fill(comparing, chosen ? &chosen->plan : NULL, comparison, failure);
    schedule_set_release(&set);
    return good;
}

static int entry_compare(const void *a, const void *b)
{
    const struct comparison_entry *x = a, *y = b;
    if (x->applies != y->applies)
        return x->applies ? -1 : 1;
    double first_s = x->predicted.makespan_s, second_s = y->predicted.makespan_s;
    return (first_s > second_s) - (first_s < second_s);
}

bool comparison_make_with(const struct planning *planning, const struct scenario *scenario,
                          int64_t seeds, enum comparison_masters masters,
                          const struct plan *planned, struct comparison *comparison,
                          struct failure *failure)
{
    struct comparison made = {.has_robustness = seeds > 0, .regions = planning_regions(planning)};
    struct platform platform, heeded;
    if (!planning_platform(planning, &platform, failure))
        return false;
    const struct schedule_request request = {
        .platform = &platform, .tasks = planning->tasks, .real_valued = planning->real_valued};
    heeded = platform_unplaced(&platform);
    struct planning fixed = *planning; /* plans are compared without tails */
    fixed.tail = NULL;
    const struct comparing comparing = {&fixed, &heeded, scenario, seeds, masters, planned};
    const bool good =
        (made.regions == 0 || platform_map(&heeded, planning->setting, planning->tasks, failure)) &&
        entries_fill(&comparing, &request, &made, failure);
    work_release(&heeded.work);
    work_release(&heeded.bytes);
    platform_release(&platform);
    if (!good) {
        comparison_release(&made);
        return false;
    }
    qsort(made.entries, made.count, sizeof *made.entries, entry_compare);
    *comparison = made;
    return true;
}

bool comparison_make(const struct planning *planning, const struct scenario *scenario,
                     int64_t seeds, struct comparison *comparison, struct failure *failure)
{
    return comparison_make_with(planning, scenario, seeds, COMPARISON_ONE, NULL, comparison,
                                failure);
}

void comparison_release(struct comparison *comparison)
{
    free(comparison->entries);
    *comparison = (struct comparison){0};
}

static void entry_text(const struct comparison *comparison, const struct comparison_entry *entry,
                       struct text *text)
{
    text_add(text, "%-11s", entry->scheduler);
    text_add_seconds_column(text, entry->predicted.makespan_s);
    text_add(text, "%9" PRId64 "%9" PRId64 "%8.1f %%", entry->workers, entry->rounds,
             100 * entry->predicted.gap);
    if (comparison->has_robustness) {
        text_add_seconds_column(text, entry->robustness.median_s);
        text_add_seconds_column(text, entry->robustness.p95_s);
    }
    text_add(text, "\n");
}

static void several_row_text(const struct comparison *comparison,
                             const struct comparison_several *row, struct text *text)
{
    char name[32];
    snprintf(name, sizeof name, "%s %" PRId64, row->kind, row->count);
    text_add(text, "%-11s", name);
    text_add_seconds_column(text, row->predicted.makespan_s);
    text_add(text, "%9" PRId64 "%9" PRId64, row->workers, row->rounds);
    if (row->predicted.lower_bound_s > 0)
        text_add(text, "%8.1f %%", 100 * row->predicted.gap);
    else
        text_add(text, "%10s", "-"); /* no bound is known for trees */
    if (comparison->has_robustness) {
        text_add_seconds_column(text, row->robustness.median_s);
        text_add_seconds_column(text, row->robustness.p95_s);
    }
    text_add(text, "\n");
}

/* Prints the plans of several masters whose makespan is at least from_s and below until_s. */
static void several_text(const struct comparison *comparison, double from_s, double until_s,
                         struct text *text)
{
    for (size_t k = 0; k < comparison->several_count; k++) {
        const struct comparison_several *row = &comparison->several[k];
        if (row->applies && row->predicted.makespan_s >= from_s &&
            row->predicted.makespan_s < until_s)
            several_row_text(comparison, row, text);
    }
}

/* Prints all plans in the order of their makespan; of equal ones that of one master comes first. */
static void applied_text(const struct comparison *comparison, struct text *text)
{
    double before_s = 0;
    for (size_t k = 0; k < comparison->count; k++) {
        const struct comparison_entry *entry = &comparison->entries[k];
        if (!entry->applies)
            continue;
        several_text(comparison, before_s, entry->predicted.makespan_s, text);
        entry_text(comparison, entry, text);
        before_s = entry->predicted.makespan_s;
    }
    several_text(comparison, before_s, HUGE_VAL, text);
}

/* The reason without the scheduler's name, which the line begins with. */
static const char *reason_alone(const struct comparison_entry *entry)
{
    const size_t length = strlen(entry->scheduler);
    const bool named = strncmp(entry->reason, entry->scheduler, length) == 0;
    return entry->reason + (named && entry->reason[length] == ' ' ? length + 1 : 0);
}

static void refused_text(const struct comparison *comparison, struct text *text)
{
    for (size_t k = 0; k < comparison->count; k++)
        if (!comparison->entries[k].applies)
            text_add(text, "%-11s%s\n", comparison->entries[k].scheduler,
                     reason_alone(&comparison->entries[k]));
    for (size_t k = 0; k < comparison->several_count; k++)
        if (!comparison->several[k].applies)
            text_add(text, "%-11s%s\n", comparison->several[k].kind, comparison->several[k].reason);
}

/* Says what "auto" takes, where that is not the plan of least makespan by one master. */
static void chosen_text(const struct comparison *comparison, struct text *text)
{
    for (size_t k = 0; k < comparison->several_count; k++) {
        const struct comparison_several *row = &comparison->several[k];
        if (!row->chosen)
            continue;
        text_add(text, "auto        %s %" PRId64 ": saves %.3g %% over one master\n", row->kind,
                 row->count,
                 100 *
                     (1 - row->predicted.makespan_s / comparison->entries[0].predicted.makespan_s));
        return;
    }
    for (size_t k = 1; k < comparison->count; k++) /* entry 0 has the least makespan */
        if (comparison->entries[k].chosen)
            text_add(text,
                     "auto        %s: within 0.1 %% of the least makespan%s, the least "
                     "worker-seconds\n",
                     comparison->entries[k].scheduler,
                     comparison->several_count > 0 ? " of one master" : "");
}

void comparison_text(const struct comparison *comparison, struct text *text)
{
    text_add(text, "%-11s%12s%9s%9s%10s", "scheduler", "makespan", "workers", "rounds", "gap");
    text_add(text, comparison->has_robustness ? "%12s%12s\n" : "\n", "median", "95 %");
    applied_text(comparison, text);
    refused_text(comparison, text);
    chosen_text(comparison, text);
    if (comparison->regions > 0)
        text_add(text,
                 "regions     every plan was simulated with the %zu of the job; gaps are to its "
                 "whole work, perfectly balanced\n",
                 comparison->regions);
}

static void entry_json(const struct comparison *comparison, const struct comparison_entry *entry,
                       struct json_text *entries)
{
    struct json_text json = json_open_in(entries, NULL, "\n    {", ", ");
    json_word(&json, "scheduler", entry->scheduler);
    if (entry->applies) {
        json_number(&json, "makespan_s", entry->predicted.makespan_s);
        json_count(&json, "workers", entry->workers);
        json_count(&json, "rounds", entry->rounds);
        json_number(&json, "lower_bound_s", entry->predicted.lower_bound_s);
        json_number(&json, "gap", entry->predicted.gap);
    } else {
        json_word(&json, "reason", entry->reason);
    }
    if (entry->applies && comparison->has_robustness) {
        json_number(&json, "median_s", entry->robustness.median_s);
        json_number(&json, "p95_s", entry->robustness.p95_s);
    }
    json_close(&json, "}");
}

static void entries_json(const struct comparison *comparison, const char *key, bool applies,
                         struct json_text *json)
{
    struct json_text entries = json_open_in(json, key, "[", ",");
    for (size_t k = 0; k < comparison->count; k++)
        if (comparison->entries[k].applies == applies)
            entry_json(comparison, &comparison->entries[k], &entries);
    json_close(&entries, "]");
}

static void several_json(const struct comparison *comparison, const struct comparison_several *row,
                         struct json_text *rows)
{
    struct json_text json = json_open_in(rows, NULL, "\n    {", ", ");
    json_word(&json, "kind", row->kind);
    if (row->applies) {
        json_count(&json, "masters", row->count);
        json_word(&json, "scheduler", row->scheduler);
        json_number(&json, "makespan_s", row->predicted.makespan_s);
        json_count(&json, "workers", row->workers);
        json_count(&json, "rounds", row->rounds);
    } else {
        json_word(&json, "reason", row->reason);
    }
    if (row->applies && row->predicted.lower_bound_s > 0) {
        json_number(&json, "lower_bound_s", row->predicted.lower_bound_s);
        json_number(&json, "gap", row->predicted.gap);
    }
    if (row->applies && comparison->has_robustness) {
        json_number(&json, "median_s", row->robustness.median_s);
        json_number(&json, "p95_s", row->robustness.p95_s);
    }
    json_close(&json, "}");
}

static void masters_json(const struct comparison *comparison, struct json_text *json)
{
    if (comparison->several_count == 0)
        return;
    struct json_text rows = json_open_in(json, "several", "[", ",");
    for (size_t k = 0; k < comparison->several_count; k++)
        several_json(comparison, &comparison->several[k], &rows);
    json_close(&rows, "]");
}

void comparison_json(const struct comparison *comparison, struct text *text)
{
    struct json_text json = json_open(text, "{ ", ",\n  ");
    json_word(&json, "schema", "scow-compare-1");
    entries_json(comparison, "plans", true, &json);
    entries_json(comparison, "not_applicable", false, &json);
    masters_json(comparison, &json);
    json_close(&json, " }\n");
}
