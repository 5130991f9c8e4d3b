#include "planner/base/own.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* O_NONBLOCK: opening a pipe must not wait for its other end. */
static const int own_flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;

int own_open(const char *path, int flags)
{
    struct stat status;
    const int file = open(path, flags | own_flags);
    if (file < 0 || (fstat(file, &status) == 0 && S_ISREG(status.st_mode)))
        return file;
    close(file);
    errno = EINVAL;
    return -1;
}

int own_make(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_EXCL | own_flags, 0666);
}

int own_open_or_make(const char *path)
{
    const int there = own_open(path, O_WRONLY);
    return there < 0 && errno == ENOENT ? own_make(path) : there;
}

FILE *own_create(const char *path)
{
    if (unlink(path) != 0 && errno != ENOENT)
        return NULL;
    const int file = own_make(path);
    FILE *stream = file >= 0 ? fdopen(file, "w") : NULL;
    if (file >= 0 && !stream)
        close(file);
    return stream;
}

/* The directory of a file; owned. NULL: out of memory. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
}

/* Is the directory not readable, or does its file system not support this? Then there is nothing to
 * be done. */
static bool flush_is_refused(void)
{
    return errno == EACCES || errno == EINVAL || errno == ENOTSUP;
}

bool own_folder_flush(const char *path)
{
    char *folder = folder_of(path);
    const int file = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    const bool good = folder && ((file >= 0 && fsync(file) == 0) || flush_is_refused());
    if (file >= 0)
        close(file);
    free(folder);
    return good;
}

bool own_folder_is_anybodys(const char *path)
{
    struct stat status;
    char *folder = folder_of(path);
    const bool known = folder && stat(folder, &status) == 0;
    free(folder);
    return known && (status.st_mode & S_IWOTH) && !(status.st_mode & S_ISVTX);
}
