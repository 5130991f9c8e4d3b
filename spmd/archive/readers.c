#include <hdf5.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/command/kept.h"
#include "kernel/vector/isa.h"
#include "planner/base/failure.h"
#include "planner/base/json_text.h"
#include "planner/command/readers.h"
#include "spmd/archive/archive.h"
#include "spmd/archive/archive_file.h"
#include "spmd/archive/failed.h"
#include "spmd/archive/intact_file.h"
#include "spmd/archive/numbers.h"
#include "spmd/archive/outputs.h"
#include "spmd/archive/preview.h"
#include "spmd/archive/records.h"
#include "spmd/archive/rows.h"
#include "spmd/archive/slices.h"
#include "spmd/archive/strips_file.h"
#include "spmd/archive/tiff.h"
#include "spmd/archive/xdmf.h"
#include "spmd/input/input.h"
#include "spmd/input/spool.h"
#include "spmd/job/items.h"
#include "spmd/job/job.h"
#include "spmd/job/kernel.h"
#include "spmd/layout/contents.h"
#include "spmd/layout/layout.h"

/* ---- fields -------------------------------------------------------------------------------- */

/* Summarises the records of core tasks, field by field. */

/* Records that are read at once, one field at a time. */
static const size_t RECORDS_MOST = 20000000;

struct range {
    double least, greatest, sum;
    int64_t count;
};

static struct range range_of(const double *values, const uint8_t *ledger, size_t count)
{
    struct range range = {HUGE_VAL, -HUGE_VAL, 0, 0};
    for (size_t i = 0; i < count; i++) {
        if (ledger[i] != 1 || isnan(values[i]))
            continue;
        range.least = fmin(range.least, values[i]);
        range.greatest = fmax(range.greatest, values[i]);
        range.sum += values[i];
        range.count++;
    }
    return range;
}

static void range_print(const char *field, const struct range *range, struct json_text *ranges)
{
    struct json_text json = json_open_in(ranges, NULL, "{", ", ");
    json_word(&json, "field", field);
    json_number(&json, "least", range->least);
    json_number(&json, "mean", range->sum / (double)range->count);
    json_number(&json, "greatest", range->greatest);
    json_close(&json, "}");
}

/* Prints the fields that are single numbers. */
static void numbers_print(hid_t file, hid_t stored, const uint8_t *ledger, size_t count,
                          struct json_text *json)
{
    const int members = H5Tget_class(stored) == H5T_COMPOUND ? H5Tget_nmembers(stored) : 0;
    for (int k = 0; k < members; k++) {
        const H5T_class_t kind = H5Tget_member_class(stored, (unsigned)k);
        char *field = H5Tget_member_name(stored, (unsigned)k);
        double *values = field && (kind == H5T_INTEGER || kind == H5T_FLOAT)
                             ? contents_column(file, LAYOUT_RECORDS, field, count)
                             : NULL;
        if (values) {
            const struct range range = range_of(values, ledger, count);
            range_print(field, &range, json);
        }
        free(values);
        H5free_memory(field);
    }
}

static bool records_print(hid_t file, hid_t dataset, struct text *text)
{
    size_t count = 0;
    uint8_t *ledger = archive_ledger(file, &count);
    const bool good = ledger && count <= RECORDS_MOST;
    if (good) {
        const hid_t stored = H5Dget_type(dataset);
        struct json_text json = json_open(text, "[", ", ");
        numbers_print(file, stored, ledger, count, &json);
        json_close(&json, "]");
        H5Tclose(stored);
    }
    free(ledger);
    return good;
}

/* Prints a JSON array of {"field", "least", "mean", "greatest"}, one for each number in the records
 * of the run output `path`, over the core tasks that are done and have not failed; "null": the core
 * task leaves no records, or more than can be read at once. Serial. */
static bool fields_print(const char *path, struct text *text, struct failure *failure)
{
    const hid_t file = archive_open(path, failure);
    if (file < 0)
        return false;
    const hid_t dataset = contents_open(file, LAYOUT_RECORDS);
    if (dataset < 0 || !records_print(file, dataset, text))
        text_add(text, "null");
    if (dataset >= 0)
        H5Dclose(dataset);
    H5Fclose(file);
    return true;
}

/* ---- slowest ------------------------------------------------------------------------------- */

/* Finds the core tasks of a run that took longest, if records contain their time. Serial. */

/* How many core tasks, and how many bytes of a line. */
enum { MOST = 5, LINE_MOST = 200 };

struct slow {
    int64_t task; /* from 0 */
    double seconds;
    bool failed;
};

struct slowest {
    hid_t file;
    struct rows ledger, seconds;
    struct slow found[MOST]; /* the slowest first */
    int count;
    struct items *items; /* NULL: lines are not known */
};

