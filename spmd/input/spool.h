/* Standard input as an input: it is written to a file first, because packages are read in any order
 * and a resumed run reads it again. Local; no MPI. */
#ifndef SPMD_INPUT_SPOOL_H
#define SPMD_INPUT_SPOOL_H

#include <stdbool.h>

#include "planner/base/failure.h"

/* Is that name standard input, "-"? NULL is not. */
bool spool_wanted(const char *name);
/* The name of the file beside `path` that it is written to, the same on every rank; owned. NULL:
 * out of memory. */
char *spool_name(const char *path);
/* Write all of standard input to that file. A file of the same contents is not touched; one of
 * other contents is replaced or, with `keep`, refused. If standard input is empty or a terminal,
 * the file of an earlier call is used. False with *failure set. */
bool spool_write(const char *name, bool keep, struct failure *failure);
/* Write standard input to a new file in TMPDIR (/tmp) and return its name, owned; the caller
 * removes the file after opening it. NULL with *failure set. */
char *spool_temporary(struct failure *failure);

#endif
