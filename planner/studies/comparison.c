#include "planner/studies/comparison.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "planner/base/json_text.h"
#include "planner/schedulers/scheduler.h"

/* What has been asked for, of all entries. */
struct comparing {
    const struct planning *planning;
    const struct platform *platform; /* with the job's cost map */
    const struct scenario *scenario;
    int64_t seeds;
};

static bool entry_fill(const struct comparing *comparing, const struct schedule_entry *from,
                       struct comparison_entry *entry, struct failure *failure)
{
    const struct decision decision = {.plan = &from->plan};
    entry->scheduler = from->scheduler->name;
    entry->applies = from->made;
    if (!from->made) {
        snprintf(entry->reason, sizeof entry->reason, "%s", from->refused.text);
        return true;
    }
    entry->predicted = from->plan.predicted;
    entry->workers = plan_workers_used(&from->plan);
    entry->rounds = plan_rounds_total(&from->plan);
    return comparing->seeds == 0 ||
           ensemble_study(&(const struct ensemble_setup){comparing->platform, &decision,
                                                         comparing->scenario, comparing->seeds},
                          &entry->robustness, failure);
}

/* One that "auto" does not look at, into the next entry. */
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

/* The plans themselves are not kept. */
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

bool comparison_make(const struct planning *planning, const struct scenario *scenario,
                     int64_t seeds, struct comparison *comparison, struct failure *failure)
{
    struct comparison made = {.has_robustness = seeds > 0, .regions = planning_regions(planning)};
    struct platform platform, heeded;
    if (!planning_platform(planning, &platform, failure))
        return false;
    const struct schedule_request request = {
        .platform = &platform, .tasks = planning->tasks, .real_valued = planning->real_valued};
    heeded = platform_unplaced(&platform);
    const struct comparing comparing = {planning, &heeded, scenario, seeds};
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

void comparison_text(const struct comparison *comparison, struct text *text)
{
    text_add(text, "%-11s%12s%9s%9s%10s", "scheduler", "makespan", "workers", "rounds", "gap");
    text_add(text, comparison->has_robustness ? "%12s%12s\n" : "\n", "median", "95 %");
    for (size_t k = 0; k < comparison->count; k++)
        if (comparison->entries[k].applies)
            entry_text(comparison, &comparison->entries[k], text);
    for (size_t k = 0; k < comparison->count; k++)
        if (!comparison->entries[k].applies)
            text_add(text, "%-11s%s\n", comparison->entries[k].scheduler,
                     comparison->entries[k].reason);
    for (size_t k = 1; k < comparison->count; k++) /* the first has the least makespan */
        if (comparison->entries[k].chosen)
            text_add(text,
                     "auto        %s: within 0.1 %% of the least makespan, the least "
                     "worker-seconds\n",
                     comparison->entries[k].scheduler);
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

void comparison_json(const struct comparison *comparison, struct text *text)
{
    struct json_text json = json_open(text, "{ ", ",\n  ");
    json_word(&json, "schema", "scow-compare-1");
    entries_json(comparison, "plans", true, &json);
    entries_json(comparison, "not_applicable", false, &json);
    json_close(&json, " }\n");
}
