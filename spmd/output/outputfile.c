#define _GNU_SOURCE /* fallocate */
#include "spmd/output/outputfile.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/type.h"
#include "planner/base/own.h"
#include "spmd/layout/contents.h"
#include "spmd/layout/cuts.h"
#include "spmd/layout/entries.h"
#include "spmd/layout/layout.h"
#include "spmd/layout/level_file.h"
#include "spmd/layout/parts.h"
#include "spmd/output/losses_file.h"
#include "spmd/output/part_file.h"
#include "spmd/output/trace_writer.h"

/* ---- before anything is created ------------------------------------------------------------ */

static double grid_cells(const struct scow_results *results)
{
    double cells = results->grid_type == SCOW_NONE ? 0 : 1;
    for (int i = 0; i < 3 && cells > 0; i++)
        cells *= (double)results->grid_extent[i];
    return cells;
}

/* Data sets with a row for each core task, two slots for each worker, and the grid with its
 * picture. */
static double bytes_needed(const struct job *job, const struct output_info *info)
{
    const struct scow_results *results = &job->results;
    const double row = 1 + sizeof(uint64_t) + (double)job->record_size +
                       (results->emits ? (double)sizeof(struct layout_emitted) : 0);
    const double cell =
        (double)scow_type_size(results->grid_type) + (results->grid_picture ? 1 : 0);
    const double slots =
        job->state_size > 0 ? 2.0 * info->workers * (double)layout_slot_size(job->state_size) : 0;
    const double shared = job->setup.level > 0 ? (double)job->setup.shared_size : 0;
    return grid_cells(results) * cell + row * (double)job->setup.tasks + slots + shared;
}

static bool no_room(const char *path, double bytes, struct failure *failure)
{
    return failure_set(failure, FAILURE_FAILED,
                       "%s: there is no room for %.1f MB (%s): free some space or write to another "
                       "disk",
                       path, bytes / 1e6, strerror(errno));
}

/* Reserves disk space now, so that a run cannot fill the disk half-way. File systems that cannot
 * reserve space say so; there the failure comes when it is written. */
static bool reserve(int file, int64_t place, double bytes)
{
    if (bytes < 1 || fallocate(file, 0, (off_t)place, (off_t)bytes) == 0)
        return true;
    return errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL;
}

/* HDF5 crashes if a disk fills while it closes a file: space is reserved before HDF5 is used. The
 * draft must not exist; afterwards it does, if all went well. */
static bool draft_begin(const char *draft, const char *path, const struct job *job,
                        const struct output_info *info, struct failure *failure)
{
    double needed = bytes_needed(job, info);
    int file = own_make(draft);
    if (file < 0)
        return failure_set(failure, FAILURE_FAILED,
                           "%s: cannot be created: %s: choose a directory that you can write to",
                           path, strerror(errno));
    bool good = reserve(file, 0, needed) || no_room(path, needed, failure);
    close(file);
    if (!good)
        unlink(draft);
    return good;
}

/* All of the finished file is allocated: nothing of it is sparse except the reasons of failed core
 * tasks, because most do not fail. */
static bool reserve_all(const char *draft, const char *path, const struct job *job,
                        const struct output_places *places, struct failure *failure)
{
    struct stat status;
    const int64_t tasks = job->setup.tasks, hole = places->reasons;
    const int64_t behind = hole + tasks * (int64_t)layout_reason_size(tasks);
    int file = own_open(draft, O_WRONLY);
    bool good = file >= 0 && fstat(file, &status) == 0 && reserve(file, 0, (double)hole) &&
                reserve(file, behind, (double)(status.st_size - behind));
    if (!good)
        no_room(path, file >= 0 ? (double)status.st_size : 0, failure);
    if (file >= 0)
        close(file);
    return good;
}

/* ---- attributes ---------------------------------------------------------------------------- */

