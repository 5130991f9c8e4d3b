/* What the readers of a run's output share among themselves. */
#ifndef SPMD_OUTPUT_ARCHIVE_FILE_H
#define SPMD_OUTPUT_ARCHIVE_FILE_H

#include <hdf5.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"

/* Opened for reading; negative with *failure set. */
hid_t archive_open(const char *path, struct failure *failure);
/* A text of the root group, owned; NULL: there is none. */
char *archive_attribute(hid_t file, const char *name);
/* A byte a core task, owned; NULL: it cannot be read. */
uint8_t *archive_ledger(hid_t file, size_t *count);

#endif