static void slow_insert(struct slowest *slowest, const struct slow *slow)
{
    int at = slowest->count;
    while (at > 0 && slowest->found[at - 1].seconds < slow->seconds)
        at--;
    if (at == MOST)
        return;
    slowest->count += slowest->count < MOST;
    for (int k = slowest->count - 1; k > at; k--)
        slowest->found[k] = slowest->found[k - 1];
    slowest->found[at] = *slow;
}

static void slow_find(struct slowest *slowest)
{
    for (int64_t task = 0; task < slowest->ledger.count; task++) {
        const uint8_t *mark = rows_at(&slowest->ledger, task);
        const double *seconds = mark && *mark ? rows_at(&slowest->seconds, task) : NULL;
        const struct slow slow = {task, seconds ? *seconds : 0, mark && *mark == 2};
        if (slow.seconds > 0)
            slow_insert(slowest, &slow);
    }
}

static void line_print(const struct slowest *slowest, int64_t task, struct json_text *json)
{
    char line[LINE_MOST + 1] = "";
    size_t size = 0;
    const char *bytes = slowest->items ? items_read(slowest->items, task, &size) : NULL;
    if (bytes) {
        size = size < LINE_MOST ? size : (size_t)LINE_MOST;
        memcpy(line, bytes, size);
        kept_clean(line, size, sizeof line, false);
    }
    json_word(json, "line", bytes ? line : NULL);
}

static void slow_print(const struct slowest *slowest, struct text *text)
{
    struct json_text json = json_open(text, "[", ", ");
    for (int k = 0; k < slowest->count; k++) {
        const struct slow *slow = &slowest->found[k];
        struct json_text row = json_open_in(&json, NULL, "{", ", ");
        json_count(&row, "task", slow->task + 1);
        json_number(&row, "seconds", slow->seconds);
        json_flag(&row, "failed", slow->failed);
        line_print(slowest, slow->task, &row);
        json_close(&row, "}");
    }
    json_close(&json, "]");
}

/* Prints those of the output `path` as a JSON array, the slowest first: "task" (from 1), "seconds",
 * "line" (null: not known), "failed"; "null": records have no seconds. */
static bool slowest_print(const char *path, struct text *text, struct failure *failure)
{
    char note[ITEMS_NOTE];
    struct slowest slowest = {.file = archive_open(path, failure)};
    if (slowest.file < 0)
        return false;
    const bool ledger =
        rows_open(&slowest.ledger, slowest.file, LAYOUT_LEDGER, H5Tcopy(H5T_NATIVE_UINT8));
    const bool timed = rows_open_field(&slowest.seconds, slowest.file, LAYOUT_RECORDS, "seconds",
                                       H5T_NATIVE_DOUBLE);
    if (ledger && timed) {
        slow_find(&slowest);
        if (slowest.count > 0)
            slowest.items = archive_items(slowest.file, path, slowest.ledger.count, note);
        slow_print(&slowest, text);
    } else {
        text_add(text, "null");
    }
    items_close(&slowest.items);
    rows_close(&slowest.ledger);
    rows_close(&slowest.seconds);
    H5Fclose(slowest.file);
    return true;
}

/* ---- readers ------------------------------------------------------------------------------- */

/* What the scow command can read in a full build: inputs, core tasks, run outputs, previews. */

static bool values_find(struct values *values, const struct scow_task *task,
                        const struct profile *profile, const struct profile_setting *setting,
                        struct failure *failure)
{
    struct parameter_list list = {0};
    const bool good = (parameter_list_copy(&list, &profile->parameters) &&
                       parameter_list_merge(&list, &setting->parameters)) ||
                      failure_memory(failure, "reading parameters");
    const bool read = good && values_read(values, task, &list, "the profile", true, failure);
    parameter_list_release(&list);
    return read;
}

/* Owned; NULL with *failure set. */
static struct input *kernel_input(const struct scow_task *task, const char *name,
                                  struct failure *failure)
{
    if ((task->input != SCOW_INPUT_NONE) != (name != NULL)) {
        failure_set(failure, FAILURE_USAGE, "core task '%s' %s", task->name,
                    name ? "has no input: leave -i out"
                         : "has an input that says how much work it is: give -i INPUT, or -X "
                           "TASKS");
        return NULL;
    }
    char *spooled = spool_wanted(name) ? spool_temporary(failure) : NULL;
    if (spool_wanted(name) && !spooled)
        return NULL;
    struct input *input =
        input_open((enum scow_input_kind)task->input, spooled ? spooled : name, failure);
    if (spooled)
        unlink(spooled);
    free(spooled);
    return input;
}

