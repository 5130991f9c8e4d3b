#include "planner/files/replace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct contents {
    const void *bytes;
    size_t length;
};

static bool contents_write(void *self, FILE *stream)
{
    const struct contents *contents = self;
    return fwrite(contents->bytes, 1, contents->length, stream) == contents->length;
}

static bool stream_write(FILE *stream, const struct replace_writer *writer)
{
    return writer->write(writer->self, stream) && fflush(stream) == 0;
}

static bool write_refuse(const char *path, struct failure *failure)
{
    return failure_set(failure, FAILURE_FAILED,
                       "cannot write '%s': %s; choose a place that exists, is yours and has room",
                       path, strerror(errno));
}

/* A device or a pipe is written in place: it cannot be replaced. */
static bool special_write(const char *path, const struct replace_writer *writer,
                          struct failure *failure)
{
    FILE *stream = fopen(path, "we");
    if (!stream)
        return write_refuse(path, failure);
    bool good = stream_write(stream, writer) || write_refuse(path, failure);
    if (fclose(stream) != 0 && good)
        good = write_refuse(path, failure);
    return good;
}

/* A temporary file has mode 600. The result gets the mode of the file that it replaces or, if there
 * was none, that of any new file of the user. */
static bool permissions_usual(int file, const char *path)
{
    struct stat before;
    if (stat(path, &before) == 0)
        return fchmod(file, before.st_mode & 0777) == 0;
    mode_t mask = umask(0);
    umask(mask);
    return fchmod(file, 0666 & ~mask) == 0;
}

static bool beside_write(const char *beside, int file, const char *path,
                         const struct replace_writer *writer)
{
    FILE *stream = fdopen(file, "w");
    if (!stream) {
        int reason = errno;
        close(file);
        unlink(beside);
        errno = reason;
        return false;
    }
    bool good = permissions_usual(file, path) && stream_write(stream, writer) && fsync(file) == 0;
    int reason = errno;
    if (fclose(stream) != 0 && good) {
        reason = errno;
        good = false;
    }
    if (!good)
        unlink(beside);
    errno = reason;
    return good;
}

/* Opens an empty temporary file beside `path`; *beside becomes its name, owned; below 0:
 * refused. */
static int beside_open(const char *path, char **beside, struct failure *failure)
{
    size_t size = strlen(path) + sizeof ".XXXXXX";
    *beside = malloc(size);
    if (!*beside) {
        failure_memory(failure, "writing a file");
        return -1;
    }
    snprintf(*beside, size, "%s.XXXXXX", path);
    int file = mkstemp(*beside);
    if (file < 0)
        write_refuse(path, failure);
    return file;
}

/* Where a symbolic link leads, or else the path itself; owned. NULL: out of memory, *failure is
 * set. */
static char *target_find(const char *path, struct failure *failure)
{
    struct stat status;
    const bool link = lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
    char *target = link ? realpath(path, NULL) : NULL;
    if (!target) /* also for a link that leads nowhere */
        target = strdup(path);
    if (!target)
        failure_memory(failure, "writing a file");
    return target;
}

bool replace_check(const char *path, struct failure *failure)
{
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return access(path, W_OK) == 0 || write_refuse(path, failure);
    char *target = target_find(path, failure), *beside = NULL;
    int file = target ? beside_open(target, &beside, failure) : -1;
    if (file >= 0) {
        close(file);
        unlink(beside);
    }
    free(beside);
    free(target);
    return file >= 0;
}

static bool target_write(const char *target, const struct replace_writer *writer,
                         struct failure *failure)
{
    char *beside = NULL;
    int file = beside_open(target, &beside, failure);
    bool good = file >= 0 && beside_write(beside, file, target, writer);
    if (good && rename(beside, target) != 0) {
        int reason = errno;
        unlink(beside);
        errno = reason;
        good = false;
    }
    if (!good)
        write_refuse(target, failure);
    free(beside);
    return good;
}

bool replace_stream(const char *path, const struct replace_writer *writer, struct failure *failure)
{
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return special_write(path, writer, failure);
    char *target = target_find(path, failure);
    const bool good = target && target_write(target, writer, failure);
    free(target);
    return good;
}

bool replace_write(const char *path, const void *bytes, size_t length, struct failure *failure)
{
    struct contents contents = {bytes, length};
    const struct replace_writer writer = {contents_write, &contents};
    return replace_stream(path, &writer, failure);
}
