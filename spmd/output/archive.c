#include "spmd/output/archive.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "spmd/output/archive_file.h"
#include "spmd/output/layout.h"

static bool not_ours(const char *path, const char *what, struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH,
                       "%s: has no readable %s: is it the output of scow run?", path, what);
}

/* Owned, zero-terminated; NULL: absent or not a fixed-length string. */
static char *text_of(hid_t type, herr_t (*read)(hid_t, hid_t, void *), hid_t object)
{
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0)
        return NULL;
    size_t size = H5Tget_size(type);
    char *text = calloc(size + 1, 1);
    if (text && read(object, type, text) < 0) {
        free(text);
        text = NULL;
    }
    return text;
}

static herr_t whole_dataset(hid_t dataset, hid_t type, void *value)
{
    return H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value);
}

static char *dataset_text(hid_t file, const char *name)
{
    if (H5Lexists(file, name, H5P_DEFAULT) <= 0)
        return NULL;
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (dataset < 0)
        return NULL;
    hid_t type = H5Dget_type(dataset);
    char *text = text_of(type, whole_dataset, dataset);
    H5Tclose(type);
    H5Dclose(dataset);
    return text;
}

static char *attribute_text(hid_t file, const char *name)
{
    if (H5Aexists(file, name) <= 0)
        return NULL;
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    if (attribute < 0)
        return NULL;
    hid_t type = H5Aget_type(attribute);
    char *text = text_of(type, H5Aread, attribute);
    H5Tclose(type);
    H5Aclose(attribute);
    return text;
}

static bool attribute_number(hid_t file, const char *name, hid_t type, void *value)
{
    if (H5Aexists(file, name) <= 0)
        return false;
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    if (attribute < 0)
        return false;
    bool good = H5Aread(attribute, type, value) >= 0;
    H5Aclose(attribute);
    return good;
}

/* A one-dimensional data set as an owned array; *count its length. NULL when it cannot be read. */
static void *rows_read(hid_t file, const char *name, hid_t type, size_t size, size_t *count)
{
    if (H5Lexists(file, name, H5P_DEFAULT) <= 0)
        return NULL;
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (dataset < 0)
        return NULL;
    hid_t space = H5Dget_space(dataset);
    hssize_t rows = H5Sget_simple_extent_npoints(space);
    void *values = rows >= 0 ? malloc((size_t)rows * size + 1) : NULL;
    if (values && whole_dataset(dataset, type, values) < 0) {
        free(values);
        values = NULL;
    }
    *count = rows > 0 ? (size_t)rows : 0;
    H5Sclose(space);
    H5Dclose(dataset);
    return values;
}

char *archive_attribute(hid_t file, const char *name)
{
    return attribute_text(file, name);
}

uint8_t *archive_ledger(hid_t file, size_t *count)
{
    return rows_read(file, LAYOUT_LEDGER, H5T_NATIVE_UINT8, 1, count);
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
    record->trace.events = rows_read(file, LAYOUT_TRACE, type, sizeof(struct trace_event), &count);
    H5Tclose(type);
    if (!record->trace.events)
        return not_ours(path, "trace", failure);
    int32_t complete = 0;
    attribute_number(file, LAYOUT_COMPLETE, H5T_NATIVE_INT32, &complete);
    record->trace.count = complete ? count : 0;
    record->trace.capacity = count;
    return true;
}

static bool documents_read(hid_t file, const char *path, struct run_record *record,
                           struct failure *failure)
{
    char *plan = dataset_text(file, LAYOUT_PLAN), *profile = dataset_text(file, LAYOUT_PROFILE);
    bool good = plan != NULL;
    if (!good)
        not_ours(path, "plan", failure);
    good = good && plan_parse(&record->plan, plan, strlen(plan), path, failure);
    if (good && profile) {
        good = profile_parse(&record->profile, profile, strlen(profile), path, failure);
        record->has_profile = good;
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
    record->processor = attribute_text(group, LAYOUT_PROCESSOR);
    attribute_number(group, LAYOUT_THREADS, H5T_NATIVE_INT, &record->threads);
    attribute_number(group, LAYOUT_WORKERS_PER_NODE, H5T_NATIVE_INT, &record->workers_per_node);
    H5Gclose(group);
}

static bool attributes_read(hid_t file, const char *path, struct run_record *record,
                            struct failure *failure)
{
    record->input = attribute_text(file, LAYOUT_INPUT);
    record->input_sha256 = attribute_text(file, LAYOUT_INPUT_SHA256);
    record->kernel = attribute_text(file, LAYOUT_KERNEL);
    record->version = attribute_text(file, LAYOUT_VERSION);
    record->isa = attribute_text(file, LAYOUT_ISA);
    record->rule = attribute_text(file, LAYOUT_RULE); /* absent in most */
    record->tail = attribute_text(file, LAYOUT_TAIL);
    record->told = dataset_text(file, LAYOUT_TOLD);
    record->replanned = dataset_text(file, LAYOUT_REPLANNED);
    attribute_number(file, LAYOUT_AHEAD, H5T_NATIVE_INT, &record->ahead);
    record->method = attribute_text(file, LAYOUT_METHOD); /* older files do without */
    attribute_number(file, LAYOUT_FINISH, H5T_NATIVE_DOUBLE, &record->finish_s);
    char *checksum = attribute_text(file, LAYOUT_CHECKSUM);
    if (checksum)
        record->checksum = strtoull(checksum, NULL, 16);
    free(checksum);
    record->plugin = attribute_text(file, LAYOUT_PLUGIN);
    record->outcome = dataset_text(file, LAYOUT_OUTCOME);
    conditions_read(file, record);
    word_drop_empty(&record->outcome);
    word_drop_empty(&record->input_sha256);
    word_drop_empty(&record->method);
    word_drop_empty(&record->rule);
    word_drop_empty(&record->tail);
    word_drop_empty(&record->replanned);
    if (!record->kernel || !record->version || !record->isa)
        return not_ours(path, "attributes", failure);
    return true;
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
    if (!attribute_number(file, LAYOUT_COMPLETE, H5T_NATIVE_INT32, &complete))
        not_ours(path, "attributes", failure);
    else if (H5Lexists(file, LAYOUT_NORMALIZED, H5P_DEFAULT) <= 0)
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: results of its kernel are no picture: leave --png out", path);
    else if (!complete)
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: its run did not reach its end, so there is no normalised image: run again "
                    "to another file",
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
    H5Fclose(file);
    if (good)
        *record = read;
    else
        run_record_release(&read);
    return good;
}
