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
#include "spmd/output/contents.h"
#include "spmd/output/layout.h"
#include "spmd/output/parts.h"

/* ---- before anything is created ------------------------------------------------------------ */

static double grid_cells(const struct scow_results *results)
{
    double cells = results->grid_type == SCOW_NONE ? 0 : 1;
    for (int i = 0; i < 3 && cells > 0; i++)
        cells *= (double)results->grid_extent[i];
    return cells;
}

/* Data sets of a row a task, two slots a worker, and the grid with its picture. */
static double bytes_needed(const struct job *job, const struct output_info *info)
{
    const struct scow_results *results = &job->results;
    const double row =
        1 + (double)job->record_size + (results->emits ? (double)sizeof(struct layout_emitted) : 0);
    const double cell =
        (double)scow_type_size(results->grid_type) + (results->grid_picture ? 1 : 0);
    const double slots =
        job->state_size > 0 ? 2.0 * info->workers * (double)layout_slot_size(job->state_size) : 0;
    return grid_cells(results) * cell + row * (double)job->setup.tasks + slots;
}

static bool no_room(const char *path, double bytes, struct failure *failure)
{
    return failure_set(failure, FAILURE_FAILED,
                       "%s: there is no room for %.1f MB (%s): free some space or write to another "
                       "disk",
                       path, bytes / 1e6, strerror(errno));
}

/* Claim the disk's space now, so that a run cannot fill it half-way. File systems that cannot do
 * that (they say so) will tell when it is written. */
static bool reserve(int file, double bytes)
{
    if (fallocate(file, 0, 0, (off_t)bytes) == 0)
        return true;
    return errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL;
}

/* HDF5 does not survive a disk that fills while it closes a file: ask before it is involved. The
 * draft must not exist; it does afterwards. */
static bool draft_begin(const char *draft, const char *path, const struct job *job,
                        const struct output_info *info, struct failure *failure)
{
    double needed = bytes_needed(job, info);
    int file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
        return failure_set(failure, FAILURE_FAILED,
                           "%s: cannot be created: %s: choose a directory that you can write to",
                           path, strerror(errno));
    bool good = reserve(file, needed) || no_room(path, needed, failure);
    close(file);
    return good;
}

/* The finished file has its place in full: nothing of it is sparse. */
static bool reserve_all(const char *draft, const char *path, struct failure *failure)
{
    struct stat status;
    int file = open(draft, O_WRONLY | O_CLOEXEC);
    bool good = file >= 0 && fstat(file, &status) == 0 && reserve(file, (double)status.st_size);
    if (!good)
        no_room(path, file >= 0 ? (double)status.st_size : 0, failure);
    if (file >= 0)
        close(file);
    return good;
}

/* ---- attributes ---------------------------------------------------------------------------- */

/* Creates the attribute, or overwrites one of the same type. */
static bool attribute_put(hid_t object, const char *name, hid_t type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Aexists(object, name) > 0
                          ? H5Aopen(object, name, H5P_DEFAULT)
                          : H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
    return good;
}

static bool attribute_text(hid_t object, const char *name, const char *text)
{
    hid_t type = layout_text_type(strlen(text));
    bool good = attribute_put(object, name, type, text);
    H5Tclose(type);
    return good;
}

/* Its size is that of any digest, so that one that is not known yet can be written later. */
static bool attribute_digest(hid_t object, const char *name, const char *digest)
{
    char text[64 + 1] = "";
    hid_t type = layout_text_type(sizeof text - 1);
    snprintf(text, sizeof text, "%s", digest);
    bool good = attribute_put(object, name, type, text);
    H5Tclose(type);
    return good;
}

/* HDF5 Image and Palette Specification 1.2. */
static bool mark_as_image(hid_t dataset)
{
    uint8_t white_is_zero = 0;
    return attribute_text(dataset, "CLASS", "IMAGE") &&
           attribute_text(dataset, "IMAGE_VERSION", "1.2") &&
           attribute_text(dataset, "IMAGE_SUBCLASS", "IMAGE_GRAYSCALE") &&
           attribute_put(dataset, "IMAGE_WHITE_IS_ZERO", H5T_NATIVE_UINT8, &white_is_zero);
}

