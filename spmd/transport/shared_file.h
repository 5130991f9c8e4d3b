/*
 * A file that all ranks write to, each at places of its own, over MPI-IO: file systems of clusters
 * are known to it. In tests a simulated one stands here, whose writes fail, are cut short, or reach
 * the disk later (tests/faults/shared_file.c).
 */
#ifndef SPMD_TRANSPORT_SHARED_FILE_H
#define SPMD_TRANSPORT_SHARED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: not open. */
struct shared_file {
    bool open;
    intptr_t handle;
};

/* All local; false: it could not be done. */

/* For reading and writing; it is there. */
bool shared_file_open(struct shared_file *file, const char *path);
bool shared_file_read(const struct shared_file *file, int64_t place, void *bytes, size_t size);
bool shared_file_write(const struct shared_file *file, int64_t place, const void *bytes,
                       size_t size);
/* What has been written is to be seen from everywhere, and to outlive this node. */
bool shared_file_sync(const struct shared_file *file);
/* Of one that is not open: nothing. Closed also when it says no. */
bool shared_file_close(struct shared_file *file);

#endif
