#include "spmd/output/archive.h"

#include <hdf5.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/model/beyond.h"
#include "planner/report/resumed.h"
#include "spmd/output/archive_file.h"
#include "spmd/output/contents.h"
#include "spmd/output/layout.h"
#include "spmd/output/parts.h"

static bool not_ours(const char *path, const char *what, struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH,
                       "%s: has no readable %s: is it the output of scow run?", path, what);
}

char *archive_attribute(hid_t file, const char *name)
{
    return contents_attribute(file, name);
}

uint8_t *archive_ledger(hid_t file, size_t *count)
{
    return contents_rows(file, LAYOUT_LEDGER, H5T_NATIVE_UINT8, 1, count);
}

static bool ledger_read(hid_t file, const char *path, struct run_record *record,
                        struct failure *failure)
{
    size_t count = 0;
    uint8_t *ledger = archive_ledger(file, &count);
    if (!ledger)
        return not_ours(path, "ledger", failure);
    record->tasks = (int64_t)count;
    for (size_t i = 0; i < count; i++)
        record->tasks_done += ledger[i] == 1;
    for (size_t i = 0; i < count; i++)
        record->tasks_failed += ledger[i] == 2;
    free(ledger);
    return true;
}

/* The trace is written at the end: in a run that did not get there its rows are all zero. */
static bool trace_read(hid_t file, const char *path, struct run_record *record,
                       struct failure *failure)
{
    hid_t type = layout_trace_type();
    size_t count = 0;
    record->trace.events =
        contents_rows(file, LAYOUT_TRACE, type, sizeof(struct trace_event), &count);
    H5Tclose(type);
    if (!record->trace.events)
        return not_ours(path, "trace", failure);
    int32_t complete = 0;
    contents_number(file, LAYOUT_COMPLETE, H5T_NATIVE_INT32, &complete);
    record->complete = complete != 0;
    record->trace.capacity = count;
    for (size_t k = 0; complete && k < count; k++) /* a resumed run may have less than announced */
        if (record->trace.events[k].tasks > 0)
            record->trace.events[record->trace.count++] = record->trace.events[k];
    return true;
}

static bool documents_read(hid_t file, const char *path, struct run_record *record,
                           struct failure *failure)
{
    char *plan = contents_text(file, LAYOUT_PLAN), *profile = contents_text(file, LAYOUT_PROFILE);
    bool good = plan != NULL;
    if (!good)
        not_ours(path, "plan", failure);
    good = good && plan_parse(&record->plan, plan, strlen(plan), path, failure);
    if (good && profile) {
        good = profile_parse(&record->profile, profile, strlen(profile), path, failure);
        record->has_profile = good;
        good = good && beyond_follow(&record->profile, &record->plan, failure);
    }
    free(plan);
    free(profile);
    return good;
}

/* What is there but says nothing is not there. */
static void word_drop_empty(char **word)
{
    if (*word && !(*word)[0]) {
        free(*word);
        *word = NULL;
    }
}

/* Files of older versions do without. */
static void conditions_read(hid_t file, struct run_record *record)
{
    hid_t group = H5Gopen2(file, LAYOUT_RUN, H5P_DEFAULT);
    if (group < 0)
        return;
    record->command_line = contents_attribute(group, LAYOUT_COMMAND_LINE);
    record->processor = contents_attribute(group, LAYOUT_PROCESSOR);
    contents_number(group, LAYOUT_THREADS, H5T_NATIVE_INT, &record->threads);
    contents_number(group, LAYOUT_WORKERS_PER_NODE, H5T_NATIVE_INT, &record->workers_per_node);
    H5Gclose(group);
}

/* Of what a watched run says of itself: where its rest was planned anew, and kept. */
static void changes_read(const char *replanned, struct run_changes *changes)
{
    json_t *list = json_loads(replanned, 0, NULL), *change;
    size_t k;
    json_array_foreach(list, k, change)
    {
        if (!json_is_true(json_object_get(change, "adopted")))
            continue;
        if (changes->count++ == 0)
            changes->round = json_integer_value(json_object_get(change, "round"));
        changes->end_s = json_number_value(json_object_get(change, "replanned_end_s"));
    }
    json_decref(list);
}

