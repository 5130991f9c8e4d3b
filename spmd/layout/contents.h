/* Single things in an HDF5 file, for those who read a run's output. Serial. */
#ifndef SPMD_LAYOUT_CONTENTS_H
#define SPMD_LAYOUT_CONTENTS_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A data set, to be closed. Negative: absent or unreadable. */
hid_t contents_open(hid_t file, const char *name);
/* A data set that is one string of fixed length; owned, zero-terminated; NULL: absent or another
 * thing. */
char *contents_text(hid_t file, const char *name);
/* The same of an attribute. */
char *contents_attribute(hid_t object, const char *name);
/* An attribute's one number as `type` in memory. False: absent or another thing, *value untouched.
 */
bool contents_number(hid_t object, const char *name, hid_t type, void *value);
/* A data set of any shape as an owned array; *count how many there are. NULL: it cannot be read. */
void *contents_rows(hid_t file, const char *name, hid_t type, size_t size, size_t *count);
/* A field of a data set of `count` records, as owned numbers; NULL: there is no such one. */
double *contents_column(hid_t file, const char *name, const char *field, size_t count);
/* The dimensions (`rank` of them) of a data set, in one piece or in chunks. False: there is no such
 * one. */
bool contents_shape(hid_t file, const char *name, int rank, int64_t *shape);
/* Where a data set in one piece lies, bytes from the file's start, and its dimensions (`rank` of
 * them). Negative: there is no such one. */
int64_t contents_place(hid_t file, const char *name, int rank, int64_t *shape);
/* Is the text of a reduction's outcome in that output what was written? True also where there is
 * none, or nothing to compare it with. */
bool contents_outcome_holds(hid_t file);

#endif