/* Has room for any digest, so that one that is not known yet can be written later. */
static bool attribute_digest(hid_t object, const char *name, const char *digest)
{
    char text[64 + 1] = "";
    hid_t type = layout_text_type(sizeof text - 1);
    snprintf(text, sizeof text, "%s", digest);
    bool good = entry_number(object, name, type, text);
    H5Tclose(type);
    return good;
}

/* HDF5 Image and Palette Specification 1.2. */
static bool mark_as_image(hid_t dataset)
{
    uint8_t white_is_zero = 0;
    return entry_words(dataset, "CLASS", "IMAGE") && entry_words(dataset, "IMAGE_VERSION", "1.2") &&
           entry_words(dataset, "IMAGE_SUBCLASS", "IMAGE_GRAYSCALE") &&
           entry_number(dataset, "IMAGE_WHITE_IS_ZERO", H5T_NATIVE_UINT8, &white_is_zero);
}

/* Is there an attribute into which this would not fit? */
static bool attribute_is_short(hid_t file, const char *name, size_t size)
{
    if (H5Aexists(file, name) <= 0)
        return false;
    const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    const bool is_short = H5Tget_size(type) < size;
    H5Tclose(type);
    H5Aclose(attribute);
    return is_short;
}

/* An attribute with a text that may be different in a resumed run: it has room for another text,
 * and exists even if there is none. */
static bool attribute_of_change(hid_t file, const char *name, const char *text)
{
    enum { ROOM = 64 };
    const size_t length = text ? strlen(text) : 0, room = length > ROOM ? length : ROOM;
    char *padded = calloc(room + 1, 1);
    if (!padded)
        return false;
    memcpy(padded, text ? text : "", length);
    hid_t type = layout_text_type(room);
    const bool good = (!attribute_is_short(file, name, length) || H5Adelete(file, name) >= 0) &&
                      entry_number(file, name, type, padded);
    H5Tclose(type);
    free(padded);
    return good;
}

static bool attribute_of_value(hid_t file, const struct scow_task *task,
                               const struct scow_parameter *row, const struct scow_value *value)
{
    if (row->kind == SCOW_NUMBER || row->kind == SCOW_WHOLE)
        return entry_number(file, row->name, H5T_NATIVE_DOUBLE, &value->number);
    if (task_run_parameter(task, row->name))
        return attribute_of_change(file, row->name, value->text);
    return !value->text || entry_words(file, row->name, value->text);
}

/* Rewrites the attributes that may differ from those of the run before. */
static bool attributes_change(hid_t file, const struct job *job)
{
    bool good = true;
    for (int i = 0; good && i < job->values.count; i++)
        if (task_run_parameter(job->task, job->task->parameters[i].name))
            good = attribute_of_value(file, job->task, &job->task->parameters[i],
                                      &job->values.items[i]);
    return good;
}

static bool attributes_of_job(hid_t file, const struct job *job)
{
    char method[JOB_METHOD_SIZE];
    job_method(job, method, sizeof method);
    bool good = entry_words(file, LAYOUT_KERNEL, job->task->name) &&
                entry_words(file, LAYOUT_METHOD, method);
    for (int i = 0; good && i < job->values.count; i++)
        good =
            attribute_of_value(file, job->task, &job->task->parameters[i], &job->values.items[i]);
    return good;
}

/* The text as in the file, filled up with zeros; borrowed until the next call. */
static const char *outcome_text(const char *outcome)
{
    static char text[JOB_OUTCOME_SIZE];
    memset(text, 0, sizeof text);
    snprintf(text, sizeof text, "%s", outcome ? outcome : "");
    return text;
}

/* Attributes that sealing overwrites: they exist from the start, so that sealing changes no
 * metadata's size. */