static bool attribute_of_value(hid_t file, const struct scow_parameter *row,
                               const struct scow_value *value)
{
    if (row->kind == SCOW_NUMBER || row->kind == SCOW_WHOLE)
        return attribute_put(file, row->name, H5T_NATIVE_DOUBLE, &value->number);
    return !value->text || attribute_text(file, row->name, value->text);
}

static bool attributes_of_job(hid_t file, const struct job *job)
{
    char method[JOB_METHOD_SIZE];
    job_method(job, method, sizeof method);
    bool good = attribute_text(file, LAYOUT_KERNEL, job->task->name) &&
                attribute_text(file, LAYOUT_METHOD, method);
    for (int i = 0; good && i < job->values.count; i++)
        good = attribute_of_value(file, &job->task->parameters[i], &job->values.items[i]);
    return good;
}

/* What sealing overwrites: there from the start, so that sealing changes no metadata's size. */
static bool attributes_of_outcome(hid_t file, const struct summary *summary, double finish_s,
                                  int32_t complete)
{
    const int32_t running = 0;
    char checksum[17];
    snprintf(checksum, sizeof checksum, "%016" PRIx64, summary->checksum);
    return attribute_text(file, LAYOUT_CHECKSUM, checksum) &&
           attribute_put(file, LAYOUT_MINIMUM, H5T_NATIVE_DOUBLE, &summary->minimum) &&
           attribute_put(file, LAYOUT_MAXIMUM, H5T_NATIVE_DOUBLE, &summary->maximum) &&
           attribute_put(file, LAYOUT_FINISH, H5T_NATIVE_DOUBLE, &finish_s) &&
           attribute_put(file, LAYOUT_FAILED, H5T_NATIVE_INT64, &summary->failed) &&
           attribute_put(file, LAYOUT_COMPLETE, H5T_NATIVE_INT32, &complete) &&
           attribute_put(file, LAYOUT_STOPPED, H5T_NATIVE_INT32, &running);
}

static bool attributes_of_input(hid_t file, const struct output_info *info)
{
    return !info->input ||
           (attribute_text(file, LAYOUT_INPUT, info->input) &&
            attribute_digest(file, LAYOUT_INPUT_SHA256, info->input_sha256) &&
            (!info->input_stamp || attribute_digest(file, LAYOUT_INPUT_STAMP, info->input_stamp)));
}

static bool attributes_of_dealing(hid_t file, const struct output_info *info)
{
    const bool asks = info->rule || info->tail;
    return (!info->rule || attribute_text(file, LAYOUT_RULE, info->rule)) &&
           (!info->tail || attribute_text(file, LAYOUT_TAIL, info->tail)) &&
           (!info->replan || attribute_text(file, LAYOUT_REPLAN, info->replan)) &&
           (!asks || attribute_put(file, LAYOUT_AHEAD, H5T_NATIVE_INT, &info->ahead));
}

static bool attributes_create(hid_t file, const struct job *job, const struct output_info *info)
{
    const int32_t none = 0;
    struct summary nothing;
    summary_init(&nothing);
    return attribute_text(file, LAYOUT_VERSION, SCOW_VERSION) && attributes_of_input(file, info) &&
           (!info->plugin || (attribute_text(file, LAYOUT_PLUGIN, info->plugin) &&
                              attribute_text(file, LAYOUT_PLUGIN_SHA256, info->plugin_sha256))) &&
           (!job->results.emits || attribute_text(file, LAYOUT_RESULTS, info->emitted)) &&
           attributes_of_dealing(file, info) &&
           attribute_text(file, LAYOUT_ISA, info->conditions.isa) && attributes_of_job(file, job) &&
           attribute_put(file, LAYOUT_RESUMED, H5T_NATIVE_INT32, &none) &&
           attributes_of_outcome(file, &nothing, 0, 0);
}

/* ---- data sets ----------------------------------------------------------------------------- */

/* A data set in one piece, whose place in the file is fixed now; filled with zeros or not at all.
 */
static hid_t dataset_create(hid_t file, const char *name, hid_t type, int rank,
                            const hsize_t *shape, bool filled)
{
    hid_t space = rank > 0 ? H5Screate_simple(rank, shape, NULL) : H5Screate(H5S_SCALAR);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(creation, filled ? H5D_FILL_TIME_ALLOC : H5D_FILL_TIME_NEVER);
    hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    H5Sclose(space);
    return dataset;
}

