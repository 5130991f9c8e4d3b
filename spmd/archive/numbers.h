/* A list of numbers that somebody keeps in an HDF5 file. */
#ifndef SPMD_ARCHIVE_NUMBERS_H
#define SPMD_ARCHIVE_NUMBERS_H

#include <stdint.h>

#include "planner/base/failure.h"

/* The numbers of a data set of rank 1, owned, at least one; `name` is the file, or FILE:DATASET
 * where it has several such. NULL with *failure set. */
double *numbers_read(const char *name, int64_t *count, struct failure *failure);

#endif
