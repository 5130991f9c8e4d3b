/* Standard input as an input: it is written to a file first, for packages are read in any order,
 * and a run that is gone on with reads it again. Local; no MPI. */
#ifndef SPMD_INPUT_SPOOL_H
#define SPMD_INPUT_SPOOL_H

#include <stdbool.h>

#include "planner/base/failure.h"

/* Is that name standard input, "-"? NULL is not. */
bool spool_wanted(const char *name);
/* Owned: the file beside `path` that it is written to, which every rank can tell. NULL: out of
 * memory. */
char *spool_name(const char *path);
/* Write all of standard input to that file. One of the same contents is left as it is; one of
 * others is replaced, or with `keep` refused. Where standard input is empty, or a terminal, the
 * file that an earlier call has left is taken. False with *failure set. */
bool spool_write(const char *name, bool keep, struct failure *failure);
/* Owned: a file in TMPDIR (/tmp) that it is written to, which the caller removes once it is open.
 * NULL with *failure set. */
char *spool_temporary(struct failure *failure);

#endif
