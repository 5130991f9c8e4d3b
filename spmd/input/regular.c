#define _GNU_SOURCE /* SEEK_DATA */
#include "spmd/input/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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

/* Opened, because a network file system then asks its server. */
bool regular_state(const char *file, struct regular_state *state)
{
    struct stat status;
    const int descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool good = descriptor >= 0 && fstat(descriptor, &status) == 0;
    if (descriptor >= 0)
        close(descriptor);
    if (good)
        *state = (struct regular_state){.device = (int64_t)status.st_dev,
                                        .inode = (int64_t)status.st_ino,
                                        .size = status.st_size,
                                        .modified_s = status.st_mtim.tv_sec,
                                        .modified_ns = status.st_mtim.tv_nsec,
                                        .changed_s = status.st_ctim.tv_sec,
                                        .changed_ns = status.st_ctim.tv_nsec};
    return good;
}

bool regular_state_equal(const struct regular_state *a, const struct regular_state *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->modified_s == b->modified_s && a->modified_ns == b->modified_ns &&
           a->changed_s == b->changed_s && a->changed_ns == b->changed_ns;
}

/* ---- digests ---- */

enum { READ_BYTES = 1 << 20 };

struct regular_digest {
    const char *const *files; /* borrowed */
    int64_t count, next;      /* of the files, and the one that is next or open */
    FILE *stream;             /* that one's; NULL: not open */
    int64_t at;               /* bytes of it that are done */
    EVP_MD_CTX *context;      /* owned */
    char *room, *zeros;       /* owned; READ_BYTES each */
    char text[65];
};

struct regular_digest *regular_digest_new(const char *const *files, int64_t count,
                                          struct failure *failure)
{
    struct regular_digest *digest = calloc(1, sizeof *digest);
    if (digest) {
        digest->files = files;
        digest->count = count;
        digest->context = EVP_MD_CTX_new();
        digest->room = malloc(READ_BYTES);
        digest->zeros = calloc(1, READ_BYTES);
    }
    if (!digest || !digest->context || !digest->room || !digest->zeros ||
        EVP_DigestInit_ex(digest->context, EVP_sha256(), NULL) != 1) {
        failure_memory(failure, "taking an input's SHA-256");
        regular_digest_free(&digest);
    }
    return digest;
}

void regular_digest_free(struct regular_digest **digest)
{
    struct regular_digest *gone = *digest;
    if (!gone)
        return;
    if (gone->stream)
        fclose(gone->stream);
    EVP_MD_CTX_free(gone->context);
    free(gone->room);
    free(gone->zeros);
    free(gone);
    *digest = NULL;
}

const char *regular_digest_text(const struct regular_digest *digest)
{
    return digest->text;
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

/* The next bytes of the open file, READ_BYTES at most: how many, 0 at its end. Negative: an error.
 */
static ssize_t piece_digest(struct regular_digest *digest)
{
    const int file = fileno(digest->stream);
    const int64_t hole = hole_size(file, digest->at);
    const char *bytes = hole > 0 ? digest->zeros : digest->room;
    ssize_t size = hole < READ_BYTES ? (ssize_t)hole : READ_BYTES;
    if (hole <= 0)
        do {
            size = pread(file, digest->room, READ_BYTES, digest->at);
        } while (size < 0 && errno == EINTR);
    if (size > 0 && EVP_DigestUpdate(digest->context, bytes, (size_t)size) != 1)
        return -1;
    digest->at += size > 0 ? size : 0;
    return size;
}

/* The next piece of all: opens and closes files as needed. */
static bool digest_step(struct regular_digest *digest, struct failure *failure)
{
    static const struct regular_rule rule = {"it", "a file", .may_be_empty = true};
    const char *name = digest->files[digest->next];
    int64_t size_bytes;
    if (!digest->stream) {
        digest->stream = regular_open(name, &rule, &size_bytes, failure);
        digest->at = 0;
    }
    if (!digest->stream)
        return false;
    const ssize_t size = piece_digest(digest);
    if (size < 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "cannot read '%s' to its end for its SHA-256: check the disk it is on",
                           name);
    if (size == 0) {
        fclose(digest->stream);
        digest->stream = NULL;
        digest->next++;
    }
    return true;
}

static bool digest_end(struct regular_digest *digest, struct failure *failure)
{
    unsigned char bytes[32];
    if (digest->text[0])
        return true;
    if (EVP_DigestFinal_ex(digest->context, bytes, NULL) != 1)
        return failure_memory(failure, "taking an input's SHA-256");
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(digest->text + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

bool regular_digest_run(struct regular_digest *digest, atomic_bool *halt, struct failure *failure)
{
    while (digest->next < digest->count) {
        if (halt && atomic_load(halt))
            return true;
        if (!digest_step(digest, failure))
            return false;
    }
    return digest_end(digest, failure);
}

bool regular_sha256(const char *const *files, int64_t count, char digest[65],
                    struct failure *failure)
{
    struct regular_digest *taking = regular_digest_new(files, count, failure);
    const bool good = taking && regular_digest_run(taking, NULL, failure);
    if (good)
        memcpy(digest, taking->text, sizeof taking->text);
    regular_digest_free(&taking);
    return good;
}

/* A line of its own into the digest. */
static bool line_add(struct regular_digest *digest, const char *line, int length,
                     struct failure *failure)
{
    return EVP_DigestUpdate(digest->context, line, (size_t)length) == 1 ||
           failure_memory(failure, "looking at an input");
}

static bool stamp_add(struct regular_digest *digest, const char *file, struct failure *failure)
{
    struct regular_state state;
    char line[80];
    if (!regular_state(file, &state))
        return regular_unreadable(file, failure);
    const int length = snprintf(line, sizeof line, "%" PRId64 " %" PRId64 ".%09" PRId64 "\n",
                                state.size, state.modified_s, state.modified_ns);
    return line_add(digest, line, length, failure);
}

/* Of the lines so far, if adding them went well. */
static bool lines_end(struct regular_digest *digest, bool good, char text[65],
                      struct failure *failure)
{
    good = good && digest_end(digest, failure);
    if (good)
        memcpy(text, digest->text, sizeof digest->text);
    regular_digest_free(&digest);
    return good;
}

bool regular_stamp(const char *const *files, int64_t count, char stamp[65], struct failure *failure)
{
    struct regular_digest *digest = regular_digest_new(NULL, 0, failure);
    bool good = digest != NULL;
    for (int64_t i = 0; good && i < count; i++)
        good = stamp_add(digest, files[i], failure);
    return lines_end(digest, good, stamp, failure);
}

bool regular_identity(const struct regular_state *states, int64_t count, char identity[65],
                      struct failure *failure)
{
    struct regular_digest *digest = regular_digest_new(NULL, 0, failure);
    bool good = digest != NULL;
    for (int64_t i = 0; good && i < count; i++) {
        const struct regular_state *state = &states[i];
        char line[160];
        const int length = snprintf(line, sizeof line,
                                    "%" PRId64 " %" PRId64 " %" PRId64 ".%09" PRId64 " %" PRId64
                                    ".%09" PRId64 "\n",
                                    state->inode, state->size, state->modified_s,
                                    state->modified_ns, state->changed_s, state->changed_ns);
        good = line_add(digest, line, length, failure);
    }
    return lines_end(digest, good, identity, failure);
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