static bool kernel_count(const struct scow_task *task, const char *name,
                         const struct values *values, int64_t *tasks, struct failure *failure)
{
    struct description description = {0};
    struct input *input = kernel_input(task, name, failure);
    const bool good = input && job_describe(&description, task, values, input, failure);
    if (good)
        *tasks = description.tasks;
    description_release(&description);
    input_close(&input);
    return good;
}

static struct task_weights *kernel_weigh(const struct scow_task *task, const char *name,
                                         const struct values *values, struct failure *failure)
{
    struct description description = {0};
    struct job job;
    struct task_weights *weights = NULL;
    struct input *input = kernel_input(task, name, failure);
    if (input && job_describe(&description, task, values, input, failure) &&
        job_open(&job, task, values, &description, name, failure)) {
        weights = job_weigh(&job, input, failure);
        job_close(&job);
    }
    description_release(&description);
    input_close(&input);
    return weights;
}

static bool count_tasks(const char *input, const char *plugin, const struct profile *profile,
                        const struct profile_setting *setting, int64_t *tasks,
                        struct failure *failure)
{
    struct kernel kernel = {0};
    struct values values = {0};
    const struct kernel_name name = {profile->kernel, profile->plugin, profile->plugin_sha256};
    const bool good = kernel_open(&kernel, name, plugin, "the profile", failure) &&
                      values_find(&values, kernel.task, profile, setting, failure) &&
                      kernel_count(kernel.task, input, &values, tasks, failure);
    values_release(&values);
    kernel_close(&kernel);
    return good;
}

static struct task_weights *weigh_tasks(const char *input, const char *plugin,
                                        const struct profile *profile,
                                        const struct profile_setting *setting,
                                        struct failure *failure)
{
    struct kernel kernel = {0};
    struct values values = {0};
    struct task_weights *weights = NULL;
    const struct kernel_name name = {profile->kernel, profile->plugin, profile->plugin_sha256};
    if (kernel_open(&kernel, name, plugin, "the profile", failure) &&
        values_find(&values, kernel.task, profile, setting, failure))
        weights = kernel_weigh(kernel.task, input, &values, failure);
    values_release(&values);
    kernel_close(&kernel);
    return weights;
}

static bool digest_input(const struct plan *plan, const char *name, char digest[65],
                         struct failure *failure)
{
    struct kernel kernel = {0};
    const struct kernel_name named = {plan->kernel, plan->plugin, plan->plugin_sha256};
    struct input *input = kernel_open(&kernel, named, NULL, "the run", failure)
                              ? kernel_input(kernel.task, name, failure)
                              : NULL;
    const bool good = input && input_sha256(input, digest, failure);
    input_close(&input);
    kernel_close(&kernel);
    return good;
}

static bool write_preview(const char *output, const char *input, int64_t slice, const char *png,
                          struct failure *failure)
{
    return archive_pictured(output, failure) && preview_write(output, input, slice, png, failure);
}

static bool write_tiff(const char *output, int64_t slice, const char *tiff, struct failure *failure)
{
    return archive_pictured(output, failure) && tiff_write(output, slice, tiff, failure);
}

static bool print_slices(const char *output, const struct run_record *record, struct text *text,
                         struct failure *failure)
{
    const struct slices_request request = {output, record->input, record->input_sha256};
    struct failure none = FAILURE_INIT;
    if (archive_pictured(output, &none))
        return slices_print(&request, text, failure);
    text_add(text, "null");
    return true;
}

static const char *libraries(void)
{
    static char line[80];
    unsigned major = 0, minor = 0, release = 0;
    H5get_libversion(&major, &minor, &release);
    snprintf(line, sizeof line, "HDF5 %u.%u.%u; %s", major, minor, release,
             isa_name(isa_current()));
    return line;
}

const struct readers *readers_find(const char *instead, struct failure *failure)
{
    (void)instead;
    (void)failure;
    static const struct readers readers = {
        .count_tasks = count_tasks,
        .weigh_tasks = weigh_tasks,
        .digest_input = digest_input,
        .read_numbers = numbers_read,
        .read_run = archive_read,
        .read_search = archive_search,
        .read_strips = strips_file_read,
        .check_strips = strips_file_check,
        .check_run = intact_file_check,
        .write_preview = write_preview,
        .write_tiff = write_tiff,
        .write_xdmf = xdmf_write,
        .print_slices = print_slices,
        .print_fields = fields_print,
        .show_task = archive_task,
        .show_failed = failed_show,
        .print_failed = failed_print,
        .print_slowest = slowest_print,
        .write_records = records_write,
        .write_outputs = outputs_write,
        .show_joblog = archive_joblog,
        .list_kernels = kernel_list,
        .describe_kernel = kernel_describe,
        .libraries = libraries,
    };
    return &readers;
}