static bool attributes_of_outcome(hid_t file, const struct summary *summary, const char *outcome,
                                  double startup_s, double finish_s, int32_t complete)
{
    const int32_t running = 0;
    char checksum[17], digest[17];
    layout_outcome_digest(outcome_text(outcome), JOB_OUTCOME_SIZE, digest);
    snprintf(checksum, sizeof checksum, "%016" PRIx64, summary->checksum);
    return entry_words(file, LAYOUT_CHECKSUM, checksum) &&
           entry_words(file, LAYOUT_OUTCOME_DIGEST, digest) &&
           entry_number(file, LAYOUT_MINIMUM, H5T_NATIVE_DOUBLE, &summary->minimum) &&
           entry_number(file, LAYOUT_MAXIMUM, H5T_NATIVE_DOUBLE, &summary->maximum) &&
           entry_number(file, LAYOUT_STARTUP, H5T_NATIVE_DOUBLE, &startup_s) &&
           entry_number(file, LAYOUT_FINISH, H5T_NATIVE_DOUBLE, &finish_s) &&
           entry_number(file, LAYOUT_FAILED, H5T_NATIVE_INT64, &summary->failed) &&
           entry_number(file, LAYOUT_RANK_PEAK, H5T_NATIVE_INT64, &summary->rank_peak) &&
           entry_number(file, LAYOUT_COMMAND_PEAK, H5T_NATIVE_INT64, &summary->command_peak) &&
           entry_number(file, LAYOUT_MASTER_PEAK, H5T_NATIVE_INT64, &summary->master_peak) &&
           entry_number(file, LAYOUT_COMPLETE, H5T_NATIVE_INT32, &complete) &&
           entry_number(file, LAYOUT_STOPPED, H5T_NATIVE_INT32, &running);
}

static bool attributes_of_input(hid_t file, const struct job *job, const struct output_info *info)
{
    const int32_t kind = job->task->input;
    return !info->input ||
           (entry_words(file, LAYOUT_INPUT, info->input) &&
            entry_number(file, LAYOUT_INPUT_KIND, H5T_NATIVE_INT32, &kind) &&
            attribute_digest(file, LAYOUT_INPUT_SHA256, info->input_sha256) &&
            (!info->input_stamp || attribute_digest(file, LAYOUT_INPUT_STAMP, info->input_stamp)) &&
            (!info->input_identity ||
             attribute_digest(file, LAYOUT_INPUT_IDENTITY, info->input_identity)));
}

static bool attributes_of_assigning(hid_t file, const struct output_info *info)
{
    const bool asks = info->rule || info->tail;
    const int32_t yes = 1;
    return (!info->rule || entry_words(file, LAYOUT_RULE, info->rule)) &&
           (!info->tail || entry_words(file, LAYOUT_TAIL, info->tail)) &&
           (!info->replan || entry_words(file, LAYOUT_REPLAN, info->replan)) &&
           (!info->surveyed || entry_number(file, LAYOUT_SURVEYED, H5T_NATIVE_INT32, &yes)) &&
           (!info->counted || entry_number(file, LAYOUT_COUNTED, H5T_NATIVE_INT32, &yes)) &&
           (!asks || entry_number(file, LAYOUT_AHEAD, H5T_NATIVE_INT, &info->ahead));
}

static bool attributes_create(hid_t file, const struct job *job, const struct output_info *info)
{
    const int32_t none = 0;
    struct summary nothing;
    summary_init(&nothing);
    return entry_words(file, LAYOUT_VERSION, SCOW_VERSION) &&
           attributes_of_input(file, job, info) &&
           (!info->plugin || (entry_words(file, LAYOUT_PLUGIN, info->plugin) &&
                              entry_words(file, LAYOUT_PLUGIN_SHA256, info->plugin_sha256))) &&
           (!job->results.emits || entry_words(file, LAYOUT_RESULTS, info->emitted)) &&
           attributes_of_assigning(file, info) &&
           entry_words(file, LAYOUT_ISA, info->conditions.isa) && attributes_of_job(file, job) &&
           entry_number(file, LAYOUT_RESUMED, H5T_NATIVE_INT32, &none) &&
           attributes_of_outcome(file, &nothing, NULL, 0, 0, 0);
}

