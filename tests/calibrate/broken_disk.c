/* Preloaded into scow: a disk from which rank 0 can read nothing after BROKEN_DISK_AFTER bytes.
 * Only positioned reads count, which HDF5 uses. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t total;

static int is_broken(size_t count)
{
    const char *limit = getenv("BROKEN_DISK_AFTER"), *rank = getenv("PMI_RANK");
    if (!limit || !rank || strcmp(rank, "0") != 0)
        return 0;
    total += count;
    return total > strtoul(limit, NULL, 10);
}

ssize_t pread64(int file, void *bytes, size_t count, off64_t offset)
{
    static ssize_t (*real)(int, void *, size_t, off64_t);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pread64");
    if (is_broken(count)) {
        errno = EIO;
        return -1;
    }
    return real(file, bytes, count, offset);
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset)
{
    return pread64(file, bytes, count, offset);
}