/* Of what a run says of the workers that it lost. */
static bool losses_read(struct run_record *record, struct failure *failure)
{
    json_t *list = record->lost ? json_loads(record->lost, 0, NULL) : NULL, *loss;
    size_t k;
    record->losses = calloc(json_array_size(list) + 1, sizeof *record->losses);
    json_array_foreach(list, k, loss)
    {
        if (!record->losses)
            break;
        record->losses[record->loss_count++] =
            (struct run_loss){json_integer_value(json_object_get(loss, "worker")),
                              json_number_value(json_object_get(loss, "time_s"))};
    }
    json_decref(list);
    return record->losses || failure_memory(failure, "reading a run's output");
}

static bool attributes_read(hid_t file, const char *path, struct run_record *record,
                            struct failure *failure)
{
    record->input = contents_attribute(file, LAYOUT_INPUT);
    record->input_sha256 = contents_attribute(file, LAYOUT_INPUT_SHA256);
    record->kernel = contents_attribute(file, LAYOUT_KERNEL);
    record->version = contents_attribute(file, LAYOUT_VERSION);
    record->isa = contents_attribute(file, LAYOUT_ISA);
    record->rule = contents_attribute(file, LAYOUT_RULE); /* absent in most */
    record->tail = contents_attribute(file, LAYOUT_TAIL);
    record->replan = contents_attribute(file, LAYOUT_REPLAN);
    record->told = contents_text(file, LAYOUT_TOLD);
    record->replanned = contents_text(file, LAYOUT_REPLANNED);
    record->lost_told = contents_text(file, LAYOUT_LOST_TOLD);
    record->lost = contents_text(file, LAYOUT_LOST);
    contents_number(file, LAYOUT_AHEAD, H5T_NATIVE_INT, &record->ahead);
    record->method = contents_attribute(file, LAYOUT_METHOD); /* older files do without */
    contents_number(file, LAYOUT_FINISH, H5T_NATIVE_DOUBLE, &record->finish_s);
    char *checksum = contents_attribute(file, LAYOUT_CHECKSUM);
    if (checksum)
        record->checksum = strtoull(checksum, NULL, 16);
    free(checksum);
    int32_t resumed = 0; /* older files do without */
    contents_number(file, LAYOUT_RESUMED, H5T_NATIVE_INT32, &resumed);
    record->resumed = resumed;
    record->parts = parts_list(file, resumed, &record->part_count);
    record->plugin = contents_attribute(file, LAYOUT_PLUGIN);
    record->outcome = contents_text(file, LAYOUT_OUTCOME);
    conditions_read(file, record);
    word_drop_empty(&record->outcome);
    word_drop_empty(&record->input_sha256);
    word_drop_empty(&record->method);
    word_drop_empty(&record->rule);
    word_drop_empty(&record->tail);
    word_drop_empty(&record->replan);
    word_drop_empty(&record->replanned);
    if (record->replanned)
        changes_read(record->replanned, &record->changes);
    if (!record->kernel || !record->version || !record->isa)
        return not_ours(path, "attributes", failure);
    return losses_read(record, failure);
}

/* Opened for reading; negative with *failure set. */
hid_t archive_open(const char *path, struct failure *failure)
{
    layout_quiet();
    hid_t file = -1;
    if (access(path, R_OK) != 0)
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: cannot be read: check the name and its permissions", path);
    else if ((file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT)) < 0)
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: is no readable HDF5 file: name an output of scow run", path);
    return file;
}

bool archive_pictured(const char *path, struct failure *failure)
{
    hid_t file = archive_open(path, failure);
    if (file < 0)
        return false;
    int32_t complete = 0;
    if (!contents_number(file, LAYOUT_COMPLETE, H5T_NATIVE_INT32, &complete))
        not_ours(path, "attributes", failure);
    else if (H5Lexists(file, LAYOUT_NORMALIZED, H5P_DEFAULT) <= 0)
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: results of its kernel are no picture: leave --png out", path);
    else if (!complete)
        failure_set(
            failure, FAILURE_MISMATCH,
            "%s: its run did not reach its end, so there is no normalised image: go on with "
            "it by scow run --resume",
            path);
    H5Fclose(file);
    return failure->code == FAILURE_NONE;
}

bool archive_read(const char *path, struct run_record *record, struct failure *failure)
{
    hid_t file = archive_open(path, failure);
    if (file < 0)
        return false;
    struct run_record read = {0};
    bool good = documents_read(file, path, &read, failure) &&
                ledger_read(file, path, &read, failure) && trace_read(file, path, &read, failure) &&
                attributes_read(file, path, &read, failure);
    if (good && read.resumed > 0 && read.trace.count > 0)
        good = run_record_last_part(&read) || failure_memory(failure, "reading a run's output");
    H5Fclose(file);
    if (good)
        *record = read;
    else
        run_record_release(&read);
    return good;
}
