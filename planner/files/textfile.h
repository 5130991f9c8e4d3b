/* Whole text files: profiles, plans, probe tables. */
#ifndef PLANNER_FILES_TEXTFILE_H
#define PLANNER_FILES_TEXTFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "planner/base/failure.h"
#include "planner/files/replace.h"

/* Owned, zero-terminated contents, to be freed; "-" is standard input. NULL with *failure set
 * (missing, unreadable, a directory, over 1 GiB). */
char *textfile_read(const char *path, size_t *length, struct failure *failure);
/* Replace `path` by `text` as a whole or not at all (written beside it, then renamed); "-" is
 * standard output. */
bool textfile_write(const char *path, const char *text, struct failure *failure);
/* Add `text` to the end of a file, which is made where there is none, at once, so that others may
 * add to it, too; "-" is standard output. */
bool textfile_append(const char *path, const char *text, struct failure *failure);
/* Replace it by what is too long for memory. */
bool textfile_stream(const char *path, const struct replace_writer *writer,
                     struct failure *failure);
/* Does the system allow textfile_write? To be checked before long work. */
bool textfile_check(const char *path, struct failure *failure);
/* Hexadecimal SHA-256 of `length` bytes. */
void textfile_sha256(const char *text, size_t length, char digest[65]);

#endif
