#include "planner/report/levels.h"

#include <inttypes.h>
#include <math.h>

/* NaN: not known. */
static double predicted_of(const struct run_level *level)
{
    return level->predicted_s > 0 ? level->predicted_s : (double)NAN;
}

static double error_of(double predicted_s, double measured_s)
{
    return measured_s > 0 ? measured_s / predicted_s - 1 : (double)NAN;
}

static void pair_add(struct text *text, double predicted_s, double measured_s)
{
    const double error = error_of(predicted_s, measured_s);
    if (isnan(predicted_s))
        text_add(text, "%12s", "-");
    else
        text_add_seconds_column(text, predicted_s);
    text_add_seconds_column(text, measured_s);
    if (isnan(error))
        text_add(text, "%10s\n", "-");
    else
        text_add(text, "%+8.1f %%\n", 100 * error);
}

void levels_text(const struct run_record *record, struct text *text)
{
    double predicted_s = 0, measured_s = 0;
    int64_t tasks = 0;
    if (record->level_count == 0)
        return;
    text_add(text, "%-8s%14s%12s%12s%10s\n", "level", "core tasks", "predicted", "measured",
             "error");
    for (int64_t k = 0; k < record->level_count; k++) {
        const struct run_level *level = &record->levels[k];
        text_add(text, "%-8" PRId64 "%14" PRId64, level->level, level->tasks);
        pair_add(text, predicted_of(level), level->measured_s);
        predicted_s += predicted_of(level);
        measured_s += level->measured_s;
        tasks += level->tasks;
    }
    text_add(text, "%-8s%14" PRId64, "all", tasks);
    pair_add(text, predicted_s, measured_s);
    text_add(text, "what follows is of level %" PRId64 "\n\n",
             record->levels[record->level_count - 1].level);
}

void levels_json(const struct run_record *record, struct json_text *json)
{
    if (record->level_count == 0)
        return;
    struct json_text list = json_open_in(json, "levels", "[\n", ",\n");
    for (int64_t k = 0; k < record->level_count; k++) {
        const struct run_level *level = &record->levels[k];
        const double predicted_s = predicted_of(level);
        struct json_text row = json_open_in(&list, NULL, "    {", ", ");
        json_count(&row, "level", level->level);
        json_count(&row, "tasks", level->tasks);
        json_number(&row, "predicted_s", predicted_s);
        json_number(&row, "measured_s", level->measured_s);
        json_number(&row, "error", error_of(predicted_s, level->measured_s));
        json_close(&row, "}");
    }
    json_close(&list, "\n  ]");
}
