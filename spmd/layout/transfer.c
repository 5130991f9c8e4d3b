#include "spmd/layout/transfer.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

bool transfer_read(int file, void *bytes, int64_t size, int64_t place)
{
    for (int64_t at = 0; at < size;) {
        errno = 0;
        const ssize_t got = pread(file, (char *)bytes + at, (size_t)(size - at), place + at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
    }
    return true;
}

bool transfer_write(int file, const void *bytes, int64_t size, int64_t place)
{
    for (int64_t at = 0; at < size;) {
        const ssize_t put = pwrite(file, (const char *)bytes + at, (size_t)(size - at), place + at);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        at += put;
    }
    return true;
}
