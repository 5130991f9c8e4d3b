#include "spmd/archive/archive_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/command/command.h"
#include "kernel/tasks/table.h"
#include "spmd/layout/contents.h"
#include "spmd/layout/layout.h"

hid_t archive_open(const char *path, struct failure *failure)
{
    layout_quiet();
    hid_t file = -1;
    if (access(path, R_OK) != 0)
        failure_set(failure, FAILURE_MISMATCH, "cannot open '%s': %s; check the name", path,
                    strerror(errno));
    else if ((file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT)) < 0)
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: is no readable HDF5 file: name an output of scow run", path);
    return file;
}

bool archive_not_ours(const char *path, const char *what, struct failure *failure)
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

struct items *archive_items(hid_t file, const char *path, int64_t tasks, char note[ITEMS_NOTE])
{
    char *kernel = archive_attribute(file, LAYOUT_KERNEL);
    char *input = archive_attribute(file, LAYOUT_INPUT);
    char *sha256 = archive_attribute(file, LAYOUT_INPUT_SHA256);
    char *stamp = archive_attribute(file, LAYOUT_INPUT_STAMP);
    const struct scow_task *task = kernel ? task_find(kernel) : NULL;
    int32_t kind = task ? task->input : SCOW_INPUT_NONE; /* older files do not say */
    contents_number(file, LAYOUT_INPUT_KIND, H5T_NATIVE_INT32, &kind);
    const struct items_wanted wanted = {path,  kind, task == &command_task, input, sha256,
                                        stamp, tasks};
    struct items *items = items_find(&wanted, note);
    free(kernel);
    free(input);
    free(sha256);
    free(stamp);
    return items;
}

struct emitted *archive_emitted(hid_t file, const char *path, struct failure *failure)
{
    char *base = contents_attribute(file, LAYOUT_RESULTS);
    struct emitted *emitted = base ? emitted_open(base, path, failure) : NULL;
    if (!base)
        failure_set(
            failure, FAILURE_MISMATCH,
            "%s: its core task emits nothing beside its results: leave --output and --stderr out",
            path);
    free(base);
    return emitted;
}

void archive_drop_empty(char **word)
{
    if (*word && !(*word)[0]) {
        free(*word);
        *word = NULL;
    }
}
