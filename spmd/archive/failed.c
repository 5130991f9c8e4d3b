#include "spmd/archive/failed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/command/command.h"
#include "kernel/command/kept.h"
#include "planner/base/array.h"
#include "planner/base/json_text.h"
#include "spmd/archive/archive_file.h"
#include "spmd/archive/rows.h"
#include "spmd/job/items.h"
#include "spmd/layout/emitted.h"
#include "spmd/layout/layout.h"

/* How much of error output is shown, and how far it is searched for among other output. */
enum { ERRORS_LINES = 5, ERRORS_BYTES = 1000, LOOK_BYTES = 1 << 20, PART_BYTES = 1 << 14 };
enum { REASON_BYTES = 200 };

/* What is known before the first failed core task is read. */
struct failed_totals {
    int64_t tasks, failed, missing; /* core tasks; missing: not done yet */
    const char *input;              /* where lines come from; NULL: there are none */
    const char *note;               /* why there are no lines, a sentence; "": there are */
};

/* A failed core task; borrowed until the next one is read. */
struct failed_task {
    int64_t task;       /* from 0 */
    const char *reason; /* never empty: "exit 3", "killed by signal 9", "timed out after 5 s" */
    int attempts;       /* 0: not known */
    bool command;       /* exit is known */
    int exit;           /* code; -N: signal N ended it */
    const char *line;   /* as UTF-8; NULL: not known */
    const char *errors; /* the first lines of its error output, made UTF-8; "": none */
    bool errors_cut;    /* there is more of it */
};

/* The failed core tasks of an output, while they are read. */
struct failed {
    hid_t file;
    struct failed_totals totals;
    struct rows ledger, reasons, exits, attempts, errors, places;
    struct emitted *emitted; /* NULL: nothing was emitted */
    struct items *items;     /* NULL: lines are not known */
    char note[ITEMS_NOTE];
    int64_t next; /* the next core task to look at */
    char reason[REASON_BYTES], text[ERRORS_BYTES + 1];
    char *line; /* owned */
    size_t line_room;
};

/* ---- opening ------------------------------------------------------------------------------- */

static void lines_find(struct failed *failed, const char *path)
{
    failed->items = archive_items(failed->file, path, failed->totals.tasks, failed->note);
    failed->totals.input = failed->items ? items_path(failed->items) : NULL;
}

static void rows_find(struct failed *failed)
{
    const hid_t file = failed->file;
    rows_open(&failed->reasons, file, LAYOUT_REASONS, -1);
    rows_open(&failed->places, file, LAYOUT_EMITTED, layout_emitted_type());
    rows_open_field(&failed->exits, file, LAYOUT_RECORDS, "exit", H5T_NATIVE_INT32);
    rows_open_field(&failed->attempts, file, LAYOUT_RECORDS, "attempts", H5T_NATIVE_INT32);
    rows_open_field(&failed->errors, file, LAYOUT_RECORDS, "stderr", -1);
}

static void tasks_count(struct failed *failed)
{
    struct failed_totals *totals = &failed->totals;
    totals->tasks = failed->ledger.count;
    for (int64_t task = 0; task < totals->tasks; task++) {
        const uint8_t *mark = rows_at(&failed->ledger, task);
        totals->failed += mark && *mark == 2;
        totals->missing += !mark || *mark == 0;
    }
}

static bool is_command(const struct failed *failed)
{
    char *kernel = archive_attribute(failed->file, LAYOUT_KERNEL);
    const bool same = kernel && strcmp(kernel, command_task.name) == 0;
    free(kernel);
    return same;
}

/* *failed becomes NULL. */
static void failed_close(struct failed **failed)
{
    struct failed *gone = *failed;
    if (!gone)
        return;
    items_close(&gone->items);
    emitted_close(&gone->emitted);
    rows_close(&gone->ledger);
    rows_close(&gone->reasons);
    rows_close(&gone->exits);
    rows_close(&gone->attempts);
    rows_close(&gone->errors);
    rows_close(&gone->places);
    H5Fclose(gone->file);
    free(gone->line);
    free(gone);
    *failed = NULL;
}

/* NULL with *failure set. */
static struct failed *failed_open(const char *path, struct failure *failure)
{
    struct failed *failed = calloc(1, sizeof *failed);
    struct failure none = FAILURE_INIT;
    if (!failed) {
        failure_memory(failure, "reading a run's output");
        return NULL;
    }
    failed->file = archive_open(path, failure);
    if (failed->file < 0) {
        free(failed);
        return NULL;
    }
    if (!rows_open(&failed->ledger, failed->file, LAYOUT_LEDGER, H5Tcopy(H5T_NATIVE_UINT8)))
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: has no readable ledger: is it the output of scow run?", path);
    rows_find(failed);
    tasks_count(failed);
    failed->totals.note = failed->note;
    if (failed->totals.failed > 0 && is_command(failed))
        failed->emitted = archive_emitted(failed->file, path, &none);
    if (failed->totals.failed > 0)
        lines_find(failed, path);
    if (failure->code != FAILURE_NONE)
        failed_close(&failed);
    return failed;
}

