/* The tables of losses (losses.h) in an output, where it is made and read by HDF5. Serial. */
#ifndef SPMD_OUTPUT_LOSSES_FILE_H
#define SPMD_OUTPUT_LOSSES_FILE_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

#include "spmd/output/losses.h"

/* Empty tables in a file that is being made, with room for so many workers and some more. */
bool losses_create(hid_t file, int workers, struct output_places *places);
/* Where they are; nowhere in files of older versions. */
void losses_find(hid_t file, struct output_places *places);
/* The table's rows that say something, in order of time, with room for `more`; owned. NULL and 0:
 * there is none, or memory ended. */
struct losses_row *losses_list(hid_t file, int64_t more, int64_t *count);
/* The rows of what is in flight, the master's first; owned. NULL and 0: there is none. */
struct losses_in_flight *losses_in_flight_list(hid_t file, int64_t *count);

#endif
