#include "spmd/input/spool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "planner/base/own.h"

enum { PIECE_BYTES = 1 << 16 };

static const char ending[] = ".input", unfinished[] = ".part";

bool spool_wanted(const char *name)
{
    return name && strcmp(name, "-") == 0;
}

static char *joined(const char *path, const char *end)
{
    const size_t room = strlen(path) + strlen(end) + 1;
    char *name = malloc(room);
    if (name)
        snprintf(name, room, "%s%s", path, end);
    return name;
}

char *spool_name(const char *path)
{
    return joined(path, ending);
}

static bool unwritable(const char *name, struct failure *failure)
{
    return failure_set(failure, FAILURE_FAILED,
                       "cannot write standard input to '%s': %s; choose a place that exists, is "
                       "yours and has room",
                       name, strerror(errno));
}

/* How many bytes there were; -1 with *failure set. */
static int64_t input_copy(FILE *to, const char *name, struct failure *failure)
{
    char *piece = malloc(PIECE_BYTES);
    int64_t bytes = 0;
    bool good = piece || failure_memory(failure, "reading standard input");
    for (size_t size; good && (size = fread(piece, 1, PIECE_BYTES, stdin)) > 0;
         bytes += (int64_t)size)
        good = fwrite(piece, 1, size, to) == size || unwritable(name, failure);
    if (good && ferror(stdin))
        good = failure_set(failure, FAILURE_FAILED,
                           "cannot read standard input: %s: check the command that writes it",
                           strerror(errno));
    free(piece);
    return good ? bytes : -1;
}

/* Two files that are open for reading hold the same. */
static bool streams_equal(FILE *a, FILE *b)
{
    char *left = malloc(PIECE_BYTES), *right = malloc(PIECE_BYTES);
    bool equal = left && right;
    size_t size;
    do {
        size = equal ? fread(left, 1, PIECE_BYTES, a) : 0;
        equal = equal && fread(right, 1, PIECE_BYTES, b) == size && memcmp(left, right, size) == 0;
    } while (equal && size > 0);
    free(left);
    free(right);
    return equal;
}

static bool files_equal(const char *a, const char *b)
{
    FILE *one = fopen(a, "rb"), *other = fopen(b, "rb");
    const bool equal = one && other && streams_equal(one, other);
    if (one)
        fclose(one);
    if (other)
        fclose(other);
    return equal;
}

/* Nothing came: is there an earlier one? */
static bool earlier_take(const char *name, struct failure *failure)
{
    struct stat status;
    return (stat(name, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) ||
           failure_set(failure, FAILURE_MISMATCH,
                       "-i - reads standard input, which is %s, and no earlier one is kept in '%s'",
                       isatty(STDIN_FILENO) ? "a terminal" : "empty", name);
}

static bool part_settle(const char *part, const char *name, bool keep, struct failure *failure)
{
    if (files_equal(part, name))
        return true;
    if (keep && access(name, F_OK) == 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "standard input is not what '%s' holds, with which this run began: give "
                           "the same again, or nothing (</dev/null)",
                           name);
    return rename(part, name) == 0 || unwritable(name, failure);
}

bool spool_write(const char *name, bool keep, struct failure *failure)
{
    if (isatty(STDIN_FILENO))
        return earlier_take(name, failure);
    char *part = joined(name, unfinished);
    FILE *to = part ? own_create(part) : NULL;
    bool good = to || (part ? unwritable(part, failure)
                            : failure_memory(failure, "reading standard input"));
    const int64_t bytes = good ? input_copy(to, part, failure) : -1;
    if (to && fclose(to) != 0 && bytes >= 0)
        good = unwritable(part, failure);
    if (good && bytes == 0)
        good = earlier_take(name, failure);
    else if (good && bytes > 0)
        good = part_settle(part, name, keep, failure);
    if (part)
        unlink(part);
    free(part);
    return good && bytes >= 0;
}

char *spool_temporary(struct failure *failure)
{
    const char *folder = getenv("TMPDIR");
    char *name = joined(folder && *folder ? folder : "/tmp", "/scow-XXXXXX");
    const int descriptor = name ? mkstemp(name) : -1;
    FILE *to = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    int64_t bytes = -1;
    if (!name)
        failure_memory(failure, "reading standard input");
    else if (!to)
        unwritable(name, failure);
    else
        bytes = input_copy(to, name, failure);
    if (to && fclose(to) != 0 && bytes >= 0)
        bytes = unwritable(name, failure) ? 0 : -1;
    if (bytes == 0)
        failure_set(failure, FAILURE_MISMATCH, "-i - reads standard input, which is empty");
    if (bytes > 0)
        return name;
    if (descriptor >= 0)
        unlink(name);
    free(name);
    return NULL;
}