/* ---- data sets ----------------------------------------------------------------------------- */

/* Closes it; returns its address, or negative. */
static int64_t dataset_place(hid_t dataset)
{
    if (dataset < 0)
        return -1;
    haddr_t place = H5Dget_offset(dataset);
    return H5Dclose(dataset) >= 0 && place != HADDR_UNDEF ? (int64_t)place : -1;
}

/* Makes a data set filled with zeros; returns its address, or negative. */
static int64_t rows_create(hid_t file, const char *name, hid_t type, int rank, const hsize_t *shape)
{
    return dataset_place(entry_rows(file, name, type, rank, shape, true));
}

/* Makes one with the grid's shape, without filling it; returns its address, or negative. */
static int64_t numbers_create(hid_t file, const char *name, hid_t type, const struct job *job)
{
    hsize_t shape[3];
    for (int i = 0; i < 3; i++)
        shape[i] = (hsize_t)job->results.grid_extent[i];
    return dataset_place(entry_rows(file, name, type, 3, shape, false));
}

static bool image_attributes(hid_t file, const char *name)
{
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    bool good = dataset >= 0 && mark_as_image(dataset);
    return dataset >= 0 && H5Dclose(dataset) >= 0 && good;
}

static bool grid_create(hid_t file, const struct job *job, struct output_places *places)
{
    const struct scow_results *results = &job->results;
    if (results->grid_type == SCOW_NONE)
        return true;
    places->response =
        numbers_create(file, LAYOUT_RESPONSE, layout_number_type(results->grid_type), job);
    if (!results->grid_picture)
        return places->response >= 0;
    places->normalized = numbers_create(file, LAYOUT_NORMALIZED, H5T_STD_U8LE, job);
    return places->response >= 0 && places->normalized >= 0 &&
           image_attributes(file, LAYOUT_NORMALIZED);
}

static bool records_create(hid_t file, const struct job *job, struct output_places *places)
{
    const hsize_t tasks = (hsize_t)job->setup.tasks;
    if (!job->results.fields)
        return true;
    hid_t type = layout_record_type(job->results.fields, job->record_size);
    if (type < 0)
        return false;
    places->records = rows_create(file, LAYOUT_RECORDS, type, 1, &tasks);
    H5Tclose(type);
    return places->records >= 0;
}

static bool emitted_create(hid_t file, const struct job *job, struct output_places *places)
{
    const hsize_t tasks = (hsize_t)job->setup.tasks;
    if (!job->results.emits)
        return true;
    hid_t type = layout_emitted_type();
    places->emitted = rows_create(file, LAYOUT_EMITTED, type, 1, &tasks);
    H5Tclose(type);
    return places->emitted >= 0;
}

/* Is not filled: a new file reads as zeros. */
static bool reasons_create(hid_t file, const struct job *job, struct output_places *places)
{
    const hsize_t tasks = (hsize_t)job->setup.tasks;
    hid_t type = layout_text_type(layout_reason_size(job->setup.tasks));
    places->reasons = dataset_place(entry_rows(file, LAYOUT_REASONS, type, 1, &tasks, false));
    places->reason_size = (int64_t)H5Tget_size(type);
    H5Tclose(type);
    return places->reasons >= 0;
}

static bool partial_create(hid_t file, const struct job *job, int workers,
                           struct output_places *places)
{
    const hsize_t shape[3] = {(hsize_t)workers, 2, (hsize_t)layout_slot_size(job->state_size)};
    if (job->state_size == 0)
        return true;
    places->partial = rows_create(file, LAYOUT_PARTIAL, H5T_STD_U8LE, 3, shape);
    return places->partial >= 0;
}