/* Closed again: its address, or negative. */
static int64_t dataset_place(hid_t dataset)
{
    if (dataset < 0)
        return -1;
    haddr_t place = H5Dget_offset(dataset);
    return H5Dclose(dataset) >= 0 && place != HADDR_UNDEF ? (int64_t)place : -1;
}

/* A data set filled with zeros; its address, or negative. */
static int64_t rows_create(hid_t file, const char *name, hid_t type, int rank, const hsize_t *shape)
{
    return dataset_place(dataset_create(file, name, type, rank, shape, true));
}

/* One of the grid's shape, not filled; its address, or negative. */
static int64_t numbers_create(hid_t file, const char *name, hid_t type, const struct job *job)
{
    hsize_t shape[3];
    for (int i = 0; i < 3; i++)
        shape[i] = (hsize_t)job->results.grid_extent[i];
    return dataset_place(dataset_create(file, name, type, 3, shape, false));
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
    return places->ledger >= 0 && grid_create(file, job, places) &&
           records_create(file, job, places) && emitted_create(file, job, places) &&
           partial_create(file, job, workers, places);
}

static bool text_create(hid_t file, const char *name, const char *text)
{
    hid_t type = layout_text_type(strlen(text));
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    if (dataset >= 0)
        H5Dclose(dataset);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

/* In place of what a run before has left there, if any. */
static bool text_put(hid_t file, const char *name, const char *text)
{
    if (H5Lexists(file, name, H5P_DEFAULT) > 0 && H5Ldelete(file, name, H5P_DEFAULT) < 0)
        return false;
    return !text || text_create(file, name, text);
}

static bool trace_create(hid_t file, int64_t events)
{
    hid_t type = layout_trace_type();
    hid_t packed = H5Tcopy(type);
    H5Tpack(packed);
    hsize_t rows = (hsize_t)events;
    hid_t dataset = dataset_create(file, LAYOUT_TRACE, packed, 1, &rows, true);
    bool good = dataset >= 0 && H5Dclose(dataset) >= 0;
    H5Tclose(packed);
    H5Tclose(type);
    return good;
}

/* Sealing overwrites it, without changing any metadata: room for what most reductions print. */
static bool outcome_create(hid_t file, const struct job *job)
{
    static const char nothing[JOB_OUTCOME_SIZE] = "";
    hid_t type = layout_text_type(sizeof nothing);
    hid_t dataset =
        job->state_size == 0 ? -1 : dataset_create(file, LAYOUT_OUTCOME, type, 0, NULL, true);
    bool good = job->state_size == 0 || dataset >= 0;
    if (dataset >= 0)
        good = H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, nothing) >= 0 &&
               H5Dclose(dataset) >= 0;
    H5Tclose(type);
    return good;
}

static bool conditions_create(hid_t group, const struct conditions *here)
{
    return (!here->processor || attribute_text(group, LAYOUT_PROCESSOR, here->processor)) &&
           attribute_put(group, LAYOUT_THREADS, H5T_NATIVE_INT, &here->threads) &&
           attribute_put(group, LAYOUT_WORKERS_PER_NODE, H5T_NATIVE_INT, &here->workers_per_node);
}

static bool run_create(hid_t file, const struct job *job, const struct output_info *info)
{
    hid_t group = H5Gcreate2(file, LAYOUT_RUN, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0)
        return false;
    const bool good =
        conditions_create(group, &info->conditions) &&
        (!info->command_line || attribute_text(group, LAYOUT_COMMAND_LINE, info->command_line));
    H5Gclose(group);
    struct run_part part = info->part;
    part.began_s = parts_now();
    return good && trace_create(file, info->events) && outcome_create(file, job) &&
           parts_create(file) && parts_put(file, 0, &part) &&
           text_create(file, LAYOUT_PLAN, info->plan) &&
           (!info->profile || text_create(file, LAYOUT_PROFILE, info->profile));
}

/* ---- whole --------------------------------------------------------------------------------- */

/* One version of the format, whichever the library's newest is. */
static hid_t file_create(const char *draft)
{
    hid_t access_list = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access_list, H5F_LIBVER_V110, H5F_LIBVER_V110);
    hid_t file = H5Fcreate(draft, H5F_ACC_TRUNC, H5P_DEFAULT, access_list);
    H5Pclose(access_list);
    return file;
}

