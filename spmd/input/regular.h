/* Regular files, and the sentences about them that all readers share. For the readers alone. */
#ifndef SPMD_INPUT_REGULAR_H
#define SPMD_INPUT_REGULAR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "planner/base/failure.h"

/* What a reader expects of a file, and the words for its messages. */
struct regular_rule {
    const char *content; /* "the image" */
    const char *wanted;  /* "an image file (PNG, PGM or HDF5)" */
    bool may_be_empty;
};

/* Is the file there, and as expected? Does not open it: opening a pipe could block for ever. */
bool regular_check(const char *file, const struct regular_rule *rule, int64_t *size_bytes,
                   struct failure *failure);
/* The same, and open for reading; NULL with *failure set. */
FILE *regular_open(const char *file, const struct regular_rule *rule, int64_t *size_bytes,
                   struct failure *failure);
/* The SHA-256 of the bytes of the first file, then those of the second, ...; of nothing without
 * any. Holes of files are not read. */
struct regular_digest;

/* Begins; the files' names must outlive it. NULL with *failure set: out of memory. */
struct regular_digest *regular_digest_new(const char *const *files, int64_t count,
                                          struct failure *failure);
/* Compute until it is complete, or until soon after *halt has become true (NULL: never). False with
 * *failure set: a file cannot be read to its end. */
bool regular_digest_run(struct regular_digest *digest, atomic_bool *halt, struct failure *failure);
/* 64 hexadecimal digits, or "" while it is not complete. Borrowed. */
const char *regular_digest_text(const struct regular_digest *digest);
void regular_digest_free(struct regular_digest **digest); /* sets *digest NULL */

/* All that at once. */
bool regular_sha256(const char *const *files, int64_t count, char digest[65],
                    struct failure *failure);
/* As many digits of the files' sizes and times of last change: which files they are and as of when,
 * at the price of looking at each. */
bool regular_stamp(const char *const *files, int64_t count, char stamp[65],
                   struct failure *failure);
/* Bytes of all files; a file whose size cannot be read counts as empty. */
int64_t regular_bytes(const char *const *files, int64_t count);

/* Set the failures "cannot read", by errno, and "has changed since it was opened". Both return
 * false. */
bool regular_unreadable(const char *file, struct failure *failure);
bool regular_changed(const char *file, struct failure *failure);

/* The state of a file, to detect changes without reading it. */
struct regular_state {
    int64_t device, inode, size;
    int64_t modified_s, modified_ns, changed_s, changed_ns;
};

/* Of the file as it is now. False: it cannot be opened. */
bool regular_state(const char *file, struct regular_state *state);
bool regular_state_equal(const struct regular_state *a, const struct regular_state *b);
/* As many digits as a SHA-256 of states' inodes, sizes and times; devices have other numbers on
 * other nodes. */
bool regular_identity(const struct regular_state *states, int64_t count, char identity[65],
                      struct failure *failure);

#endif
