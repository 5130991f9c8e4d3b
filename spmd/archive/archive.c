#include "spmd/archive/archive.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/tasks/table.h"
#include "planner/base/array.h"
#include "spmd/archive/archive_file.h"
#include "spmd/archive/archive_levels.h"
#include "spmd/archive/archive_parts.h"
#include "spmd/job/output_name.h"
#include "spmd/job/values.h"
#include "spmd/layout/contents.h"
#include "spmd/layout/layout.h"

/* Lists the core tasks that a resumed run has to do. */
static bool not_done_list(const uint8_t *ledger, size_t count, struct run_record *record)
{
    size_t capacity = 0;
    for (size_t i = 0; i < count; i++) {
        struct task_range *last =
            record->not_done_count > 0 ? &record->not_done[record->not_done_count - 1] : NULL;
        if (ledger[i] == 1)
            continue;
        if (last && last->first + last->count == (int64_t)i) {
            last->count++;
            continue;
        }
        struct task_range *grown = array_reserve(record->not_done, &capacity,
                                                 (size_t)record->not_done_count + 1, sizeof *grown);
        if (!grown)
            return false;
        record->not_done = grown;
        grown[record->not_done_count++] = (struct task_range){(int64_t)i, 1};
    }
    return true;
}

static bool ledger_read(hid_t file, const char *path, struct run_record *record,
                        struct failure *failure)
{
    size_t count = 0;
    uint8_t *ledger = archive_ledger(file, &count);
    if (!ledger)
        return archive_not_ours(path, "ledger", failure);
    const bool good = not_done_list(ledger, count, record);
    record->tasks = (int64_t)count;
    for (size_t i = 0; i < count; i++)
        record->tasks_done += ledger[i] == 1;
    for (size_t i = 0; i < count; i++)
        record->tasks_failed += ledger[i] == 2;
    free(ledger);
    return good || failure_memory(failure, "reading the ledger");
}

static bool attributes_read(hid_t file, const char *path, struct run_record *record,
                            struct failure *failure)
{
    record->input = contents_attribute(file, LAYOUT_INPUT);
    record->input_sha256 = contents_attribute(file, LAYOUT_INPUT_SHA256);
    record->kernel = contents_attribute(file, LAYOUT_KERNEL);
    record->version = contents_attribute(file, LAYOUT_VERSION);
    record->isa = contents_attribute(file, LAYOUT_ISA);
    record->method = contents_attribute(file, LAYOUT_METHOD); /* older files do not have it */
    char *checksum = contents_attribute(file, LAYOUT_CHECKSUM);
    if (checksum)
        record->checksum = strtoull(checksum, NULL, 16);
    free(checksum);
    int32_t complete = 0;
    contents_number(file, LAYOUT_COMPLETE, H5T_NATIVE_INT32, &complete);
    record->complete = complete != 0;
    contents_number(file, LAYOUT_RANK_PEAK, H5T_NATIVE_INT64, &record->rank_peak);
    contents_number(file, LAYOUT_COMMAND_PEAK, H5T_NATIVE_INT64, &record->command_peak);
    contents_number(file, LAYOUT_MASTER_PEAK, H5T_NATIVE_INT64, &record->master_peak);
    record->plugin = contents_attribute(file, LAYOUT_PLUGIN);
    record->outcome = contents_text(file, LAYOUT_OUTCOME);
    archive_drop_empty(&record->outcome);
    archive_drop_empty(&record->input_sha256);
    archive_drop_empty(&record->method);
    if (!record->kernel || !record->version || !record->isa)
        return archive_not_ours(path, "attributes", failure);
    return true;
}

