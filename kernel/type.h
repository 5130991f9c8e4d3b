/* The types of numbers that inputs and results have (enum scow_type). */
#ifndef KERNEL_TYPE_H
#define KERNEL_TYPE_H

#include "kernel/scow.h"

/* Bytes of one number, of SCOW_TEXT_BYTES of one byte; 0 for SCOW_NONE and what is no type. */
size_t scow_type_size(int type);
/* "uint8", ..., "float64"; "text" for SCOW_TEXT_BYTES, "none" for SCOW_NONE and what is no type.
 * Borrowed, static. */
const char *scow_type_name(int type);
/* Number `index` of an array of that type; 0 for what is no type of numbers. Of 64-bit integers the
 * nearest double. */
double scow_type_value(int type, const void *values, size_t index);

#endif
