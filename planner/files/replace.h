/* Files that are replaced atomically: as a whole or not at all. */
#ifndef PLANNER_FILES_REPLACE_H
#define PLANNER_FILES_REPLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "planner/base/failure.h"

/* Write the bytes to a new file beside `path`, fsync it, then rename it; permissions are those of
 * the old file or, for a new one, the user's usual ones. For a symbolic link, its target is
 * replaced. A device or a pipe is written directly. On failure `path` is unchanged and nothing is
 * left beside it. */
bool replace_write(const char *path, const void *bytes, size_t length, struct failure *failure);
/* What is too long for memory: writes it piece by piece. False: it cannot, as errno or a failure of
 * its own says. */
struct replace_writer {
    bool (*write)(void *self, FILE *stream);
    void *self;
};

bool replace_stream(const char *path, const struct replace_writer *writer, struct failure *failure);
/* Does the system allow replace_write? To be checked before long work. */
bool replace_check(const char *path, struct failure *failure);

#endif
