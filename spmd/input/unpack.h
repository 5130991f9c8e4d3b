/* Files that are compressed: gzip (zlib, also many parts one behind the other, as of bgzip and
 * pigz) and zstd, known by their first bytes. For the readers alone. */
#ifndef SPMD_INPUT_UNPACK_H
#define SPMD_INPUT_UNPACK_H

#include <stdbool.h>
#include <stdio.h>

#include "planner/base/failure.h"

/* Let *stream, at the beginning of the file `name`, be one of its contents: that file, or where it
 * is compressed one without a name in TMPDIR (/tmp) that it is unpacked to. False with *failure
 * set: it is damaged, holds nothing, there is no room, or the library was not there when scow was
 * built.
 */
bool unpack(FILE **stream, const char *name, struct failure *failure);

#endif
