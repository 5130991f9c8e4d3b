/* A slice of a run's grid as TIFF, for programs that measure in pictures. No MPI. */
#ifndef SPMD_ARCHIVE_TIFF_H
#define SPMD_ARCHIVE_TIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"

/* Write slice `slice`, from 0, of /response of the run output `output` to `tiff`: all its numbers,
 * neither scaled nor compressed, as unsigned integers of 8 or 16 bits or floats of 32 bits. A file
 * that is there is replaced as a whole or not at all. Refuses slices that are not there, or larger
 * than a TIFF can be (4 GB). */
bool tiff_write(const char *output, int64_t slice, const char *tiff, struct failure *failure);

#endif
