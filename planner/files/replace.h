/* Files that are replaced as a whole or not at all. */
#ifndef PLANNER_FILES_REPLACE_H
#define PLANNER_FILES_REPLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "planner/base/failure.h"

/* Write the bytes beside `path`, have them on the disk (fsync), then rename; with the permissions
 * that it had, or of any new file of the user's. Of a link, the file that it leads to is replaced.
 * A device or a pipe is written as it is. On failure `path` is as it was and nothing is left beside
 * it. */
bool replace_write(const char *path, const void *bytes, size_t length, struct failure *failure);
/* What is too long for memory: writes it piece by piece. False: it cannot, as errno or a failure of
 * its own says. */
struct replace_writer {
    bool (*write)(void *self, FILE *stream);
    void *self;
};

bool replace_stream(const char *path, const struct replace_writer *writer, struct failure *failure);
/* Would replace_write be let to? For programs that work long before they write. */
bool replace_check(const char *path, struct failure *failure);

#endif