/* ---- one of them --------------------------------------------------------------------------- */

/* Keeps the first lines: cuts behind the last complete one. */
static void errors_cut(struct failed *failed, struct failed_task *task, size_t size, bool more)
{
    char *text = failed->text;
    size_t end = 0;
    for (int line = 0; line < ERRORS_LINES && end < size; line++) {
        const char *newline = memchr(text + end, '\n', size - end);
        end = newline ? (size_t)(newline - text) + 1 : size;
    }
    task->errors_cut = more || end < size;
    kept_clean(text, end, sizeof failed->text, more && end == size);
    task->errors = text;
}

/* Reads error output of the last attempt, if it is near the beginning. False: there is none. */
static bool errors_read(struct failed *failed, struct failed_task *task)
{
    const struct layout_emitted *where = rows_at(&failed->places, task->task);
    struct command_filter filter = {.stream = COMMAND_STDERR, .attempt = task->attempts};
    struct failure unread = FAILURE_INIT;
    char bytes[PART_BYTES];
    size_t used = 0;
    const int64_t end = !where || !failed->emitted ? 0
                        : where->size < LOOK_BYTES ? where->size
                                                   : LOOK_BYTES;
    for (int64_t from = 0; from < end && used < ERRORS_BYTES; from += PART_BYTES) {
        const size_t size = end - from < PART_BYTES ? (size_t)(end - from) : PART_BYTES;
        const char *part;
        size_t length, at = 0;
        if (!emitted_read(failed->emitted, where, from, bytes, size, &unread))
            return false;
        while (used < ERRORS_BYTES &&
               command_filter_next(&filter, bytes, size, &at, &part, &length)) {
            const size_t most = ERRORS_BYTES - used;
            memcpy(failed->text + used, part, length < most ? length : most);
            used += length < most ? length : most;
        }
    }
    if (used > 0)
        errors_cut(failed, task, used, used == ERRORS_BYTES);
    return used > 0;
}

/* Takes what the record has kept of error output. */
static void errors_kept(struct failed *failed, struct failed_task *task)
{
    const char *kept = rows_at(&failed->errors, task->task);
    const size_t most =
        failed->errors.size < ERRORS_BYTES ? failed->errors.size : (size_t)ERRORS_BYTES;
    const size_t size = kept ? strnlen(kept, most) : 0;
    if (size > 0)
        memcpy(failed->text, kept, size);
    errors_cut(failed, task, size, size > 0 && size == failed->errors.size);
}

static void line_find(struct failed *failed, struct failed_task *task)
{
    size_t size = 0;
    const char *bytes = failed->items ? items_read(failed->items, task->task, &size) : NULL;
    char *room = bytes ? array_reserve(failed->line, &failed->line_room, size + 1, 1) : NULL;
    if (!room)
        return;
    failed->line = room;
    memcpy(room, bytes, size);
    kept_clean(room, size, size + 1, false);
    task->line = room;
}

/* Files of older versions have no reason: it is derived from the command's exit code. */
static void reason_find(struct failed *failed, struct failed_task *task)
{
    const char *kept = rows_at(&failed->reasons, task->task);
    const size_t most = sizeof failed->reason - 1;
    const size_t size = kept ? strnlen(kept, failed->reasons.size) : 0;
    snprintf(failed->reason, sizeof failed->reason, "%.*s", (int)(size < most ? size : most),
             kept ? kept : "");
    if (size == 0 && task->command && task->exit < 0)
        snprintf(failed->reason, sizeof failed->reason, "killed by signal %d", -task->exit);
    else if (size == 0 && task->command)
        snprintf(failed->reason, sizeof failed->reason, "exit %d", task->exit);
    else if (size == 0)
        snprintf(failed->reason, sizeof failed->reason, "without a reason");
    task->reason = failed->reason;
}

/* Reads the next failed core task, in ascending order. False: there is none. */
static bool failed_next(struct failed *failed, struct failed_task *task)
{
    const uint8_t *mark = NULL;
    while ((mark = rows_at(&failed->ledger, failed->next)) && *mark != 2)
        failed->next++;
    if (!mark)
        return false;
    *task = (struct failed_task){.task = failed->next++};
    const int32_t *exit = rows_at(&failed->exits, task->task);
    const int32_t *attempts = rows_at(&failed->attempts, task->task);
    task->command = exit != NULL;
    task->exit = exit ? *exit : 0;
    task->attempts = attempts ? *attempts : 0;
    reason_find(failed, task);
    if (!errors_read(failed, task))
        errors_kept(failed, task);
    line_find(failed, task);
    return true;
}

/* ---- printing ------------------------------------------------------------------------------ */

static void number_print(struct json_text *json, const char *key, bool known, int number)
{
    if (known)
        json_count(json, key, number);
    else
        json_raw(json, key, NULL);
}

