/* A picture for people: the input beside the normalised response. No MPI. */
#ifndef SPMD_ARCHIVE_PREVIEW_H
#define SPMD_ARCHIVE_PREVIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"

/* Write an 8-bit grey PNG to `png`: that slice, from 0, of `input` (may be NULL: then only the
 * result) left, /normalized of the run output `output` right, scaled down by area to at most 1600
 * pixels, wide and high. 8-bit images keep their grey values, others are stretched from their least
 * to their greatest value. A file that is there is replaced as a whole or not at all. */
bool preview_write(const char *output, const char *input, int64_t slice, const char *png,
                   struct failure *failure);

#endif
