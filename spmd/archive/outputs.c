#include "spmd/archive/outputs.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernel/command/command.h"
#include "planner/base/own.h"
#include "spmd/archive/archive_file.h"
#include "spmd/archive/rows.h"
#include "spmd/layout/emitted.h"
#include "spmd/layout/layout.h"

enum { PART_BYTES = 1 << 16, NAME_ROOM = 48 };

struct outputs {
    const struct outputs_request *request;
    struct emitted *emitted;
    struct rows ledger, places, attempts;
    bool commands; /* commands have two streams, in pieces */
    int digits;    /* of numbers in names */
    char *part;    /* owned; PART_BYTES */
    char *name;    /* owned; of a file that is written */
    size_t name_room;
    struct failure *failure;
};

/* ---- bytes --------------------------------------------------------------------------------- */

static bool unwritten(const struct outputs *outputs, const char *name)
{
    return failure_set(outputs->failure, FAILURE_FAILED,
                       "cannot write %s: %s; choose a place that exists, is yours and has room",
                       name, strerror(errno ? errno : EIO));
}

/* Writes the part's bytes that belong to the stream. */
static bool part_put(struct command_filter *filter, const char *bytes, size_t size, FILE *out)
{
    const char *part;
    size_t length, at = 0;
    if (!filter)
        return fwrite(bytes, 1, size, out) == size;
    while (command_filter_next(filter, bytes, size, &at, &part, &length))
        if (fwrite(part, 1, length, out) != length)
            return false;
    return true;
}

/* Writes one stream of a core task. */
static bool stream_put(struct outputs *outputs, int64_t task, int stream, FILE *out,
                       const char *name)
{
    const struct layout_emitted *where = rows_at(&outputs->places, task);
    const int32_t *attempts = rows_at(&outputs->attempts, task);
    struct command_filter filter = {.stream = stream, .attempt = attempts ? *attempts : 1};
    for (int64_t at = 0; where && at < where->size; at += PART_BYTES) {
        const int64_t left = where->size - at;
        const size_t size = left < PART_BYTES ? (size_t)left : PART_BYTES;
        if (!emitted_read(outputs->emitted, where, at, outputs->part, size, outputs->failure))
            return false;
        if (!part_put(outputs->commands ? &filter : NULL, outputs->part, size, out))
            return unwritten(outputs, name);
    }
    return true;
}

/* ---- folders ------------------------------------------------------------------------------- */

static bool file_put(struct outputs *outputs, int64_t task, int stream, const char *name)
{
    const size_t folder = strlen(outputs->name);
    snprintf(outputs->name + folder, outputs->name_room - folder, "/%s", name);
    FILE *out = own_create(outputs->name);
    bool good = out || unwritten(outputs, outputs->name);
    good = good && stream_put(outputs, task, stream, out, outputs->name);
    if (out && fclose(out) != 0 && good)
        good = unwritten(outputs, outputs->name);
    outputs->name[folder] = '\0';
    return good;
}

static bool folder_put(struct outputs *outputs, int64_t task)
{
    snprintf(outputs->name, outputs->name_room, "%s/%0*" PRId64, outputs->request->directory,
             outputs->digits, task + 1);
    if (mkdir(outputs->name, 0777) != 0)
        return unwritten(outputs, outputs->name);
    if (!outputs->commands)
        return file_put(outputs, task, 0, "output");
    return file_put(outputs, task, COMMAND_STDOUT, "stdout") &&
           file_put(outputs, task, COMMAND_STDERR, "stderr");
}

/* Existing files are never overwritten. */
static bool directory_make(struct outputs *outputs)
{
    const char *path = outputs->request->directory;
    outputs->name_room = strlen(path) + NAME_ROOM;
    outputs->name = malloc(outputs->name_room);
    if (!outputs->name)
        return failure_memory(outputs->failure, "writing a run's output");
    if (mkdir(path, 0777) == 0)
        return true;
    if (errno != EEXIST)
        return failure_set(outputs->failure, FAILURE_FAILED,
                           "%s: cannot be made: %s: choose a place that you can write to", path,
                           strerror(errno));
    DIR *directory = opendir(path);
    int entries = 0;
    while (directory && readdir(directory) && entries <= 2)
        entries++;
    if (directory)
        closedir(directory);
    return (directory && entries <= 2) ||
           failure_set(outputs->failure, FAILURE_MISMATCH,
                       "%s: is there already, and no empty folder: name another one", path);
}