static void task_print_json(const struct failed_task *task, struct json_text *tasks)
{
    struct json_text json = json_open_in(tasks, NULL, "{", ", ");
    json_count(&json, "task", task->task + 1);
    json_word(&json, "line", task->line);
    number_print(&json, "attempts", task->attempts > 0, task->attempts);
    number_print(&json, "exit", task->command && task->exit >= 0, task->exit);
    number_print(&json, "signal", task->command && task->exit < 0, -task->exit);
    json_word(&json, "reason", task->reason);
    json_word(&json, "stderr", task->errors);
    json_flag(&json, "stderr_cut", task->errors_cut);
    json_close(&json, "}");
}

static void totals_print_json(const struct failed_totals *totals, struct json_text *json)
{
    json_count(json, "tasks", totals->tasks);
    json_count(json, "failed", totals->failed);
    json_count(json, "missing", totals->missing);
    json_word(json, "note", totals->note[0] ? totals->note : NULL);
}

bool failed_print(const char *path, int64_t most, struct text *text, struct failure *failure)
{
    struct failed *failed = failed_open(path, failure);
    struct failed_task task;
    if (!failed)
        return false;
    struct json_text json = json_open(text, "{", ", ");
    totals_print_json(&failed->totals, &json);
    struct json_text failures = json_open_in(&json, "failures", "[", ", ");
    for (int64_t k = 0; k < most && failed_next(failed, &task); k++)
        task_print_json(&task, &failures);
    json_close(&failures, "]");
    json_close(&json, "}");
    failed_close(&failed);
    return true;
}

/* ---- to standard output -------------------------------------------------------------------- */

enum { LINE_SHOWN = 300 };

/* Prints on one line, without characters that control a terminal. */
static void plain_print(struct text *text, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)bytes[i];
        if (c == '\t' || (c >= 0x20 && c != 0x7f))
            text_add(text, "%c", c);
        else
            text_add(text, "\\x%02x", c);
    }
}

static void errors_print(const struct failed_task *task, struct text *text)
{
    for (const char *at = task->errors; *at;) {
        const size_t size = strcspn(at, "\n");
        text_add(text, "    ");
        plain_print(text, at, size);
        text_add(text, "\n");
        at += size + (at[size] == '\n');
    }
    if (task->errors_cut)
        text_add(text, "    ...\n");
}

static void task_print(const struct failed_task *task, struct text *text)
{
    text_add(text, "%" PRId64 ": %s", task->task + 1, task->reason);
    if (task->attempts > 1)
        text_add(text, ", %d attempts", task->attempts);
    if (task->line) {
        const size_t size = strlen(task->line);
        text_add(text, ": ");
        plain_print(text, task->line, size < LINE_SHOWN ? size : LINE_SHOWN);
        text_add(text, "%s", size > LINE_SHOWN ? "..." : "");
    }
    text_add(text, "\n");
    errors_print(task, text);
}

static void totals_print(const struct failed_totals *totals, struct text *text)
{
    text_add(text, "%" PRId64 " of %" PRId64 " core tasks failed", totals->failed, totals->tasks);
    if (totals->missing > 0)
        text_add(text, ", %" PRId64 " %s not done yet", totals->missing,
                 totals->missing == 1 ? "is" : "are");
    text_add(text, "\n");
    if (totals->note[0])
        text_add(text, "(%s, so lines are not shown)\n", totals->note);
}

/* Prints one after the other, because there may be very many. */
static bool tasks_show(struct failed *failed, struct failure *failure)
{
    static const char doing[] = "listing what failed";
    struct failed_task task;
    struct text text = TEXT_INIT;
    totals_print(&failed->totals, &text);
    bool good = text_print(&text, doing, failure);
    while (good && failed_next(failed, &task)) {
        task_print(&task, &text);
        good = text_print(&text, doing, failure);
    }
    return good;
}

/* Prints them as one JSON object. */
static bool tasks_show_json(struct failed *failed, struct failure *failure)
{
    static const char doing[] = "listing what failed";
    struct failed_task task;
    struct text text = TEXT_INIT;
    struct json_text json = json_open(&text, "{", ", ");
    totals_print_json(&failed->totals, &json);
    struct json_text failures = json_open_in(&json, "failures", "[\n  ", ",\n  ");
    bool good = text_print(&text, doing, failure);
    while (good && failed_next(failed, &task)) {
        task_print_json(&task, &failures);
        good = text_print(&text, doing, failure);
    }
    json_close(&failures, "]");
    json_close(&json, "}\n");
    good = good && text_print(&text, doing, failure);
    text_release(&text);
    return good;
}

bool failed_show(const char *path, bool json, struct failure *failure)
{
    struct failed *failed = failed_open(path, failure);
    if (!failed)
        return false;
    const bool good = json ? tasks_show_json(failed, failure) : tasks_show(failed, failure);
    failed_close(&failed);
    return good;
}
