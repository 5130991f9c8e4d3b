#include "planner/report/levels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* NaN: not known. */
static double known_s(double seconds)
{
    return seconds > 0 ? seconds : (double)NAN;
}

static void seconds_add(struct text *text, double seconds)
{
    if (isnan(seconds))
        text_add(text, "%12s", "-");
    else
        text_add_seconds_column(text, seconds);
}

/* ---- as they are planned --------------------------------------------------------------------- */

static void planned_add(struct text *text, const char *level, double tasks, bool about,
                        double makespan_s)
{
    text_add(text, "%-8s%s%9.0f", level, about ? "about" : "     ", tasks);
    seconds_add(text, makespan_s);
    text_add(text, "\n");
}

void levels_plan_text(const struct plan *plan, struct text *text)
{
    double tasks = 0, all_s = 0;
    if (plan->level_count == 0 && plan->more_levels)
        text_add(text, "\nlevels      this is the first of a search in levels; of later ones "
                       "nothing is known (calibrate --levels, plan --levels), and scow run plans "
                       "each when it begins\n");
    if (plan->level_count == 0)
        return;
    text_add(text, "\n%-8s%14s%12s\n", "level", "core tasks", "predicted");
    for (size_t k = 0; k < plan->level_count; k++) {
        const struct plan_level *level = &plan->levels[k];
        char number[24];
        snprintf(number, sizeof number, "%zu", k + 1);
        planned_add(text, number, level->tasks, k > 0, known_s(level->makespan_s));
        tasks += level->tasks;
        all_s += known_s(level->makespan_s);
    }
    planned_add(text, "all", tasks, plan->level_count > 1, all_s);
    text_add(text,
             "levels as they are expected, by samples (calibrate --levels) or as given (plan "
             "--levels)%s; scow run plans each when it begins, for as many core tasks as it "
             "has\n",
             plan->more_levels ? ", and later ones, of which nothing is known" : "");
}

/* ---- as they were run ------------------------------------------------------------------------ */

static double error_of(double predicted_s, double measured_s)
{
    return measured_s > 0 ? measured_s / predicted_s - 1 : (double)NAN;
}

static void pair_add(struct text *text, double predicted_s, double measured_s)
{
    const double error = error_of(predicted_s, measured_s);
    seconds_add(text, predicted_s);
    text_add_seconds_column(text, measured_s);
    if (isnan(error))
        text_add(text, "%10s", "-");
    else
        text_add(text, "%+8.1f %%", 100 * error);
}

static bool is_expected(const struct run_record *record)
{
    bool any = false;
    for (int64_t k = 0; k < record->level_count; k++)
        any = any || record->levels[k].expected_tasks > 0;
    return any;
}

/* Adds what the first level's plan expected, after what was measured. */
static void expected_add(struct text *text, bool wanted, double tasks, double seconds)
{
    if (wanted && tasks > 0)
        text_add(text, "%14.0f", tasks);
    else if (wanted)
        text_add(text, "%14s", "-");
    if (wanted)
        seconds_add(text, known_s(seconds));
    text_add(text, "\n");
}

void levels_table(const struct run_record *record, struct text *text)
{
    const bool expected = is_expected(record);
    struct run_level all = {.level = 0};
    text_add(text, "%-8s%14s%12s%12s%10s", "level", "core tasks", "predicted", "measured", "error");
    if (expected)
        text_add(text, "%14s%12s", "expected", "in");
    text_add(text, "\n");
    for (int64_t k = 0; k < record->level_count; k++) {
        const struct run_level *level = &record->levels[k];
        text_add(text, "%-8" PRId64 "%14" PRId64, level->level, level->tasks);
        pair_add(text, known_s(level->predicted_s), level->measured_s);
        expected_add(text, expected, level->expected_tasks, level->expected_s);
        all.tasks += level->tasks;
        all.predicted_s += known_s(level->predicted_s);
        all.measured_s += level->measured_s;
        all.expected_tasks += level->expected_tasks;
        all.expected_s += known_s(level->expected_s);
    }
    text_add(text, "%-8s%14" PRId64, "all", all.tasks);
    pair_add(text, all.predicted_s, all.measured_s);
    expected_add(text, expected, all.expected_tasks, all.expected_s);
}

void levels_text(const struct run_record *record, struct text *text)
{
    if (record->level_count == 0)
        return;
    levels_table(record, text);
    text_add(text, "what follows is of level %" PRId64 "\n\n",
             record->levels[record->level_count - 1].level);
}

void levels_json_times(const struct run_level *level, struct json_text *row)
{
    const double predicted_s = known_s(level->predicted_s);
    json_number(row, "predicted_s", predicted_s);
    json_number(row, "measured_s", level->measured_s);
    json_number(row, "error", error_of(predicted_s, level->measured_s));
    if (level->expected_tasks > 0) {
        json_number(row, "expected_tasks", level->expected_tasks);
        json_number(row, "expected_s", known_s(level->expected_s));
    }
}

void levels_json(const struct run_record *record, struct json_text *json)
{
    if (record->level_count == 0)
        return;
    struct json_text list = json_open_in(json, "levels", "[\n", ",\n");
    for (int64_t k = 0; k < record->level_count; k++) {
        const struct run_level *level = &record->levels[k];
        struct json_text row = json_open_in(&list, NULL, "    {", ", ");
        json_count(&row, "level", level->level);
        json_count(&row, "tasks", level->tasks);
        levels_json_times(level, &row);
        json_close(&row, "}");
    }
    json_close(&list, "\n  ]");
}
