/* Single things that are written into an HDF5 file, by the one who makes and seals a run's output.
 * Serial. Names may be paths. False, or a negative identifier: HDF5 could not. */
#ifndef SPMD_LAYOUT_ENTRIES_H
#define SPMD_LAYOUT_ENTRIES_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

#include "spmd/layout/trace_file.h"

/* An attribute, made or, if it is of the same type, overwritten. */
bool entry_number(hid_t object, const char *name, hid_t type, const void *value);
bool entry_words(hid_t object, const char *name, const char *text);
/* A data set in one piece, whose place in the file is fixed now; filled with zeros or not at all.
 * `rank` 0: a single one. To be closed. */
hid_t entry_rows(hid_t file, const char *name, hid_t type, int rank, const hsize_t *shape,
                 bool filled);
/* A data set that is one string. */
bool entry_text(hid_t file, const char *name, const char *text);
/* The same in place of what is there, if anything is; NULL: nothing afterwards. */
bool entry_text_replace(hid_t file, const char *name, const char *text);
/* Room for so many events, zeros. */
bool entry_trace(hid_t file, const char *name, int64_t events);
/* Zeros again. */
bool entry_trace_clear(hid_t file, const char *name);
/* Has the disk room for so many events, where they take some that nothing has set aside? HDF5 does
 * not survive a disk that fills while it closes a file. */
bool entry_trace_fits(hid_t file, int64_t events);
/* The events into that room, which grows where they are more. */
bool entry_trace_write(hid_t file, const char *name, struct trace_reader *reader);

#endif
