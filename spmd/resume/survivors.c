#include "spmd/resume/survivors.h"

#include <hdf5.h>
#include <stdlib.h>

#include "spmd/job/job.h"
#include "spmd/layout/contents.h"
#include "spmd/layout/emitted.h"
#include "spmd/layout/layout.h"

/* Where each core task's output is, and how the files are called; both owned. */
struct rows {
    struct layout_emitted *items;
    size_t count;
    char *base;
};

static void rows_read(struct rows *rows, const char *path)
{
    *rows = (struct rows){NULL, 0, NULL};
    layout_quiet();
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
        return;
    const hid_t type = layout_emitted_type();
    rows->items = contents_rows(file, LAYOUT_EMITTED, type, sizeof *rows->items, &rows->count);
    rows->base = contents_attribute(file, LAYOUT_RESULTS);
    H5Tclose(type);
    H5Fclose(file);
}

static bool not_said(const char *path, struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH,
                       "%s: does not say what its core tasks have left for the next level: is it "
                       "the output of this run?",
                       path);
}

/* Sizes are from a file, which may be damaged. */
static bool places_sum(struct survivors *survivors, const struct rows *rows, const char *path,
                       struct failure *failure)
{
    survivors->at = calloc(rows->count + 1, sizeof *survivors->at);
    if (!survivors->at)
        return failure_memory(failure, "reading what a level left");
    for (size_t task = 0; task < rows->count; task++) {
        const int64_t size = rows->items[task].size, at = survivors->at[task];
        if (size < 0 || size > (int64_t)JOB_SIZE_MOST - at)
            return not_said(path, failure);
        survivors->at[task + 1] = at + size;
    }
    survivors->bytes = malloc((size_t)survivors->at[rows->count] + 1);
    return survivors->bytes || failure_memory(failure, "reading what a level left");
}

static bool bytes_read(struct survivors *survivors, const struct rows *rows, const char *path,
                       struct failure *failure)
{
    struct emitted *emitted = emitted_open(rows->base, path, failure);
    bool good = emitted != NULL;
    for (size_t task = 0; good && task < rows->count; task++)
        good = rows->items[task].size == 0 ||
               emitted_read(emitted, &rows->items[task], 0, survivors->bytes + survivors->at[task],
                            (size_t)rows->items[task].size, failure);
    /* Flushed, because the next level is built on it. */
    good = good && emitted_flush(emitted, rows->items, (int64_t)rows->count, failure);
    emitted_close(&emitted);
    return good;
}

bool survivors_read(struct survivors *survivors, const char *path, int64_t tasks,
                    struct failure *failure)
{
    struct rows rows;
    *survivors = (struct survivors){.at = NULL};
    rows_read(&rows, path);
    const bool known = rows.items && rows.base && (int64_t)rows.count == tasks;
    const bool good = known ? places_sum(survivors, &rows, path, failure) &&
                                  bytes_read(survivors, &rows, path, failure)
                            : not_said(path, failure);
    survivors->all = (struct scow_survivors){tasks, survivors->at, survivors->bytes};
    free(rows.items);
    free(rows.base);
    return good;
}

void survivors_release(struct survivors *survivors)
{
    free(survivors->at);
    free(survivors->bytes);
    *survivors = (struct survivors){.at = NULL};
}