/* Over the draft, complete or an error. */
static bool draft_fill(const char *draft, const struct job *job, const struct output_info *info,
                       struct output_places *places)
{
    hid_t file = file_create(draft);
    if (file < 0)
        return false;
    bool good = results_create(file, job, info->workers, places) && run_create(file, job, info) &&
                attributes_create(file, job, info);
    return H5Fclose(file) >= 0 && good; /* a full disk may show only now */
}

static bool exists_already(const char *path, struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH,
                       "%s: exists already: choose another name or remove it first", path);
}

/* From here on the name stands for a whole file, whoever is killed when; nobody's file is replaced.
 */
static bool draft_publish(const char *draft, const char *path, struct failure *failure)
{
    if (renameat2(AT_FDCWD, draft, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
        return true;
    if (errno == EINVAL && rename(draft, path) == 0) /* a file system without that promise */
        return true;
    if (errno == EEXIST)
        return exists_already(path, failure);
    return failure_set(failure, FAILURE_FAILED, "%s: cannot be created: %s", path, strerror(errno));
}

static bool draft_make(const char *draft, const char *path, const struct job *job,
                       const struct output_info *info, struct output_places *places,
                       struct failure *failure)
{
    if (!draft_begin(draft, path, job, info, failure))
        return false;
    struct output_places made;
    bool good = draft_fill(draft, job, info, &made) ||
                failure_set(failure, FAILURE_FAILED,
                            "%s: cannot be written in full: free some space or write to another "
                            "disk",
                            path);
    good = good && reserve_all(draft, path, failure) && draft_publish(draft, path, failure);
    if (good)
        *places = made;
    else
        unlink(draft);
    return good;
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
    size_t room = strlen(path) + 32;
    char *draft = malloc(room);
    if (!draft)
        return failure_memory(failure, "creating the output");
    snprintf(draft, room, "%s.%ld.new", path, (long)getpid());
    bool good = draft_make(draft, path, job, info, places, failure);
    free(draft);
    return good;
}

/* Rows in the trace as it was made. Negative: there is none. */
static int64_t trace_rows(hid_t file)
{
    hid_t dataset = H5Dopen2(file, LAYOUT_TRACE, H5P_DEFAULT);
    if (dataset < 0)
        return -1;
    hid_t space = H5Dget_space(dataset);
    const int64_t rows = (int64_t)H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    H5Dclose(dataset);
    return rows;
}

/* A rule's trace is longer than what was announced: a new one takes the place of the first. */
static bool trace_extend(hid_t file, const struct trace *trace)
{
    const int64_t rows = trace_rows(file);
    return rows >= 0 &&
           (rows >= (int64_t)trace->count || (H5Ldelete(file, LAYOUT_TRACE, H5P_DEFAULT) >= 0 &&
                                              trace_create(file, (int64_t)trace->count)));
}

static bool trace_write(hid_t file, const struct trace *trace)
{
    if (!trace_extend(file, trace))
        return false;
    hid_t dataset = H5Dopen2(file, LAYOUT_TRACE, H5P_DEFAULT);
    if (dataset < 0)
        return false;
    hid_t type = layout_trace_type();
    bool good = trace->count == 0 ||
                layout_rows_write(dataset, type, 0, (int64_t)trace->count, trace->events);
    H5Tclose(type);
    return H5Dclose(dataset) >= 0 && good;
}

static bool outcome_write(hid_t file, const char *outcome)
{
    static char text[JOB_OUTCOME_SIZE];
    if (!outcome)
        return true;
    memset(text, 0, sizeof text);
    snprintf(text, sizeof text, "%s", outcome);
    hid_t dataset = H5Dopen2(file, LAYOUT_OUTCOME, H5P_DEFAULT);
    if (dataset < 0)
        return false;
    hid_t type = H5Dget_type(dataset);
    bool good = H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    H5Tclose(type);
    return H5Dclose(dataset) >= 0 && good;
}

/* While HDF5 has a file open for writing, its superblock says so, and nobody can open it any more
 * if that is the last that it says. Sealing changes values only, so what the superblock said before
 * stays true: it is put back at once, and a run that is killed, or a disk that is full, while
 * sealing leaves a file that can be read. */
enum { SUPERBLOCK_BYTES = 48 };

/* Negative: it could not be opened so. */
static hid_t seal_begin(const char *path)
{
    char superblock[SUPERBLOCK_BYTES];
    int raw = open(path, O_RDWR | O_CLOEXEC);
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

/* Of a file with an input. */
static bool digest_write(hid_t file, const char *digest)
{
    return !digest || !digest[0] || H5Aexists(file, LAYOUT_INPUT_SHA256) <= 0 ||
           attribute_digest(file, LAYOUT_INPUT_SHA256, digest);
}

/* The part at hand is over, as `ended` says. */
static bool part_end(hid_t file, const struct run_part *ended, enum part_outcome outcome)
{
    struct run_part part;
    int32_t times = 0;
    if (!ended || !contents_number(file, LAYOUT_RESUMED, H5T_NATIVE_INT32, &times) ||
        !parts_get(file, times, &part))
        return true;
    part.ended_s = parts_now();
    part.makespan_s = ended->makespan_s;
    part.tasks = ended->tasks;
    part.packages = ended->packages;
    part.outcome = (int32_t)outcome;
    return parts_put(file, times, &part);
}

bool outputfile_seal(const char *path, const struct output_outcome *outcome,
                     struct failure *failure)
{
    hid_t file = seal_begin(path);
    bool good = file >= 0 && trace_write(file, outcome->trace) &&
                digest_write(file, outcome->input_sha256) &&
                outcome_write(file, outcome->outcome) &&
                part_end(file, outcome->part, PART_COMPLETE) &&
                text_put(file, LAYOUT_TOLD, outcome->told) &&
                text_put(file, LAYOUT_REPLANNED, outcome->replanned) &&
                text_put(file, LAYOUT_LOST_TOLD, outcome->lost_told) &&
                text_put(file, LAYOUT_LOST, outcome->lost) &&
                attributes_of_outcome(file, outcome->summary, outcome->finish_s, 1);
    good = file >= 0 && H5Fclose(file) >= 0 && good;
    return good || failure_set(failure, FAILURE_FAILED,
                               "%s: the results are there, but its trace and checksum could not "
                               "be written: is the disk full, or the file gone?",
                               path);
}

/* To the disk, and not only to the system, so that another node sees it after this one is gone. */
static bool flush(const char *path)
{
    const int file = open(path, O_RDWR | O_CLOEXEC);
    const bool good = file >= 0 && fsync(file) == 0;
    if (file >= 0)
        close(file);
    return good;
}

bool outputfile_stop(const char *path, const char *input_sha256, const struct run_part *part,
                     struct failure *failure)
{
    const int32_t stopped = 1;
    hid_t file = seal_begin(path);
    bool good = file >= 0 && attribute_put(file, LAYOUT_STOPPED, H5T_NATIVE_INT32, &stopped) &&
                part_end(file, part, PART_STOPPED) && digest_write(file, input_sha256);
    good = file >= 0 && H5Fclose(file) >= 0 && good;
    return (good && flush(path)) ||
           failure_set(failure, FAILURE_FAILED,
                       "%s: what is done is there, but that the run was stopped could not be "
                       "written: is the disk full, or the file gone?",
                       path);
}

void outputfile_distrust(const char *path)
{
    hid_t file = seal_begin(path);
    if (file < 0)
        return;
    attribute_digest(file, LAYOUT_INPUT_STAMP, "");
    H5Fclose(file);
}

bool outputfile_reopen(const char *path, int32_t times, const struct run_part *last,
                       const struct run_part *next)
{
    const int32_t no = 0;
    layout_quiet();
    hid_t file = seal_begin(path);
    const bool good = file >= 0 && parts_put(file, times - 1, last) &&
                      parts_put(file, times, next) &&
                      attribute_put(file, LAYOUT_RESUMED, H5T_NATIVE_INT32, &times) &&
                      attribute_put(file, LAYOUT_STOPPED, H5T_NATIVE_INT32, &no) &&
                      attribute_put(file, LAYOUT_COMPLETE, H5T_NATIVE_INT32, &no);
    return file >= 0 && H5Fclose(file) >= 0 && good;
}
