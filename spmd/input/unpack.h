/* Files that are compressed: gzip (zlib, also many parts one behind the other, as of bgzip and
 * pigz) and zstd, known by their first bytes. For the readers alone. */
#ifndef SPMD_INPUT_UNPACK_H
#define SPMD_INPUT_UNPACK_H

#include <stdbool.h>
#include <stdio.h>

#include "planner/base/failure.h"

/* If the file `name`, at whose beginning *stream is, is compressed, replace *stream by a file
 * without a name in TMPDIR (/tmp) that it is unpacked to. False with *failure set: it is damaged or
 * empty, there is no room, or scow was built without the library. */
bool unpack(FILE **stream, const char *name, struct failure *failure);

#endif
