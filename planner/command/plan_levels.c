#include "planner/command/plan_levels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "planner/files/profile_json.h"
#include "planner/studies/remaining_plan.h"

static int64_t workers_of(const struct planned *planned)
{
    const struct planning *planning = &planned->planning;
    return planning->workers > 0 ? planning->workers
                                 : profile_workers(&planning->setting->windows[0]);
}

/* As scow run plans it when it begins. NaN: no plan can be made; false: out of memory. */
static bool makespan_find(const struct planned *planned, int64_t level, double tasks,
                          double *makespan_s)
{
    struct profile profile = {0};
    struct plan plan;
    if (!profile_copy(&profile, planned->planning.profile)) {
        profile_release(&profile);
        return false;
    }
    profile_level(&profile, level);
    const struct remaining_request request = {.plan = &planned->plan,
                                              .profile = &profile,
                                              .tasks = (int64_t)tasks,
                                              .workers = workers_of(planned)};
    *makespan_s = (double)NAN;
    if (remaining_measured(&request, &plan)) {
        *makespan_s = plan.predicted.makespan_s;
        plan_release(&plan);
    }
    profile_release(&profile);
    return true;
}

static void row_add(struct text *text, const char *level, double tasks, bool about,
                    double makespan_s)
{
    text_add(text, "%-8s%s%9.0f", level, about ? "about" : "     ", tasks);
    if (isnan(makespan_s))
        text_add(text, "%12s\n", "-");
    else {
        text_add_seconds_column(text, makespan_s);
        text_add(text, "\n");
    }
}

/* What is known ends before the search does. */
static void end_add(const struct profile_setting *setting, struct text *text)
{
    const struct level_sample *last = &setting->levels[setting->level_count - 1];
    text_add(text, "levels as a sample of each lets expect (calibrate --levels)");
    if (last->next > 0)
        text_add(text, ", and others behind them, of which nothing is known");
    text_add(text, "; scow run plans each when it begins, for as many core tasks as it has\n");
}

bool plan_levels_add(const struct planned *planned, struct text *text, struct failure *failure)
{
    const struct profile_setting *setting = planned->planning.setting;
    double tasks = planned->plan.tasks, all = 0, all_s = 0;
    if (setting->level_count == 0)
        return true;
    if (setting->level_count == 1 && setting->levels[0].next > 0) {
        text_add(text, "\nlevels      this is the first of a search in levels; of those behind it "
                       "nothing is known (calibrate --levels), and scow run plans each when it "
                       "begins\n");
        return true;
    }
    text_add(text, "\n%-8s%14s%12s\n", "level", "core tasks", "predicted");
    for (size_t k = 0; k < setting->level_count; k++) {
        double makespan_s = planned->plan.predicted.makespan_s;
        char level[24];
        snprintf(level, sizeof level, "%zu", k + 1);
        if (k > 0 && !makespan_find(planned, (int64_t)k + 1, tasks, &makespan_s))
            return failure_memory(failure, "predicting levels");
        row_add(text, level, tasks, k > 0, makespan_s);
        all += tasks;
        all_s += makespan_s;
        tasks = fmax(1, round(tasks * setting->levels[k].next));
    }
    row_add(text, "all", all, setting->level_count > 1, all_s);
    end_add(setting, text);
    return true;
}
