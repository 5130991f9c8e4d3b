/* Regular files, and the sentences about them that all readers share. For the readers alone. */
#ifndef SPMD_INPUT_REGULAR_H
#define SPMD_INPUT_REGULAR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "planner/base/failure.h"

/* What a reader wants of a file, and its words. */
struct regular_rule {
    const char *content; /* "the image" */
    const char *wanted;  /* "an image file (PNG, PGM or HDF5)" */
    bool may_be_empty;
};

/* Is it there, and what is wanted? Does not open it: a pipe could wait for ever. */
bool regular_check(const char *file, const struct regular_rule *rule, int64_t *size_bytes,
                   struct failure *failure);
/* The same, and open for reading; NULL with *failure set. */
FILE *regular_open(const char *file, const struct regular_rule *rule, int64_t *size_bytes,
                   struct failure *failure);
/* Hexadecimal SHA-256 of the file's bytes; of nothing when `file` is NULL. */
bool regular_sha256(const char *file, char digest[65], struct failure *failure);
/* Of the bytes of one file; of several, of those of the first, then those of the second, ... */
bool regular_sha256_all(const char *const *files, int64_t count, char digest[65],
                        struct failure *failure);

/* Say that reading failed, because of errno; that the file is not what it was when it was opened.
 * Both return false. */
bool regular_unreadable(const char *file, struct failure *failure);
bool regular_changed(const char *file, struct failure *failure);

#endif
