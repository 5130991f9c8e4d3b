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
/* Takes a line without its end, LF or CR LF; false with *failure set: no more of them. */
struct textfile_taker {
    void *self;
    bool (*take)(void *self, const char *line, size_t length, struct failure *failure);
};
/* Every line of a file in turn, of which a piece is in memory; "-" is standard input. False with
 * *failure set: the taker's, or as textfile_read, where 1 GiB is the most of a line. */
bool textfile_lines(const char *path, const struct textfile_taker *taker, struct failure *failure);
/* Replace `path` by `text` as a whole or not at all (written beside it, then renamed); "-" is
 * standard output. */
bool textfile_write(const char *path, const char *text, struct failure *failure);
/* Add `text` to the end of a file, which is made where there is none, at once, so that others may
 * add to it, too; "-" is standard output. */
bool textfile_append(const char *path, const char *text, struct failure *failure);
/* Replace it by what is too long for memory. */
bool textfile_stream(const char *path, const struct replace_writer *writer,
                     struct failure *failure);
/* May `path` be read? What textfile_read would say if not, before anything else is asked for. */
bool textfile_there(const char *path, struct failure *failure);
/* Does the system allow textfile_write? To be checked before long work. */
bool textfile_check(const char *path, struct failure *failure);
/* Hexadecimal SHA-256 of `length` bytes. */
void textfile_sha256(const char *text, size_t length, char digest[65]);

#endif
