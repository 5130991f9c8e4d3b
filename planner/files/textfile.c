#include "planner/files/textfile.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planner/base/array.h"

static const size_t TEXTFILE_MOST = (size_t)1 << 30;

static void read_refuse(const char *path, size_t used, struct failure *failure)
{
    if (used > TEXTFILE_MOST)
        failure_set(failure, FAILURE_MISMATCH,
                    "'%s' is larger than 1 GiB, which no profile, plan or line is: check the name",
                    path);
    else
        failure_set(failure, FAILURE_MISMATCH, "cannot read '%s': %s; check the file", path,
                    strerror(errno));
}

/* Reads everything from an open file, and adds a terminating zero. */
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

static void open_refuse(const char *path, struct failure *failure)
{
    failure_set(failure, FAILURE_MISMATCH, "cannot open '%s': %s; check the name", path,
                strerror(errno));
}

bool textfile_there(const char *path, struct failure *failure)
{
    const bool there = strcmp(path, "-") == 0 || access(path, R_OK) == 0;
    if (!there)
        open_refuse(path, failure);
    return there;
}

/* Opens the file, to be closed; below 0 with *failure set. *name is what sentences call it. */
static int path_open(const char *path, const char **name, struct failure *failure)
{
    const bool standard = strcmp(path, "-") == 0;
    *name = standard ? "standard input" : path;
    const int file = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        open_refuse(path, failure);
    return file;
}

char *textfile_read(const char *path, size_t *length, struct failure *failure)
{
    const char *name;
    const int file = path_open(path, &name, failure);
    if (file < 0)
        return NULL;
    char *text = descriptor_read(file, name, length, failure);
    close(file);
    return text;
}

/* ---- line by line -------------------------------------------------------------------------- */

/* The part of a file that is in memory: an incomplete line, and what was read behind it. */
struct lines {
    char *text; /* owned */
    size_t used, capacity;
};

/* Reads one more piece; *ended: there is none. */
static bool piece_read(struct lines *lines, int file, const char *name, bool *ended,
                       struct failure *failure)
{
    enum { PIECE = 1 << 16 };
    char *more = array_reserve(lines->text, &lines->capacity, lines->used + PIECE, sizeof *more);
    if (!more)
        return failure_memory(failure, "reading a file");
    lines->text = more;
    ssize_t got;
    do
        got = read(file, lines->text + lines->used, lines->capacity - lines->used);
    while (got < 0 && errno == EINTR);
    lines->used += got > 0 ? (size_t)got : 0;
    *ended = got == 0;
    if (got >= 0 && lines->used <= TEXTFILE_MOST)
        return true;
    read_refuse(name, lines->used, failure);
    return false;
}

static bool line_give(const char *line, size_t length, const struct textfile_taker *taker,
                      struct failure *failure)
{
    if (length > 0 && line[length - 1] == '\r')
        length--;
    return taker->take(taker->self, line, length, failure);
}

/* Passes on all lines that are complete. The rest becomes the beginning of the next line. */
static bool lines_give(struct lines *lines, size_t looked_at, const struct textfile_taker *taker,
                       struct failure *failure)
{
    size_t at = 0;
    for (const char *stop; lines->used > looked_at &&
                           (stop = memchr(lines->text + looked_at, '\n', lines->used - looked_at));
         at = looked_at = (size_t)(stop - lines->text) + 1)
        if (!line_give(lines->text + at, (size_t)(stop - lines->text) - at, taker, failure))
            return false;
    lines->used -= at;
    memmove(lines->text, lines->text + at, lines->used);
    return true;
}

bool textfile_lines(const char *path, const struct textfile_taker *taker, struct failure *failure)
{
    const char *name;
    const int file = path_open(path, &name, failure);
    struct lines lines = {.text = NULL};
    bool ended = false, good = file >= 0;
    while (good && !ended) {
        const size_t looked_at = lines.used;
        good = piece_read(&lines, file, name, &ended, failure) &&
               lines_give(&lines, looked_at, taker, failure);
    }
    if (good && lines.used > 0)
        good = line_give(lines.text, lines.used, taker, failure);
    free(lines.text);
    if (file >= 0)
        close(file);
    return good;
}

/* ---- writing ------------------------------------------------------------------------------- */

bool textfile_check(const char *path, struct failure *failure)
{
    return strcmp(path, "-") == 0 || replace_check(path, failure);
}

bool textfile_stream(const char *path, const struct replace_writer *writer, struct failure *failure)
{
    if (strcmp(path, "-") != 0)
        return replace_stream(path, writer, failure);
    return (writer->write(writer->self, stdout) && fflush(stdout) == 0) ||
           failure_set(failure, FAILURE_FAILED,
                       "cannot write standard output: %s; check where it goes", strerror(errno));
}

bool textfile_write(const char *path, const char *text, struct failure *failure)
{
    const size_t length = strlen(text);
    if (strcmp(path, "-") != 0)
        return replace_write(path, text, length, failure);
    return (fwrite(text, 1, length, stdout) == length && fflush(stdout) == 0) ||
           failure_set(failure, FAILURE_FAILED,
                       "cannot write standard output: %s; check where it goes", strerror(errno));
}

bool textfile_append(const char *path, const char *text, struct failure *failure)
{
    const size_t length = strlen(text);
    if (strcmp(path, "-") == 0)
        return textfile_write(path, text, failure);
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    const ssize_t written = file >= 0 ? write(file, text, length) : -1;
    int error = written < 0 ? errno : written < (ssize_t)length ? ENOSPC : 0;
    if (file >= 0 && close(file) != 0 && error == 0)
        error = errno;
    return error == 0 ||
           failure_set(failure, FAILURE_FAILED,
                       "cannot write '%s': %s; choose a place that exists, is yours and has room",
                       path, strerror(error));
}

void textfile_sha256(const char *text, size_t length, char digest[65])
{
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned count = 0;
    if (EVP_Digest(text, length, bytes, &count, EVP_sha256(), NULL) != 1 || count != 32)
        abort(); /* a libcrypto without SHA-256 is a broken installation */
    for (size_t k = 0; k < count; k++)
        snprintf(digest + 2 * k, 3, "%02x", bytes[k]);
}