static bool results_create(hid_t file, const struct job *job, int workers,
                           struct output_places *places)
{
    const hsize_t tasks = (hsize_t)job->setup.tasks;
    *places = (struct output_places){0};
    places->ledger = rows_create(file, LAYOUT_LEDGER, H5T_STD_U8LE, 1, &tasks);
    places->digests = rows_create(file, LAYOUT_DIGESTS, H5T_NATIVE_UINT64, 1, &tasks);
    return places->ledger >= 0 && places->digests >= 0 && grid_create(file, job, places) &&
           records_create(file, job, places) && emitted_create(file, job, places) &&
           partial_create(file, job, workers, places);
}

/* Sealing overwrites it without changing metadata: there is room for what most reductions print. */
static bool outcome_create(hid_t file, const struct job *job)
{
    static const char nothing[JOB_OUTCOME_SIZE] = "";
    hid_t type = layout_text_type(sizeof nothing);
    hid_t dataset =
        job->state_size == 0 ? -1 : entry_rows(file, LAYOUT_OUTCOME, type, 0, NULL, true);
    bool good = job->state_size == 0 || dataset >= 0;
    if (dataset >= 0)
        good = H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, nothing) >= 0 &&
               H5Dclose(dataset) >= 0;
    H5Tclose(type);
    return good;
}

static bool run_create(hid_t file, const struct job *job, const struct output_info *info,
                       struct output_places *places)
{
    hid_t group = part_file_group(file);
    if (group < 0)
        return false;
    const bool good =
        part_file_conditions(group, &info->conditions) &&
        part_file_usage(group, &info->requested) &&
        (!info->command_line || entry_words(group, LAYOUT_COMMAND_LINE, info->command_line));
    H5Gclose(group);
    return good && entry_trace(file, LAYOUT_TRACE, info->events) && outcome_create(file, job) &&
           (job->results.grid_type == SCOW_NONE || cuts_create(file, job)) && parts_create(file) &&
           parts_put(file, 0, &info->part) && losses_create(file, info->members, places) &&
           entry_text(file, LAYOUT_PLAN, info->plan) &&
           level_file_put(file, job, info->level_before) &&
           (!info->profile || entry_text(file, LAYOUT_PROFILE, info->profile));
}

/* ---- whole --------------------------------------------------------------------------------- */

/* Uses one version of the format, whatever the library's newest one is. */
static hid_t file_create(const char *draft)
{
    hid_t access_list = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access_list, H5F_LIBVER_V110, H5F_LIBVER_V110);
    hid_t file = H5Fcreate(draft, H5F_ACC_TRUNC, H5P_DEFAULT, access_list);
    H5Pclose(access_list);
    return file;
}

/* Writes over the draft; fails, or makes it complete. */
static bool draft_fill(const char *draft, const struct job *job, const struct output_info *info,
                       struct output_places *places)
{
    hid_t file = file_create(draft);
    if (file < 0)
        return false;
    bool good = results_create(file, job, info->workers, places) &&
                run_create(file, job, info, places) && attributes_create(file, job, info) &&
                reasons_create(file, job, places);
    return H5Fclose(file) >= 0 && good; /* that the disk is full may be seen only now */
}

static bool exists_already(const char *path, struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH,
                       "%s: exists already: choose another name or remove it first", path);
}

/* From now on the name means a complete file, whenever a process is killed; another file is never
 * replaced. */
