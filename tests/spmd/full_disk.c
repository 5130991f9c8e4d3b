/* Preloaded into scow: a disk that is full after FULL_DISK_AFTER bytes, for the rank
 * FULL_DISK_RANK, or for each of the "workers". Only positioned writes count, which HDF5 and MPI-IO
 * use; space cannot be reserved, as on many network file systems. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t written;

static int is_full(size_t count)
{
    const char *limit = getenv("FULL_DISK_AFTER"), *full = getenv("FULL_DISK_RANK");
    const char *rank = getenv("PMI_RANK");
    if (!limit || !full || !rank ||
        (strcmp(full, "workers") == 0 ? strcmp(rank, "0") == 0 : strcmp(full, rank) != 0))
        return 0;
    written += count;
    return written > strtoul(limit, NULL, 10);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset)
{
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pwrite64");
    if (is_full(count)) {
        errno = ENOSPC;
        return -1;
    }
    return real(file, bytes, count, offset);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset)
{
    return pwrite64(file, bytes, count, offset);
}

int fallocate(int file, int mode, off_t offset, off_t length)
{
    (void)file;
    (void)mode;
    (void)offset;
    (void)length;
    errno = EOPNOTSUPP;
    return -1;
}
