#include "spmd/input/regular.h"

#include <errno.h>
#include <openssl/evp.h>
#include <string.h>
#include <sys/stat.h>

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

/* All bytes of the stream into the digest; false on any error. */
static bool stream_digest(FILE *stream, EVP_MD_CTX *context)
{
    unsigned char buffer[1 << 16];
    size_t length;
    while ((length = fread(buffer, 1, sizeof buffer, stream)) > 0)
        if (EVP_DigestUpdate(context, buffer, length) != 1)
            return false;
    return !ferror(stream);
}

static bool file_digest(const char *file, EVP_MD_CTX *context, struct failure *failure)
{
    static const struct regular_rule rule = {"it", "a file", .may_be_empty = true};
    int64_t size_bytes;
    FILE *stream = regular_open(file, &rule, &size_bytes, failure);
    if (!stream)
        return false;
    const bool good = stream_digest(stream, context) ||
                      failure_set(failure, FAILURE_MISMATCH,
                                  "cannot read '%s' to its end for its SHA-256: check the disk it "
                                  "is on",
                                  file);
    fclose(stream);
    return good;
}

bool regular_sha256_all(const char *const *files, int64_t count, char digest[65],
                        struct failure *failure)
{
    unsigned char bytes[32];
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool good = (context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1) ||
                failure_memory(failure, "taking an input's SHA-256");
    for (int64_t i = 0; good && i < count; i++)
        good = file_digest(files[i], context, failure);
    if (good && EVP_DigestFinal_ex(context, bytes, NULL) != 1)
        good = failure_memory(failure, "taking an input's SHA-256");
    for (size_t i = 0; good && i < sizeof bytes; i++)
        snprintf(digest + 2 * i, 3, "%02x", bytes[i]);
    EVP_MD_CTX_free(context);
    return good;
}

bool regular_sha256(const char *file, char digest[65], struct failure *failure)
{
    return regular_sha256_all(&file, file ? 1 : 0, digest, failure);
}
