/* What the scow command can read in a full build: inputs, core tasks, run outputs, previews. */
#include "planner/command/readers.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernel/vector/isa.h"
#include "spmd/archive/archive.h"
#include "spmd/archive/failed.h"
#include "spmd/archive/fields.h"
#include "spmd/archive/intact_file.h"
#include "spmd/archive/outputs.h"
#include "spmd/archive/preview.h"
#include "spmd/archive/records.h"
#include "spmd/archive/slices.h"
#include "spmd/archive/slowest.h"
#include "spmd/archive/tiff.h"
#include "spmd/archive/xdmf.h"
#include "spmd/input/input.h"
#include "spmd/input/spool.h"
#include "spmd/job/job.h"
#include "spmd/job/kernel.h"

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

static bool kernel_count(const struct scow_task *task, const char *name,
                         const struct values *values, int64_t *tasks, struct failure *failure)
{
    struct description description = {0};
    if ((task->input != SCOW_INPUT_NONE) != (name != NULL))
        return failure_set(failure, FAILURE_USAGE, "kernel %s %s", task->name,
                           name
                               ? "has no input: leave -i out"
                               : "has an input that says how much work it is: give -i INPUT, or -X "
                                 "TASKS");
    char *spooled = spool_wanted(name) ? spool_temporary(failure) : NULL;
    if (spool_wanted(name) && !spooled)
        return false;
    struct input *input =
        input_open((enum scow_input_kind)task->input, spooled ? spooled : name, failure);
    if (spooled)
        unlink(spooled);
    free(spooled);
    const bool good = input && job_describe(&description, task, values, input, failure);
    if (good)
        *tasks = description.tasks;
    description_release(&description);
    input_close(&input);
    return good;
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

const struct readers *readers_available(void)
{
    static const struct readers readers = {
        .count_tasks = count_tasks,
        .read_run = archive_read,
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
