#include <inttypes.h>

#include "planner/base/json_text.h"
#include "planner/model/beyond.h"
#include "planner/studies/sweep.h"

static const struct {
    const char *key, *words;
} marks[SWEEP_MARKS] = {
    [SWEEP_KNEE] = {"knee", "knee"},
    [SWEEP_MEASURED] = {"measured", "all measured"},
    [SWEEP_BELOW_90] = {"below_90", "below 90 %"},
    [SWEEP_BELOW_75] = {"below_75", "below 75 %"},
    [SWEEP_BELOW_50] = {"below_50", "below 50 %"},
    [SWEEP_FED] = {"fed", "as many as one master can feed"},
};

static void row_text(const struct sweep *sweep, const struct sweep_row *row, struct text *text)
{
    const char *before = "   <- ";
    text_add(text, "%9" PRId64, row->workers);
    if (sweep->several)
        text_add(text, "%9" PRId64, row->masters);
    text_add_seconds_column(text, row->makespan_s);
    text_add(text, "%10.2f%10.1f %%%16.4g", row->speedup, 100 * row->efficiency, row->node_hours);
    for (int k = 0; k < SWEEP_MARKS; k++) {
        if (sweep->marks[k] != row->workers)
            continue;
        text_add(text, "%s%s", before, marks[k].words);
        before = ", ";
    }
    text_add(text, "\n");
}

static void end_text(const struct sweep *sweep, struct text *text)
{
    const int64_t last = sweep->rows[sweep->count - 1].workers;
    switch (sweep->end) {
    case SWEEP_ASKED:
        break;
    case SWEEP_ENOUGH:
        text_add(text, "end         twice as many workers save less than 1 %%\n");
        break;
    case SWEEP_TASKS:
        text_add(text, "end         more workers than core tasks do not help\n");
        break;
    case SWEEP_LIMIT:
        text_add(text, "end         more than %" PRId64 " may still help: -n N goes on to N\n",
                 last);
        break;
    }
}

void sweep_text(const struct sweep *sweep, struct text *text)
{
    text_add(text, "%9s%s%12s%10s%12s%16s   planned with %s\n", "workers",
             sweep->several ? "  masters" : "", "makespan", "speed-up", "efficiency", "node-hours",
             sweep->scheduler);
    for (size_t k = 0; k < sweep->count; k++)
        row_text(sweep, &sweep->rows[k], text);
    beyond_describe(&sweep->beyond, text);
    if (sweep->regions > 0)
        text_add(text, "regions     every plan was simulated with the %zu of the job\n",
                 sweep->regions);
    if (sweep->workers_per_node > 1)
        text_add(text, "nodes       %" PRId64 " workers on each, as calibrated\n",
                 sweep->workers_per_node);
    if (sweep->several)
        text_add(text, "masters     each but rank 0 is one of the workers beside it, and computes "
                       "nothing\n");
    if (!sweep->alike)
        text_add(text, "efficiency  of a machine as fast as all of them are alone\n");
    if (!sweep->rows[0].fed)
        text_add(text, "feeding     one master cannot keep even one worker busy\n");
    else if (sweep->marks[SWEEP_FED] == 0)
        text_add(text, "feeding     one master can keep all of them busy\n");
    end_text(sweep, text);
}

static const struct sweep_row *mark_find(const struct sweep *sweep, enum sweep_mark mark)
{
    for (size_t k = 0; k < sweep->count; k++)
        if (sweep->rows[k].workers == sweep->marks[mark])
            return &sweep->rows[k];
    return NULL;
}

static void mark_json(const struct sweep *sweep, enum sweep_mark mark, struct json_text *json)
{
    const struct sweep_row *row = mark_find(sweep, mark);
    if (!row) {
        json_word(json, marks[mark].key, NULL);
        return;
    }
    struct json_text members = json_open_in(json, marks[mark].key, "{", ", ");
    json_count(&members, "workers", row->workers);
    json_number(&members, "makespan_s", row->makespan_s);
    json_number(&members, "node_hours", row->node_hours);
    json_close(&members, "}");
}

static void row_json(const struct sweep *sweep, const struct sweep_row *row, struct json_text *rows)
{
    struct json_text json = json_open_in(rows, NULL, "    {", ", ");
    json_count(&json, "workers", row->workers);
    if (sweep->several)
        json_count(&json, "masters", row->masters);
    json_number(&json, "makespan_s", row->makespan_s);
    json_number(&json, "speedup", row->speedup);
    json_number(&json, "efficiency", row->efficiency);
    json_number(&json, "node_seconds", row->node_seconds);
    json_number(&json, "node_hours", row->node_hours);
    json_flag(&json, "fed", row->fed);
    json_close(&json, "}");
}

void sweep_json(const struct sweep *sweep, struct text *text)
{
    static const char *const ends[] = {[SWEEP_ASKED] = "asked",
                                       [SWEEP_ENOUGH] = "enough",
                                       [SWEEP_TASKS] = "tasks",
                                       [SWEEP_LIMIT] = "limit"};
    struct json_text json = json_open(text, "{ ", ",\n  ");
    json_word(&json, "schema", "scow-sweep-1");
    json_word(&json, "scheduler", sweep->scheduler);
    json_count(&json, "available", sweep->available);
    json_count(&json, "knee", sweep->marks[SWEEP_KNEE]);
    json_count(&json, "workers_per_node", sweep->workers_per_node);
    json_word(&json, "end", ends[sweep->end]);
    beyond_json(&sweep->beyond, &json);
    struct json_text all = json_open_in(&json, "marks", "{\n    ", ",\n    ");
    for (int k = 0; k < SWEEP_MARKS; k++)
        mark_json(sweep, (enum sweep_mark)k, &all);
    json_close(&all, "}");
    struct json_text rows = json_open_in(&json, "rows", "[\n", ",\n");
    for (size_t k = 0; k < sweep->count; k++)
        row_json(sweep, &sweep->rows[k], &rows);
    json_close(&rows, "\n  ]");
    json_close(&json, " }\n");
}
