/* Single core tasks of a run's output: records field by field, and what they emitted. */
#include <hdf5.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/tasks/table.h"
#include "spmd/archive/archive.h"
#include "spmd/archive/archive_file.h"
#include "spmd/job/commands.h"
#include "spmd/layout/contents.h"
#include "spmd/layout/emitted.h"
#include "spmd/layout/layout.h"

/* One record of a data set of compound type. */
struct row {
    hid_t type;  /* in memory: as asked for, or as in the file with the machine's byte order */
    char *bytes; /* owned */
};

static void row_release(struct row *row)
{
    if (row->type >= 0)
        H5Tclose(row->type);
    free(row->bytes);
}

/* Reads the record as `type`, which is closed here; negative: with the type that it has. False:
 * there is no such data set, or it cannot be read. */
static bool row_read(hid_t file, const char *name, int64_t index, hid_t type, struct row *row)
{
    const hsize_t start = (hsize_t)index, one = 1;
    *row = (struct row){.type = type};
    const hid_t dataset = contents_open(file, name);
    if (dataset < 0)
        return false;
    hid_t stored = H5Dget_type(dataset);
    if (type < 0)
        row->type = H5Tget_native_type(stored, H5T_DIR_ASCEND);
    hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(1, &one, NULL);
    row->bytes = row->type >= 0 ? calloc(H5Tget_size(row->type) + 1, 1) : NULL;
    const bool good = row->bytes &&
                      H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &one, NULL) >= 0 &&
                      H5Dread(dataset, row->type, memory, space, H5P_DEFAULT, row->bytes) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    H5Tclose(stored);
    H5Dclose(dataset);
    return good;
}

static void number_print(hid_t type, const char *bytes, struct text *text)
{
    double real = 0;
    int64_t whole = 0;
    char value[16] = "";
    memcpy(value, bytes, H5Tget_size(type) <= sizeof value ? H5Tget_size(type) : sizeof value);
    if (H5Tget_class(type) == H5T_FLOAT) {
        H5Tconvert(type, H5T_NATIVE_DOUBLE, 1, value, NULL, H5P_DEFAULT);
        memcpy(&real, value, sizeof real);
        text_add(text, "%.9g", real);
    } else if (H5Tget_sign(type) == H5T_SGN_NONE) {
        uint64_t natural = 0;
        H5Tconvert(type, H5T_NATIVE_UINT64, 1, value, NULL, H5P_DEFAULT);
        memcpy(&natural, value, sizeof natural);
        text_add(text, "%" PRIu64, natural);
    } else {
        H5Tconvert(type, H5T_NATIVE_INT64, 1, value, NULL, H5P_DEFAULT);
        memcpy(&whole, value, sizeof whole);
        text_add(text, "%" PRId64, whole);
    }
}

/* Prints text on one line: line ends and other control characters are escaped. */
static void words_print(const char *bytes, size_t size, struct text *text)
{
    for (size_t i = 0; i < size && bytes[i]; i++) {
        const unsigned char c = (unsigned char)bytes[i];
        if (c == '\n')
            text_add(text, "\\n");
        else if (c < 0x20 || c == 0x7f)
            text_add(text, "\\x%02x", c);
        else
            text_add(text, "%c", c);
    }
}

static void field_print(const struct row *row, unsigned index, struct text *text)
{
    hid_t type = H5Tget_member_type(row->type, index);
    const char *bytes = row->bytes + H5Tget_member_offset(row->type, index);
    if (H5Tget_class(type) == H5T_STRING) {
        words_print(bytes, H5Tget_size(type), text);
    } else if (H5Tget_class(type) == H5T_ARRAY) {
        hid_t element = H5Tget_super(type);
        const size_t count = H5Tget_size(type) / H5Tget_size(element);
        for (size_t i = 0; i < count; i++) {
            text_add(text, "%s", i > 0 ? ", " : "");
            number_print(element, bytes + i * H5Tget_size(element), text);
        }
        H5Tclose(element);
    } else {
        number_print(type, bytes, text);
    }
    H5Tclose(type);
}

static void record_print(const struct row *row, struct text *text)
{
    const int fields = H5Tget_nmembers(row->type);
    for (int i = 0; i < fields; i++) {
        char *name = H5Tget_member_name(row->type, (unsigned)i);
        text_add(text, "%-11s ", name);
        field_print(row, (unsigned)i, text);
        text_add(text, "\n");
        H5free_memory(name);
    }
}

/* ---- emitted bytes ------------------------------------------------------------------------- */

/* Prints emitted bytes as the core task renders them, if it can. False: out of memory. */
static bool words_render(hid_t file, const char *bytes, size_t size, struct text *text)
{
    char *name = archive_attribute(file, LAYOUT_KERNEL);
    const struct scow_task *task = name ? task_find(name) : NULL;
    free(name);
    if (!task || !task->render) {
        text_add(text, "%.*s", (int)(size < INT_MAX ? size : INT_MAX), bytes);
        return true;
    }
    const size_t room = task->render(bytes, size, NULL, 0) + 1;
    char *words = malloc(room);
    if (words) {
        task->render(bytes, size, words, room);
        text_add(text, "%s", words);
    }
    free(words);
    return words != NULL;
}

