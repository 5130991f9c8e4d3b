#include "planner/command/simulate_levels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "planner/base/json_text.h"
#include "planner/files/profile_json.h"
#include "planner/studies/level_masters.h"
#include "planner/studies/remaining_plan.h"

struct levels {
    struct profile profiles[LEVELS_MOST]; /* owned */
    struct level_sample
        samples[LEVELS_MOST]; /* such that each level gets as many core tasks as the plan says */
    struct level_masters_setup setup;
    struct level_masters simulated;
    double one_s[LEVELS_MOST]; /* by one master; NaN: no plan can be made */
};

static void levels_release(struct levels *levels)
{
    for (size_t k = 0; k < levels->setup.level_count; k++)
        profile_release(&levels->profiles[k]);
}

static bool profiles_make(struct levels *levels, const struct profile *profile,
                          struct failure *failure)
{
    for (size_t k = 0; k < levels->setup.level_count; k++) {
        if (!profile_copy(&levels->profiles[k], profile))
            return failure_memory(failure, "simulating levels");
        profile_level(&levels->profiles[k], (int64_t)k + 1);
    }
    return true;
}

/* Takes the numbers of core tasks by level from the plan or, where it has none, from the profile's
 * samples. */
static void levels_take(struct levels *levels, const struct profile_setting *setting)
{
    struct level_masters_setup *setup = &levels->setup;
    const struct plan *plan = setup->plan;
    setup->levels = setting->levels;
    setup->level_count = setting->level_count;
    if (plan->level_count == 0)
        return;
    for (size_t k = 0; k < plan->level_count; k++)
        levels->samples[k] = (struct level_sample){
            .next =
                k + 1 < plan->level_count ? plan->levels[k + 1].tasks / plan->levels[k].tasks : 0};
    setup->levels = levels->samples;
    setup->level_count = plan->level_count;
}

/* Plans one level after the other for one master, as scow run does. */
static void one_find(struct levels *levels)
{
    const struct level_masters_setup *setup = &levels->setup;
    for (size_t k = 0; k < setup->level_count; k++) {
        const struct remaining_request request = {.plan = setup->plan,
                                                  .profile = &levels->profiles[k],
                                                  .tasks = levels->simulated.rows[k].tasks,
                                                  .workers = setup->workers};
        struct plan plan;
        levels->one_s[k] = (double)NAN;
        if (request.tasks > 0 && remaining_measured(&request, &plan)) {
            levels->one_s[k] = plan.predicted.makespan_s;
            plan_release(&plan);
        }
    }
}

static void seconds_add(struct text *text, double seconds)
{
    if (isnan(seconds))
        text_add(text, "%12s", "-");
    else
        text_add_seconds_column(text, seconds);
}

static void row_add(const struct levels *levels, size_t k, struct text *text)
{
    const struct level_masters_row *row = &levels->simulated.rows[k];
    char each[64] = "-";
    if (row->masters > 0 && row->least == row->most)
        snprintf(each, sizeof each, "%" PRId64, row->most);
    else if (row->masters > 0)
        snprintf(each, sizeof each, "%" PRId64 " to %" PRId64, row->least, row->most);
    text_add(text, "%-8zu%12" PRId64, k + 1, row->tasks);
    seconds_add(text, levels->one_s[k]);
    text_add(text, "%10" PRId64 "%14s%8" PRId64, row->masters, each, row->alone);
    seconds_add(text, row->longest_s);
    text_add(text, "\n");
}

static void table_add(const struct levels *levels, struct text *text)
{
    double one_s = 0;
    text_add(text, "%-8s%12s%12s%10s%14s%8s%12s\n", "level", "core tasks", "one master", "masters",
             "workers each", "alone", "longest");
    for (size_t k = 0; k < levels->setup.level_count; k++) {
        row_add(levels, k, text);
        one_s += levels->one_s[k];
    }
    text_add(text, "makespan    ");
    if (isnan(one_s))
        text_add(text, "not known");
    else
        text_add_seconds(text, one_s);
    text_add(text, " by one master, level after level; ");
    text_add_seconds(text, levels->simulated.makespan_s);
    text_add(text, " by workers that become masters of what they find\n");
}

static void table_json(const struct levels *levels, struct text *text)
{
    struct json_text json = json_open(text, "{ ", ",\n  ");
    json_word(&json, "schema", "scow-levels-1");
    struct json_text list = json_open_in(&json, "levels", "[\n", ",\n");
    for (size_t k = 0; k < levels->setup.level_count; k++) {
        const struct level_masters_row *row = &levels->simulated.rows[k];
        struct json_text line = json_open_in(&list, NULL, "    {", ", ");
        json_count(&line, "level", (int64_t)k + 1);
        json_count(&line, "tasks", row->tasks);
        json_number(&line, "one_master_s", levels->one_s[k]);
        json_count(&line, "masters", row->masters);
        json_count(&line, "workers_least", row->least);
        json_count(&line, "workers_most", row->most);
        json_count(&line, "alone", row->alone);
        json_number(&line, "longest_s", row->longest_s);
        json_close(&line, "}");
    }
    json_close(&list, "\n  ]");
    json_number(&json, "makespan_s", levels->simulated.makespan_s);
    json_close(&json, " }\n");
}

bool simulate_levels(const struct profile *profile, const char *name, const struct plan *plan,
                     int64_t workers, bool json, struct text *text, struct failure *failure)
{
    const struct profile_setting *setting = profile_find(profile, &plan->parameters, plan->threads);
    struct levels levels = {.setup = {.plan = plan}};
    if (!setting || setting->level_count == 0)
        return failure_set(
            failure, FAILURE_MISMATCH,
            "%s: has no levels: calibrate a core task that searches in levels, with --levels",
            name);
    levels.setup.profiles = levels.profiles;
    levels_take(&levels, setting);
    levels.setup.workers = workers > 0 ? workers : profile_workers(&setting->windows[0]);
    const bool good = profiles_make(&levels, profile, failure) &&
                      level_masters_simulate(&levels.setup, &levels.simulated, failure);
    if (good) {
        one_find(&levels);
        if (json)
            table_json(&levels, text);
        else
            table_add(&levels, text);
    }
    levels_release(&levels);
    return good;
}
