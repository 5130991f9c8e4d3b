/* For programs without MPI: system calls. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "spmd/transport/shared_file.h"

bool shared_file_open(struct shared_file *file, const char *path)
{
    const int opened = open(path, O_RDWR | O_CLOEXEC);
    *file = (struct shared_file){.open = opened >= 0, .handle = opened};
    return file->open;
}

bool shared_file_read(const struct shared_file *file, int64_t place, void *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        const ssize_t got =
            pread((int)file->handle, (char *)bytes + at, size - at, (off_t)place + (off_t)at);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        at += got > 0 ? (size_t)got : 0;
    }
    return true;
}

bool shared_file_write(const struct shared_file *file, int64_t place, const void *bytes,
                       size_t size)
{
    for (size_t at = 0; at < size;) {
        const ssize_t put = pwrite((int)file->handle, (const char *)bytes + at, size - at,
                                   (off_t)place + (off_t)at);
        if (put == 0 || (put < 0 && errno != EINTR))
            return false;
        at += put > 0 ? (size_t)put : 0;
    }
    return true;
}

bool shared_file_sync(const struct shared_file *file)
{
    return fsync((int)file->handle) == 0;
}

bool shared_file_close(struct shared_file *file)
{
    const bool good = !file->open || close((int)file->handle) == 0;
    file->open = false;
    return good;
}
