#include "planner/files/textfile.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "planner/base/array.h"

static const size_t TEXTFILE_MOST = (size_t)1 << 30;

static void read_refuse(const char *path, size_t used, struct failure *failure)
{
    if (used > TEXTFILE_MOST)
        failure_set(failure, FAILURE_MISMATCH,
                    "'%s' is larger than 1 GiB, which no profile or plan is: check the name", path);
    else
        failure_set(failure, FAILURE_MISMATCH, "cannot read '%s': %s; check the file", path,
                    strerror(errno));
}

/* Everything from an open file, zero-terminated. */
static char *descriptor_read(int file, const char *path, size_t *length, struct failure *failure)
{
    enum { PIECE = 1 << 16 };
    size_t used = 0, capacity = 0;
    char *text = NULL;
    for (;;) {
        char *more = array_reserve(text, &capacity, used + PIECE, sizeof *more);
        if (!more) {
            failure_memory(failure, "reading a file");
            break;
        }
        text = more;
        ssize_t got = read(file, text + used, capacity - used - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0) {
            text[used] = '\0';
            *length = used;
            return text;
        }
        used += got > 0 ? (size_t)got : 0;
        if (got < 0 || used > TEXTFILE_MOST) {
            read_refuse(path, used, failure);
            break;
        }
    }
    free(text);
    return NULL;
}

char *textfile_read(const char *path, size_t *length, struct failure *failure)
{
    if (strcmp(path, "-") == 0)
        return descriptor_read(STDIN_FILENO, "standard input", length, failure);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        failure_set(failure, FAILURE_MISMATCH, "cannot open '%s': %s; check the name", path,
                    strerror(errno));
        return NULL;
    }
    char *text = descriptor_read(file, path, length, failure);
    close(file);
    return text;
}

static bool stream_write(FILE *stream, const char *text)
{
    size_t length = strlen(text);
    return fwrite(text, 1, length, stream) == length && fflush(stream) == 0;
}

static bool write_refuse(const char *path, struct failure *failure)
{
    return failure_set(failure, FAILURE_FAILED,
                       "cannot write '%s': %s; choose a place that exists, is yours and has room",
                       path, strerror(errno));
}

/* A device or a pipe is written as it is: there is nothing to replace. */
static bool special_write(const char *path, const char *text, struct failure *failure)
{
    FILE *stream = fopen(path, "we");
    if (!stream)
        return write_refuse(path, failure);
    bool good = stream_write(stream, text) || write_refuse(path, failure);
    if (fclose(stream) != 0 && good)
        good = write_refuse(path, failure);
    return good;
}

/* A temporary file has mode 600; the result shall have what any new file of the user has. */
static bool permissions_usual(int file)
{
    mode_t mask = umask(0);
    umask(mask);
    return fchmod(file, 0666 & ~mask) == 0;
}

static bool beside_write(const char *beside, int file, const char *text)
{
    FILE *stream = fdopen(file, "w");
    if (!stream) {
        close(file);
        return false;
    }
    bool good = permissions_usual(file) && stream_write(stream, text) && fsync(file) == 0;
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

/* An empty temporary file beside `path`, its owned name in *beside; < 0: refused. */
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

bool textfile_check(const char *path, struct failure *failure)
{
    struct stat status;
    if (strcmp(path, "-") == 0)
        return true;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return access(path, W_OK) == 0 || write_refuse(path, failure);
    char *beside = NULL;
    int file = beside_open(path, &beside, failure);
    if (file >= 0) {
        close(file);
        unlink(beside);
    }
    free(beside);
    return file >= 0;
}

bool textfile_write(const char *path, const char *text, struct failure *failure)
{
    if (strcmp(path, "-") == 0)
        return stream_write(stdout, text) || write_refuse("standard output", failure);
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return special_write(path, text, failure);
    char *beside = NULL;
    int file = beside_open(path, &beside, failure);
    bool good = file >= 0 && beside_write(beside, file, text);
    if (good && rename(beside, path) != 0) {
        int reason = errno;
        unlink(beside);
        errno = reason;
        good = false;
    }
    if (!good)
        write_refuse(path, failure);
    free(beside);
    return good;
}

void textfile_sha256(const char *text, size_t length, char digest[65])
{
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned count = 0;
    if (EVP_Digest(text, length, bytes, &count, EVP_sha256(), NULL) != 1 || count != 32)
        abort(); /* libcrypto without SHA-256 is a broken installation */
    for (size_t k = 0; k < count; k++)
        snprintf(digest + 2 * k, 3, "%02x", bytes[k]);
}
