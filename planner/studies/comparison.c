#include "planner/studies/comparison.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "planner/schedulers/scheduler.h"

static bool plan_robustness(const struct planning *planning, const struct plan *plan,
                            const struct scenario *scenario, int64_t seeds,
                            struct robustness *robustness, struct failure *failure)
{
    const struct decision decision = {.plan = plan};
    struct platform platform;
    if (!planning_platform(planning, &platform, failure))
        return false;
    bool good = robustness_measure(&platform, &decision, scenario, seeds, robustness, failure);
    platform_release(&platform);
    return good;
}

static bool entry_make(const struct planning *planning, const struct scenario *scenario,
                       int64_t seeds, struct comparison_entry *entry, struct failure *failure)
{
    struct planning own = *planning;
    struct plan plan;
    struct failure refused = FAILURE_INIT;
    own.scheduler = entry->scheduler;
    if (!planning_make(&own, &plan, &refused)) {
        snprintf(entry->reason, sizeof entry->reason, "%s", refused.text);
        return refused.code == FAILURE_INFEASIBLE ||
               failure_set(failure, refused.code, "%s", refused.text);
    }
    entry->applies = true;
    entry->predicted = plan.predicted;
    entry->workers = plan_workers_used(&plan);
    entry->rounds = plan_rounds_total(&plan);
    bool good =
        seeds == 0 || plan_robustness(&own, &plan, scenario, seeds, &entry->robustness, failure);
    plan_release(&plan);
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
    struct comparison held = {.has_robustness = seeds > 0};
    const struct scheduler *schedulers = scheduler_list(&held.count);
    held.entries = calloc(held.count, sizeof *held.entries);
    bool good = true;
    if (!held.entries)
        return failure_memory(failure, "comparing schedulers");
    for (size_t k = 0; good && k < held.count; k++) {
        held.entries[k].scheduler = schedulers[k].name;
        good = entry_make(planning, scenario, seeds, &held.entries[k], failure);
    }
    if (!good) {
        comparison_release(&held);
        return false;
    }
    qsort(held.entries, held.count, sizeof *held.entries, entry_compare);
    *comparison = held;
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
}

static void member_json(struct text *text, const char *key, double value)
{
    text_add(text, ", \"%s\": ", key);
    text_add_number(text, value);
}

static void entry_json(const struct comparison *comparison, const struct comparison_entry *entry,
                       struct text *text)
{
    text_add(text, "    {\"scheduler\": \"%s\"", entry->scheduler);
    if (entry->applies) {
        member_json(text, "makespan_s", entry->predicted.makespan_s);
        member_json(text, "workers", (double)entry->workers);
        member_json(text, "rounds", (double)entry->rounds);
        member_json(text, "lower_bound_s", entry->predicted.lower_bound_s);
        member_json(text, "gap", entry->predicted.gap);
    } else {
        text_add(text, ", \"reason\": ");
        text_add_quoted(text, entry->reason);
    }
    if (entry->applies && comparison->has_robustness) {
        member_json(text, "median_s", entry->robustness.median_s);
        member_json(text, "p95_s", entry->robustness.p95_s);
    }
    text_add(text, "}");
}

static void entries_json(const struct comparison *comparison, bool applies, struct text *text)
{
    const char *before = "";
    for (size_t k = 0; k < comparison->count; k++) {
        if (comparison->entries[k].applies != applies)
            continue;
        text_add(text, "%s\n", before);
        entry_json(comparison, &comparison->entries[k], text);
        before = ",";
    }
}

void comparison_json(const struct comparison *comparison, struct text *text)
{
    text_add(text, "{ \"schema\": \"scow-compare-1\",\n  \"plans\": [");
    entries_json(comparison, true, text);
    text_add(text, "],\n  \"not_applicable\": [");
    entries_json(comparison, false, text);
    text_add(text, "] }\n");
}