/* Reads a parameter whose value in the file differs from the plan's. */
static bool change_read(hid_t file, const char *name, struct run_record *record)
{
    const struct parameter *planned = parameter_list_find(&record->plan.parameters, name);
    char *word = contents_attribute(file, name);
    struct parameter now = {.word = word};
    const bool there =
        word ? word[0] != '\0' : contents_number(file, name, H5T_NATIVE_DOUBLE, &now.number);
    char *end = NULL;
    if (word && planned && !planned->word) { /* a text that looks like a number was stored as one */
        now.number = strtod(word, &end);
        now.word = end != word && !*end ? NULL : word;
    }
    const bool good = !there || (planned && parameter_equal(planned, &now)) ||
                      parameter_list_add(&record->changed, name, now.word, now.number);
    free(word);
    return good;
}

/* Reads parameters that may change in a resumed run; of a plug-in, which is not open, those that
 * the plan has. */
static bool changes_read(hid_t file, struct run_record *record, struct failure *failure)
{
    const struct scow_task *task =
        record->kernel && !record->plugin ? task_find(record->kernel) : NULL;
    const char *const *names = task ? task_run_parameters(task) : NULL;
    const struct parameter_list *planned = &record->plan.parameters;
    bool good = true;
    for (; good && names && *names; names++)
        good = change_read(file, *names, record);
    for (size_t k = 0; good && !task && k < planned->count; k++)
        good = H5Aexists(file, planned->items[k].name) <= 0 ||
               change_read(file, planned->items[k].name, record);
    return good || failure_memory(failure, "reading a run's output");
}

bool archive_pictured(const char *path, struct failure *failure)
{
    hid_t file = archive_open(path, failure);
    if (file < 0)
        return false;
    int32_t complete = 0;
    if (!contents_number(file, LAYOUT_COMPLETE, H5T_NATIVE_INT32, &complete))
        archive_not_ours(path, "attributes", failure);
    else if (H5Lexists(file, LAYOUT_NORMALIZED, H5P_DEFAULT) <= 0)
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: results of its core task are no picture: leave --png out", path);
    else if (!complete)
        failure_set(
            failure, FAILURE_MISMATCH,
            "%s: its run did not reach its end, so there is no normalised image: go on with "
            "it by scow run --resume, or the same scow go",
            path);
    H5Fclose(file);
    return failure->code == FAILURE_NONE;
}

bool archive_read(const char *path, int64_t part, struct run_record *record,
                  struct failure *failure)
{
    hid_t file = archive_open(path, failure);
    if (file < 0)
        return false;
    struct run_record read = {0};
    const bool good =
        archive_parts(file, path, part, &read, failure) &&
        ledger_read(file, path, &read, failure) && attributes_read(file, path, &read, failure) &&
        changes_read(file, &read, failure) && archive_levels(file, path, &read, failure);
    H5Fclose(file);
    if (good)
        *record = read;
    else
        run_record_release(&read);
    return good;
}

/* ---- of a search --------------------------------------------------------------------------- */

/* Between two levels there is no output of that name, but the last level's under another name.
 * Owned; NULL: out of memory. */
static char *last_find(const char *path)
{
    char *found = strdup(path);
    bool there = found && access(path, F_OK) != 0;
    for (int64_t level = 1; there; level++) {
        char *next = output_name_level(path, level);
        there = next && access(next, F_OK) == 0;
        if (there) {
            free(found);
            found = next;
        } else {
            free(next);
        }
    }
    return found;
}

static bool search_check(const char *path, const struct run_record *record, struct failure *failure)
{
    if (record->level_count == 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: is no output of a search in levels: leave --levels out", path);
    char *whole = output_name_search(path, record->levels[record->level_count - 1].level);
    const bool kept = whole && strcmp(whole, path) != 0;
    if (kept)
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: is one level of a search: name the search's output, such as %s", path,
                    whole);
    free(whole);
    return !kept;
}

bool archive_search(const char *path, struct run_record *record, struct failure *failure)
{
    char *last = last_find(path);
    struct run_record read = {0};
    const bool good = (last || failure_memory(failure, "reading a search's levels")) &&
                      archive_read(last, RUN_PLAN_ONLY, &read, failure) &&
                      search_check(path, &read, failure);
    free(last);
    if (good)
        *record = read;
    else
        run_record_release(&read);
    return good;
}