static bool draft_publish(const char *draft, const char *path, struct failure *failure)
{
    if (renameat2(AT_FDCWD, draft, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
        return true;
    if (errno == EINVAL && rename(draft, path) == 0) /* a file system without this operation */
        return true;
    if (errno == EEXIST)
        return exists_already(path, failure);
    return failure_set(failure, FAILURE_FAILED,
                       "%s: cannot be created: %s: choose a directory that you can write to", path,
                       strerror(errno));
}

static bool draft_make(const char *draft, const char *path, const struct job *job,
                       const struct output_info *info, struct output_places *places,
                       struct failure *failure)
{
    if (!draft_begin(draft, path, job, info, failure))
        return false;
    struct output_places made = {0};
    bool good = draft_fill(draft, job, info, &made) ||
                failure_set(failure, FAILURE_FAILED,
                            "%s: cannot be written in full: free some space or write to another "
                            "disk",
                            path);
    good = good && reserve_all(draft, path, job, &made, failure) &&
           draft_publish(draft, path, failure);
    if (good)
        *places = made;
    else
        unlink(draft);
    return good;
}

/* Owned; NULL: out of memory. */
static char *draft_name(const char *path, int64_t process)
{
    const size_t room = strlen(path) + 32;
    char *draft = malloc(room);
    if (draft)
        snprintf(draft, room, "%s.%" PRId64 ".new", path, process);
    return draft;
}

void outputfile_discard(const char *path, int64_t process)
{
    char *draft = draft_name(path, process);
    if (draft)
        unlink(draft);
    unlink(path);
    free(draft);
}

bool outputfile_create(const char *path, const struct job *job, const struct output_info *info,
                       struct output_places *places, struct failure *failure)
{
    struct stat status;
    layout_quiet();
    if (path[0] == '\0')
        return failure_set(failure, FAILURE_USAGE, "the output's name is empty: give -o FILE");
    if (lstat(path, &status) == 0)
        return exists_already(path, failure);
    char *draft = draft_name(path, getpid());
    if (!draft)
        return failure_memory(failure, "creating the output");
    bool good = draft_make(draft, path, job, info, places, failure);
    free(draft);
    return good;
}

static bool outcome_write(hid_t file, const char *outcome)
{
    if (!outcome)
        return true;
    hid_t dataset = H5Dopen2(file, LAYOUT_OUTCOME, H5P_DEFAULT);
    if (dataset < 0)
        return false;
    hid_t type = H5Dget_type(dataset);
    bool good = H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, outcome_text(outcome)) >= 0;
    H5Tclose(type);
    return H5Dclose(dataset) >= 0 && good;
}

/* While HDF5 has a file open for writing, the superblock says so, and if the process is killed then
 * nobody can open the file any more. Sealing changes values only, so the previous superblock stays
 * correct: it is written back at once. So a run that is killed, or a disk that is full, during
 * sealing leaves a readable file. */
enum { SUPERBLOCK_BYTES = 48 };

/* Negative: it could not be opened in that way. */
static hid_t seal_begin(const char *path)
{
    char superblock[SUPERBLOCK_BYTES];
    int raw = own_open(path, O_RDWR);
    if (raw < 0)
        return -1;
    hid_t file = -1;
    if (pread(raw, superblock, sizeof superblock, 0) == (ssize_t)sizeof superblock) {
        file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        if (pwrite(raw, superblock, sizeof superblock, 0) != (ssize_t)sizeof superblock &&
            file >= 0) {
            H5Fclose(file);
            file = -1;
        }
    }
    close(raw);
    return file;
}

/* Writes the digest of a file with an input. */
static bool digest_write(hid_t file, const char *digest)
{
    return !digest || !digest[0] || H5Aexists(file, LAYOUT_INPUT_SHA256) <= 0 ||
           attribute_digest(file, LAYOUT_INPUT_SHA256, digest);
}

/* Ends the current part, as the outcome says. */
static bool part_end(hid_t file, const char *path, const struct output_outcome *outcome,
                     enum part_outcome how, bool *imported)
{
    struct run_part part;
    int32_t times = 0;
    contents_number(file, LAYOUT_RESUMED, H5T_NATIVE_INT32, &times);
    const bool there = parts_get(file, times, &part);
    const struct part_trace trace = {path, {times, part.began_s}, outcome->trace_cut};
    if (!part_file_end(file, outcome, &trace, imported))
        return false;
    if (!outcome->part || !there)
        return true;
    part.ended_s = parts_now();
    part.makespan_s = outcome->part->makespan_s;
    part.tasks = outcome->part->tasks;
    part.packages = outcome->part->packages;
    part.outcome = (int32_t)how;
    return parts_put(file, times, &part);
}

bool outputfile_seal(const char *path, const struct output_outcome *outcome,
                     struct failure *failure)
{
    bool imported = false;
    hid_t file = seal_begin(path);
    bool good = file >= 0 && digest_write(file, outcome->input_sha256) &&
                outcome_write(file, outcome->outcome) &&
                part_end(file, path, outcome, PART_COMPLETE, &imported) &&
                attributes_of_outcome(file, outcome->summary, outcome->outcome, outcome->startup_s,
                                      outcome->finish_s, 1);
    good = file >= 0 && H5Fclose(file) >= 0 && good;
    if (good && imported)
        trace_writer_remove(path);
    return good || failure_set(failure, FAILURE_FAILED,
                               "%s: the results are there, but its trace and checksum could not be "
                               "written: is the disk full, or the file damaged or gone?",
                               path);
}

/* Flushes to the disk and not only to the operating system, so that another node can see it after
 * this one is gone. */
static bool flush(const char *path)
{
    const int file = own_open(path, O_RDWR);
    const bool good = file >= 0 && fsync(file) == 0;
    if (file >= 0)
        close(file);
    return good;
}

bool outputfile_stop(const char *path, const struct output_outcome *outcome,
                     struct failure *failure)
{
    const int32_t stopped = 1;
    bool imported = false;
    hid_t file = seal_begin(path);
    bool good = file >= 0 && entry_number(file, LAYOUT_STOPPED, H5T_NATIVE_INT32, &stopped) &&
                part_end(file, path, outcome, PART_STOPPED, &imported) &&
                digest_write(file, outcome->input_sha256);
    good = file >= 0 && H5Fclose(file) >= 0 && good && flush(path);
    if (good && imported)
        trace_writer_remove(path);
    return good || failure_set(failure, FAILURE_FAILED,
                               "%s: what is done is there, but that the run was stopped could not "
                               "be written: is the disk full, or the file damaged or gone?",
                               path);
}

void outputfile_halt(const char *path, const char *why)
{
    int32_t times = 0;
    struct run_part part;
    hid_t file = seal_begin(path);
    if (file < 0)
        return;
    contents_number(file, LAYOUT_RESUMED, H5T_NATIVE_INT32, &times);
    if (parts_get(file, times, &part)) {
        part.ended_s = parts_now();
        part.outcome = PART_HALTED;
        if (part_file_halt(file, times, why))
            parts_put(file, times, &part);
    }
    H5Fclose(file);
}

void outputfile_distrust(const char *path)
{
    hid_t file = seal_begin(path);
    if (file < 0)
        return;
    attribute_digest(file, LAYOUT_INPUT_STAMP, "");
    attribute_digest(file, LAYOUT_INPUT_IDENTITY, "");
    H5Fclose(file);
}

bool outputfile_reopen(const char *path, const struct job *job, int32_t times,
                       const struct run_part *last, const struct run_part *next,
                       const struct part_info *info)
{
    const int32_t no = 0;
    layout_quiet();
    hid_t file = seal_begin(path);
    const struct part_trace trace = {path, {times - 1, last->began_s}, false};
    struct run_part before = *last;
    const bool good = file >= 0 && part_file_import(file, &trace, &before) &&
                      parts_put(file, times - 1, &before) && parts_put(file, times, next) &&
                      part_file_begin(file, path, times, info) && attributes_change(file, job) &&
                      entry_number(file, LAYOUT_RESUMED, H5T_NATIVE_INT32, &times) &&
                      entry_number(file, LAYOUT_STOPPED, H5T_NATIVE_INT32, &no) &&
                      entry_number(file, LAYOUT_COMPLETE, H5T_NATIVE_INT32, &no);
    return file >= 0 && H5Fclose(file) >= 0 && good;
}
