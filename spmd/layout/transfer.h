/*
 * Bytes at a place of a file, all of them: a system call may take or give less than it was asked
 * for, or be interrupted.
 */
#ifndef SPMD_LAYOUT_TRANSFER_H
#define SPMD_LAYOUT_TRANSFER_H

#include <stdbool.h>
#include <stdint.h>

/* False with errno set: not all; 0: the file ends before. */
bool transfer_read(int file, void *bytes, int64_t size, int64_t place);
/* False with errno set: not all. */
bool transfer_write(int file, const void *bytes, int64_t size, int64_t place);

#endif
