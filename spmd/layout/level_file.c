#include "spmd/layout/level_file.h"

#include <stdlib.h>
#include <string.h>

#include "spmd/layout/contents.h"
#include "spmd/layout/entries.h"
#include "spmd/layout/layout.h"

static bool shared_put(hid_t file, const struct job *job)
{
    const hsize_t size = (hsize_t)job->setup.shared_size;
    if (size == 0)
        return true;
    const hid_t dataset = entry_rows(file, LAYOUT_LEVEL_SHARED, H5T_STD_U8LE, 1, &size, false);
    if (dataset < 0)
        return false;
    const bool good =
        H5Dwrite(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, job->setup.shared) >= 0;
    return H5Dclose(dataset) >= 0 && good;
}

static bool digest_put(hid_t file, const struct job *job)
{
    char digest[17];
    layout_outcome_digest(job->setup.shared, job->setup.shared_size, digest);
    return entry_words(file, LAYOUT_LEVEL_DIGEST, digest);
}

/* Is the file as it was written? */
static bool digest_holds(hid_t file, const struct description *level)
{
    char digest[17];
    char *then = contents_attribute(file, LAYOUT_LEVEL_DIGEST);
    layout_outcome_digest(level->shared, level->shared_size, digest);
    const bool holds = then && strcmp(then, digest) == 0;
    free(then);
    return holds;
}

bool level_file_put(hid_t file, const struct job *job, const char *before)
{
    return job->setup.level == 0 ||
           (digest_put(file, job) &&
            entry_number(file, LAYOUT_LEVEL, H5T_NATIVE_INT64, &job->setup.level) &&
            (!before || entry_words(file, LAYOUT_LEVEL_BEFORE, before)) && shared_put(file, job));
}

void level_file_end(const char *path)
{
    const int32_t last = 1;
    layout_quiet();
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    if (file < 0)
        return;
    entry_number(file, LAYOUT_LEVEL_LAST, H5T_NATIVE_INT32, &last);
    H5Fclose(file);
}

bool level_file_is_last(hid_t file)
{
    int32_t last = 0;
    return contents_number(file, LAYOUT_LEVEL_LAST, H5T_NATIVE_INT32, &last) && last == 1;
}

int64_t level_file_number(hid_t file, char **before)
{
    int64_t level = 0;
    *before = contents_attribute(file, LAYOUT_LEVEL_BEFORE);
    return contents_number(file, LAYOUT_LEVEL, H5T_NATIVE_INT64, &level) ? level : 0;
}

bool level_file_get(const char *path, struct description *level)
{
    *level = (struct description){.tasks = 0};
    layout_quiet();
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
        return false;
    const bool known = contents_number(file, LAYOUT_LEVEL, H5T_NATIVE_INT64, &level->level) &&
                       contents_place(file, LAYOUT_LEDGER, 1, &level->tasks) > 0;
    if (known)
        level->shared =
            contents_rows(file, LAYOUT_LEVEL_SHARED, H5T_NATIVE_UINT8, 1, &level->shared_size);
    const bool holds = known && digest_holds(file, level);
    H5Fclose(file);
    return holds;
}
