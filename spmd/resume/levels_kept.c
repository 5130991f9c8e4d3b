#include "spmd/resume/levels_kept.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planner/base/own.h"
#include "spmd/job/output_name.h"
#include "spmd/layout/level_file.h"

static bool is_there(const char *output, int64_t level)
{
    char *name = output_name_level(output, level);
    const bool there = name && access(name, F_OK) == 0;
    free(name);
    return there;
}

static bool unwritten_tell(const char *name, struct failure *failure)
{
    return failure_set(failure, FAILURE_FAILED, "%s: could not be written to the disk: is it full?",
                       name);
}

/* There must be no file of the new name. */
static bool rename_to(const char *from, const char *to, struct failure *failure)
{
    if (access(to, F_OK) == 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: is of another search, and this one's level would take its place: "
                           "move or remove it, and run the same again with --resume",
                           to);
    return rename(from, to) == 0 ||
           failure_set(failure, FAILURE_FAILED,
                       "%s: cannot be renamed to %s: %s: check the permissions of its folder", from,
                       to, strerror(errno));
}

/* Flushes even the information that it is complete, because the next level is built on it. */
static bool flush(const char *output, struct failure *failure)
{
    const int file = own_open(output, O_RDWR);
    const bool good = file >= 0 && fsync(file) == 0;
    if (file >= 0)
        close(file);
    return good || unwritten_tell(output, failure);
}

/* Flushes the new name, too, before the next level's output takes the old one. */
static bool name_flush(const char *name, struct failure *failure)
{
    return own_folder_flush(name) || unwritten_tell(name, failure);
}

bool levels_kept_add(const char *output, int64_t level, struct failure *failure)
{
    char *name = output_name_level(output, level);
    const bool good = name ? flush(output, failure) && rename_to(output, name, failure) &&
                                 name_flush(name, failure)
                           : failure_memory(failure, "keeping a level");
    free(name);
    return good;
}

/* Gives the last of the kept levels the output's name again. */
static bool last_restore(const char *output, int64_t level, struct failure *failure)
{
    char *name = output_name_level(output, level);
    const bool good =
        name ? rename_to(name, output, failure) : failure_memory(failure, "going on with a level");
    free(name);
    return good;
}

static bool others_refuse(const char *output, struct failure *failure)
{
    char *name = output_name_level(output, 1);
    failure_set(failure, FAILURE_MISMATCH,
                "%s: is a level of a search that was begun before: go on with it by --resume, "
                "remove its levels, or choose another name",
                name ? name : output);
    free(name);
    return false;
}

static bool spoilt_tell(const char *output, int64_t level, struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH,
                       "%s: what level %" PRId64
                       " is made of is not what was written there: remove "
                       "it with what its core tasks have left (.level%" PRId64 "), and --resume "
                       "begins it again",
                       output, level, level);
}

bool levels_kept_find(const char *output, bool resume, struct description *level,
                      struct failure *failure)
{
    int64_t last = 0;
    *level = (struct description){.tasks = 0};
    if (access(output, F_OK) != 0) {
        while (is_there(output, last + 1))
            last++;
        if (last > 0 && !resume)
            return others_refuse(output, failure);
        if (last > 0 && !last_restore(output, last, failure))
            return false;
    }
    const bool known = resume && level_file_get(output, level);
    if (known && level->level > 1)
        return true;
    const int64_t spoilt = known ? 0 : level->level;
    description_release(level);
    return spoilt <= 1 || spoilt_tell(output, spoilt, failure);
}

void levels_kept_end(const char *output)
{
    level_file_end(output);
}