/* ---- whole --------------------------------------------------------------------------------- */

static bool tasks_put(struct outputs *outputs, int64_t *missing)
{
    const struct outputs_request *request = outputs->request;
    const int64_t tasks = outputs->ledger.count;
    const int64_t first = request->task >= 0 ? request->task : 0;
    const int64_t end = request->task >= 0 ? first + 1 : tasks;
    const int stream = request->errors ? COMMAND_STDERR : COMMAND_STDOUT;
    for (int64_t task = first; task < end; task++) {
        const uint8_t *mark = rows_at(&outputs->ledger, task);
        if (!mark || *mark == 0)
            ++*missing;
        else if (!(request->directory ? folder_put(outputs, task)
                                      : stream_put(outputs, task, stream, stdout, "its output")))
            return false;
    }
    return true;
}

/* Do these core tasks exist, and do they leave such output? */
static bool request_check(const struct outputs *outputs)
{
    const struct outputs_request *request = outputs->request;
    if (outputs->ledger.failed)
        return failure_set(outputs->failure, FAILURE_MISMATCH,
                           "%s: has no readable ledger: is it the output of scow run?",
                           request->path);
    if (request->task >= outputs->ledger.count)
        return failure_set(outputs->failure, FAILURE_USAGE,
                           "%s: has core tasks 1 to %" PRId64 ", and no %" PRId64
                           ": give one of these",
                           request->path, outputs->ledger.count, request->task + 1);
    if (request->errors && !outputs->commands)
        return failure_set(outputs->failure, FAILURE_MISMATCH,
                           "%s: its core task is no command and has no standard error: leave "
                           "--stderr out",
                           request->path);
    return true;
}

static bool outputs_open(struct outputs *outputs, hid_t file)
{
    struct failure *failure = outputs->failure;
    char *kernel = archive_attribute(file, LAYOUT_KERNEL), last[24];
    outputs->commands = kernel && strcmp(kernel, command_task.name) == 0;
    free(kernel);
    rows_open(&outputs->ledger, file, LAYOUT_LEDGER, H5Tcopy(H5T_NATIVE_UINT8));
    rows_open(&outputs->places, file, LAYOUT_EMITTED, layout_emitted_type());
    rows_open_field(&outputs->attempts, file, LAYOUT_RECORDS, "attempts", H5T_NATIVE_INT32);
    outputs->digits = snprintf(last, sizeof last, "%" PRId64, outputs->ledger.count);
    outputs->emitted = archive_emitted(file, outputs->request->path, failure);
    outputs->part = malloc(PART_BYTES);
    if (!outputs->part)
        failure_memory(failure, "reading a run's output");
    return failure->code == FAILURE_NONE && request_check(outputs) &&
           (!outputs->request->directory || directory_make(outputs));
}

bool outputs_write(const struct outputs_request *request, int64_t *missing, struct failure *failure)
{
    struct outputs outputs = {.request = request, .failure = failure};
    const hid_t file = archive_open(request->path, failure);
    if (file < 0)
        return false;
    *missing = 0;
    bool good = outputs_open(&outputs, file) && tasks_put(&outputs, missing);
    if (good && (outputs.ledger.failed || outputs.places.failed))
        good = failure_set(failure, FAILURE_MISMATCH,
                           "%s: cannot be read to its end: check the disk it is on", request->path);
    emitted_close(&outputs.emitted);
    rows_close(&outputs.ledger);
    rows_close(&outputs.places);
    rows_close(&outputs.attempts);
    free(outputs.part);
    free(outputs.name);
    H5Fclose(file);
    return good;
}
