#define _GNU_SOURCE /* SEEK_DATA */
#include "spmd/input/regular.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool regular_check(const char *file, const struct regular_rule *rule, int64_t *size_bytes,
                   struct failure *failure)
{
    struct stat status;
    if (stat(file, &status) != 0)
        return failure_set(failure, FAILURE_MISMATCH, "cannot open '%s': %s; check the name", file,
                           strerror(errno));
    if (S_ISDIR(status.st_mode))
        return failure_set(failure, FAILURE_MISMATCH, "'%s' is a directory: name %s", file,
                           rule->wanted);
    if (!S_ISREG(status.st_mode))
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' is not a regular file: save %s to a file first", file,
                           rule->content);
    if (status.st_size == 0 && !rule->may_be_empty)
        return failure_set(failure, FAILURE_MISMATCH, "'%s' is empty: make or copy %s again", file,
                           rule->content);
    *size_bytes = status.st_size;
    return true;
}

FILE *regular_open(const char *file, const struct regular_rule *rule, int64_t *size_bytes,
                   struct failure *failure)
{
    if (!regular_check(file, rule, size_bytes, failure))
        return NULL;
    FILE *stream = fopen(file, "rb");
    if (!stream)
        failure_set(failure, FAILURE_MISMATCH, "cannot open '%s': %s; check its permissions", file,
                    strerror(errno));
    return stream;
}

bool regular_unreadable(const char *file, struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH, "cannot read '%s': %s; copy it again", file,
                       strerror(errno));
}

bool regular_changed(const char *file, struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH,
                       "'%s' has changed since it was opened: leave it alone while it is in use, "
                       "and start again",
                       file);
}

/* ---- digests ---- */

enum { READ_BYTES = 1 << 20 };

/* Taking the digest of some files. */
struct digesting {
    EVP_MD_CTX *context; /* owned */
    char *room, *zeros;  /* owned; READ_BYTES each */
    atomic_bool *halt;
};

static bool digesting_init(struct digesting *digesting, atomic_bool *halt, struct failure *failure)
{
    *digesting = (struct digesting){.context = EVP_MD_CTX_new(),
                                    .room = malloc(READ_BYTES),
                                    .zeros = calloc(1, READ_BYTES),
                                    .halt = halt};
    return (digesting->context && digesting->room && digesting->zeros &&
            EVP_DigestInit_ex(digesting->context, EVP_sha256(), NULL) == 1) ||
           failure_memory(failure, "taking an input's SHA-256");
}

static void digesting_release(struct digesting *digesting)
{
    EVP_MD_CTX_free(digesting->context);
    free(digesting->room);
    free(digesting->zeros);
}

static bool digesting_end(const struct digesting *digesting, char digest[65],
                          struct failure *failure)
{
    unsigned char bytes[32];
    if (EVP_DigestFinal_ex(digesting->context, bytes, NULL) != 1)
        return failure_memory(failure, "taking an input's SHA-256");
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(digest + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/* How far it is from there to the next byte that is stored, or to the end: what lies in between
 * reads as zeros, and costs as much to read as other bytes do. 0 where nobody can say. */
static int64_t hole_size(int file, int64_t from)
{
    struct stat status;
    const off_t data = lseek(file, from, SEEK_DATA);
    if (data >= 0)
        return data - from;
    return errno == ENXIO && fstat(file, &status) == 0 ? status.st_size - from : 0;
}

/* The next bytes from there on, READ_BYTES at most: how many, 0 at the end. Negative: an error. */
static ssize_t piece_digest(const struct digesting *digesting, int file, int64_t from)
{
    const int64_t hole = hole_size(file, from);
    const char *bytes = hole > 0 ? digesting->zeros : digesting->room;
    ssize_t size = hole < READ_BYTES ? (ssize_t)hole : READ_BYTES;
    if (hole <= 0)
        do {
            size = pread(file, digesting->room, READ_BYTES, from);
        } while (size < 0 && errno == EINTR);
    if (size > 0 && EVP_DigestUpdate(digesting->context, bytes, (size_t)size) != 1)
        return -1;
    return size;
}

static bool file_digest(const struct digesting *digesting, const char *name,
                        struct failure *failure)
{
    static const struct regular_rule rule = {"it", "a file", .may_be_empty = true};
    int64_t size_bytes, at = 0;
    ssize_t size = 1;
    bool halted = false;
    FILE *stream = regular_open(name, &rule, &size_bytes, failure);
    if (!stream)
        return false;
    for (; size > 0 && !halted; at += size) {
        size = piece_digest(digesting, fileno(stream), at);
        halted = digesting->halt && atomic_load(digesting->halt);
    }
    fclose(stream);
    if (size < 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "cannot read '%s' to its end for its SHA-256: check the disk it is on",
                           name);
    return !halted ||
           failure_set(failure, FAILURE_STOPPED, "taking an input's SHA-256 was given up");
}

bool regular_sha256(const char *const *files, int64_t count, atomic_bool *halt, char digest[65],
                    struct failure *failure)
{
    struct digesting digesting;
    bool good = digesting_init(&digesting, halt, failure);
    for (int64_t i = 0; good && i < count; i++)
        good = file_digest(&digesting, files[i], failure);
    good = good && digesting_end(&digesting, digest, failure);
    digesting_release(&digesting);
    return good;
}

bool regular_stamp(const char *const *files, int64_t count, char stamp[65], struct failure *failure)
{
    struct digesting digesting;
    bool good = digesting_init(&digesting, NULL, failure);
    for (int64_t i = 0; good && i < count; i++) {
        struct stat status;
        char line[80];
        if (stat(files[i], &status) != 0)
            good = regular_unreadable(files[i], failure);
        const int length =
            good ? snprintf(line, sizeof line, "%lld %lld.%09ld\n", (long long)status.st_size,
                            (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
                 : 0;
        good = good && (EVP_DigestUpdate(digesting.context, line, (size_t)length) == 1 ||
                        failure_memory(failure, "looking at an input"));
    }
    good = good && digesting_end(&digesting, stamp, failure);
    digesting_release(&digesting);
    return good;
}

int64_t regular_bytes(const char *const *files, int64_t count)
{
    int64_t bytes = 0;
    struct stat status;
    for (int64_t i = 0; i < count; i++)
        if (stat(files[i], &status) == 0)
            bytes += status.st_size;
    return bytes;
}
