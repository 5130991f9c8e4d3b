#include "planner/report/search.h"

#include <inttypes.h>
#include <string.h>

#include "planner/base/json_text.h"
#include "planner/report/levels.h"

static const struct run_level *last_of(const struct run_record *record)
{
    return &record->levels[record->level_count - 1];
}

static bool is_done(const struct run_level *level)
{
    return level->complete && level->done + level->failed >= level->tasks;
}

/* Is the last level complete, so that the next one is to begin? */
static bool is_between(const struct run_record *record, const char *output)
{
    return strcmp(last_of(record)->path, output) != 0;
}

static void done_add(struct text *text, const struct run_level *level)
{
    const char *slash = strrchr(level->path, '/');
    text_add(text, "level %-6" PRId64 "%" PRId64 " of %" PRId64 " core tasks done", level->level,
             level->done, level->tasks);
    if (level->failed > 0)
        text_add(text, ", %" PRId64 " failed", level->failed);
    text_add(text, ": %s\n", slash ? slash + 1 : level->path);
}

bool search_ended(const struct run_record *record, const char *output, struct failure *failure)
{
    const struct run_level *last = last_of(record);
    if (!is_done(last))
        return failure_set(failure, FAILURE_STOPPED,
                           "%s: %" PRId64 " of %" PRId64 " core tasks of level %" PRId64
                           " are done: go on with it by scow run --resume",
                           output, last->done, last->tasks, last->level);
    if (last->failed > 0)
        return failure_set(failure, FAILURE_FAILED,
                           "%s: %" PRId64 " of %" PRId64 " core tasks of level %" PRId64
                           " failed, so that no other level can follow: see why with scow show "
                           "--failed, and try them again with scow run --resume",
                           output, last->failed, last->tasks, last->level);
    if (is_between(record, output))
        return failure_set(failure, FAILURE_STOPPED,
                           "%s: level %" PRId64 " is done and the next one has not begun: go on "
                           "with it by scow run --resume",
                           output, last->level);
    return record->level_last ||
           failure_set(failure, FAILURE_STOPPED,
                       "%s: level %" PRId64
                       " is done, and nothing says whether another one follows: scow run "
                       "--resume finds out",
                       output, last->level);
}

/* Says which levels' outputs were removed. */
static void missing_add(const struct run_record *record, struct text *text)
{
    const int64_t first = record->levels[0].level;
    if (first > 1)
        text_add(text, "not there   the output%s before level %" PRId64 "\n", first > 2 ? "s" : "",
                 first);
}

void search_text(const struct run_record *record, const char *output, struct text *text)
{
    struct failure failure = FAILURE_INIT;
    text_add(text, "search      %s, by %s\n", output,
             record->version ? record->version : "unknown");
    text_add(text, "input       %s\n", record->input ? record->input : "none");
    missing_add(record, text);
    for (int64_t k = 0; k < record->level_count; k++)
        done_add(text, &record->levels[k]);
    if (search_ended(record, output, &failure) && record->outcome)
        text_add(text, "result      %s\n", record->outcome);
    if (!is_done(last_of(record)) && record->ended)
        text_add(text, "ended       %s\n", record->ended);
    text_add(text, "state       %s\n\n",
             failure.code == FAILURE_NONE ? "done: no level follows" : failure.text);
    levels_table(record, text);
}

static void row_add(struct json_text *list, const struct run_level *level)
{
    struct json_text row = json_open_in(list, NULL, "    {", ", ");
    json_count(&row, "level", level->level);
    json_word(&row, "output", level->path);
    json_count(&row, "tasks", level->tasks);
    json_count(&row, "done", level->done);
    json_count(&row, "failed", level->failed);
    json_flag(&row, "complete", is_done(level));
    levels_json_times(level, &row);
    json_close(&row, "}");
}

void search_json(const struct run_record *record, const char *output, bool checked,
                 struct text *text)
{
    struct failure failure = FAILURE_INIT;
    const bool over = search_ended(record, output, &failure);
    struct json_text json = json_open(text, "{ ", ",\n  ");
    json_word(&json, "schema", "scow-search-1");
    json_word(&json, "output", output);
    json_flag(&json, "over", over);
    json_word(&json, "state", over ? "done: no level follows" : failure.text);
    if (checked)
        json_flag(&json, "checked", true);
    struct json_text list = json_open_in(&json, "levels", "[\n", ",\n");
    for (int64_t k = 0; k < record->level_count; k++)
        row_add(&list, &record->levels[k]);
    json_close(&list, "\n  ]");
    json_raw(&json, "result", over ? record->outcome : NULL);
    json_close(&json, " }\n");
}
