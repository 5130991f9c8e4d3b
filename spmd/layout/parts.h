/* The table of a run's parts in its output file. Local, serial. */
#ifndef SPMD_LAYOUT_PARTS_H
#define SPMD_LAYOUT_PARTS_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

#include "planner/model/part.h"

/* Room for all of them in a file that is being made: no metadata changes later. */
bool parts_create(hid_t file);
/* The row of the part that went on for the `times`th time, 0: began. Of files of older versions,
 * which have no table: true, and nothing is written. */
bool parts_put(hid_t file, int64_t times, const struct run_part *part);
/* False: there is none, and *part is all zero. */
bool parts_get(hid_t file, int64_t times, struct run_part *part);
/* The first ones, as many as are known of a run that went on `times` times; owned. NULL: none. */
struct run_part *parts_list(hid_t file, int64_t times, int64_t *count);
/* By the system's clock, seconds since 1970. */
double parts_now(void);

#endif