static bool emitted_print(hid_t file, const char *path, int64_t task, struct text *text,
                          struct failure *failure)
{
    struct row row;
    struct layout_emitted where = {0};
    if (row_read(file, LAYOUT_EMITTED, task, layout_emitted_type(), &row))
        memcpy(&where, row.bytes, sizeof where);
    row_release(&row);
    if (where.size <= 0)
        return true;
    struct emitted *emitted = archive_emitted(file, path, failure);
    char *bytes = emitted ? malloc((size_t)where.size + 1) : NULL;
    if (bytes && emitted_read(emitted, &where, 0, bytes, (size_t)where.size, failure)) {
        bytes[where.size] = '\0';
        if (!words_render(file, bytes, (size_t)where.size, text))
            failure_memory(failure, "reading a run's output");
    }
    if (!bytes)
        failure_memory(failure, "reading a run's output");
    emitted_close(&emitted);
    free(bytes);
    return failure->code == FAILURE_NONE;
}

/* ---- whole --------------------------------------------------------------------------------- */

static const char *state_words(int mark)
{
    return mark == 1 ? "done" : mark == 2 ? "failed" : "not done";
}

static bool task_print(hid_t file, const char *path, int64_t task, const uint8_t *ledger,
                       struct text *text, struct failure *failure)
{
    struct row row;
    text_add(text, "core task   %" PRId64 "\nstate       %s\n", task + 1,
             state_words(ledger[task]));
    if (ledger[task] == 0)
        return true;
    if (row_read(file, LAYOUT_RECORDS, task, -1, &row))
        record_print(&row, text);
    row_release(&row);
    return emitted_print(file, path, task, text, failure);
}

bool archive_task(const char *path, int64_t task, struct text *text, struct failure *failure)
{
    hid_t file = archive_open(path, failure);
    if (file < 0)
        return false;
    size_t count = 0;
    uint8_t *ledger = archive_ledger(file, &count);
    bool good = false;
    if (!ledger)
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: has no readable ledger: is it the output of scow run?", path);
    else if ((uint64_t)task >= count)
        failure_set(failure, FAILURE_USAGE,
                    "%s: has core tasks 1 to %zu, and no %" PRId64 ": give one of these", path,
                    count, task + 1);
    else
        good = task_print(file, path, task, ledger, text, failure);
    free(ledger);
    H5Fclose(file);
    return good;
}

/* ---- the log of commands ------------------------------------------------------------------- */

enum column { COLUMN_EXIT, COLUMN_SECONDS, COLUMN_WORKER, COLUMN_START, COLUMN_SIZE, COLUMNS };

/* What the log is made from; owned. */
struct joblog {
    char *command;            /* the template */
    struct items *items;      /* NULL: the input is missing, or another one */
    struct commands *lines;   /* of these; NULL: the template is printed for all */
    double *columns[COLUMNS]; /* one number for each core task */
};

/* A command that was ended by a signal has an exit code below 0: the signal's number. */
static void joblog_print(struct joblog *log, size_t count, const uint8_t *ledger, struct text *text)
{
    double *const *column = log->columns;
    text_add(text, "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n");
    for (size_t i = 0; i < count; i++) {
        const int code = (int)column[COLUMN_EXIT][i];
        if (ledger[i] == 0)
            continue;
        text_add(text, "%zu\trank-%d\t%.3f\t%.3f\t0\t%.0f\t%d\t%d\t", i + 1,
                 (int)column[COLUMN_WORKER][i], column[COLUMN_START][i], column[COLUMN_SECONDS][i],
                 column[COLUMN_SIZE][i], code < 0 ? 0 : code, code < 0 ? -code : 0);
        if (!log->lines || !commands_print(log->lines, (int64_t)i, text))
            text_add(text, "%s", log->command);
        text_add(text, "\n");
    }
}

static bool joblog_read(hid_t file, const char *path, size_t count, struct joblog *log)
{
    static const char *const names[COLUMNS] = {"exit", "seconds", "worker", "start", "stdout_size"};
    bool good = true;
    log->command = archive_attribute(file, "command");
    for (int i = 0; i < COLUMNS; i++) {
        log->columns[i] = contents_column(file, LAYOUT_RECORDS, names[i], count);
        good = good && log->columns[i];
    }
    static const char *const attributes[] = {"format", "colsep", "header"};
    enum { ATTRIBUTES = sizeof attributes / sizeof *attributes };
    char *said[ATTRIBUTES], note[ITEMS_NOTE];
    for (int i = 0; i < ATTRIBUTES; i++)
        said[i] = archive_attribute(file, attributes[i]);
    if (good && log->command)
        log->items = archive_items(file, path, (int64_t)count, note);
    if (log->items) {
        const struct commands_source source = {log->command, items_path(log->items), said[0],
                                               said[1], said[2]};
        log->lines = commands_open(&source, items_input(log->items));
    }
    for (int i = 0; i < ATTRIBUTES; i++)
        free(said[i]);
    return good && log->command;
}

bool archive_joblog(const char *path, struct text *text, struct failure *failure)
{
    hid_t file = archive_open(path, failure);
    if (file < 0)
        return false;
    size_t count = 0;
    struct joblog log = {.command = NULL};
    uint8_t *ledger = archive_ledger(file, &count);
    if (ledger && joblog_read(file, path, count, &log))
        joblog_print(&log, count, ledger, text);
    else
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: is no run of commands: --joblog is for the core task 'command'", path);
    for (int i = 0; i < COLUMNS; i++)
        free(log.columns[i]);
    commands_close(&log.lines);
    items_close(&log.items);
    free(log.command);
    free(ledger);
    H5Fclose(file);
    return failure->code == FAILURE_NONE;
}
