#include "spmd/input/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef SCOW_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef SCOW_HAVE_ZSTD
#include <zstd.h>
#endif

enum { PIECE_BYTES = 1 << 18, MAGIC_BYTES = 4 };

/* From one stream to the other; both are open. */
typedef bool unpacker(FILE *packed, FILE *plain, const char *name, struct failure *failure);

static bool damaged(const char *name, const char *why, struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH, "cannot unpack '%s': %s; copy it again", name,
                       why);
}

static const char *folder(void)
{
    const char *named = getenv("TMPDIR");
    return named && *named ? named : "/tmp";
}

static bool no_room(const char *name, struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH,
                       "cannot unpack '%s' into %s: %s; name a folder that has room in TMPDIR",
                       name, folder(), strerror(errno));
}

#ifdef SCOW_HAVE_ZLIB
/* The empty block that ends a file of bgzip (the SAM format's specification, 4.1.2: BGZF). */
static const unsigned char blocks_end[] = {0x1f, 0x8b, 0x08, 0x04, 0, 0, 0,    0, 0, 0xff,
                                           0x06, 0,    0x42, 0x43, 2, 0, 0x1b, 0, 3, 0,
                                           0,    0,    0,    0,    0, 0, 0,    0};
enum { BLOCK_FLAGS = 3, BLOCK_EXTRA = 12, EXTRA_FLAG = 4 };

/* Is it of blocks, each a gzip member with a field of its own? */
static bool is_of_blocks(FILE *packed)
{
    unsigned char head[BLOCK_EXTRA + 2] = {0};
    const size_t size = fread(head, 1, sizeof head, packed);
    rewind(packed);
    return size == sizeof head && (head[BLOCK_FLAGS] & EXTRA_FLAG) && head[BLOCK_EXTRA] == 'B' &&
           head[BLOCK_EXTRA + 1] == 'C';
}

/* Cut between two blocks it would be whole gzip. */
static bool blocks_check(FILE *packed, const char *name, struct failure *failure)
{
    unsigned char tail[sizeof blocks_end] = {0};
    if (!is_of_blocks(packed))
        return true;
    const bool whole = fseeko(packed, -(off_t)sizeof tail, SEEK_END) == 0 &&
                       fread(tail, 1, sizeof tail, packed) == sizeof tail &&
                       memcmp(tail, blocks_end, sizeof tail) == 0;
    rewind(packed);
    return whole || damaged(name, "the empty block is missing with which bgzip ends", failure);
}

static bool gzip_unpack(FILE *packed, FILE *plain, const char *name, struct failure *failure)
{
    if (!blocks_check(packed, name, failure))
        return false;
    const int descriptor = dup(fileno(packed));
    gzFile file =
        descriptor >= 0 && lseek(descriptor, 0, SEEK_SET) == 0 ? gzdopen(descriptor, "rb") : NULL;
    char *piece = malloc(PIECE_BYTES);
    bool good = true;
    int size = 0;
    if (!file && descriptor >= 0)
        close(descriptor);
    if (!file || !piece)
        good = failure_memory(failure, "unpacking the input");
    while (good && (size = gzread(file, piece, PIECE_BYTES)) > 0)
        good = fwrite(piece, 1, (size_t)size, plain) == (size_t)size || no_room(name, failure);
    free(piece);
    int error = Z_OK;
    if (good && size < 0)
        good = damaged(name, gzerror(file, &error), failure);
    /* An end in mid-stream is told by closing alone. */
    error = file ? gzclose(file) : Z_OK;
    return good && (error == Z_OK || damaged(name, "it ends too early", failure));
}
#else
static bool gzip_unpack(FILE *packed, FILE *plain, const char *name, struct failure *failure)
{
    (void)packed;
    (void)plain;
    return failure_set(
        failure, FAILURE_MISMATCH,
        "'%s' is compressed by gzip, and this scow was built without zlib: unpack it "
        "with gunzip",
        name);
}
#endif

#ifdef SCOW_HAVE_ZSTD
/* One piece of input, as much output as it makes. */
static bool piece_unpack(ZSTD_DStream *unpacking, ZSTD_inBuffer *in, char *room, size_t room_size,
                         FILE *plain, const char *name, size_t *wanted, struct failure *failure)
{
    ZSTD_outBuffer out = {room, room_size, 0};
    do {
        out.pos = 0;
        *wanted = ZSTD_decompressStream(unpacking, &out, in);
        if (ZSTD_isError(*wanted))
            return damaged(name, ZSTD_getErrorName(*wanted), failure);
        if (fwrite(room, 1, out.pos, plain) != out.pos)
            return no_room(name, failure);
    } while (in->pos < in->size || out.pos == out.size);
    return true;
}

static bool zstd_unpack(FILE *packed, FILE *plain, const char *name, struct failure *failure)
{
    ZSTD_DStream *unpacking = ZSTD_createDStream();
    char *piece = malloc(PIECE_BYTES), *room = malloc(PIECE_BYTES);
    bool good = (unpacking && piece && room) || failure_memory(failure, "unpacking the input");
    size_t size, wanted = 0;
    while (good && (size = fread(piece, 1, PIECE_BYTES, packed)) > 0)
        good = piece_unpack(unpacking, &(ZSTD_inBuffer){piece, size, 0}, room, PIECE_BYTES, plain,
                            name, &wanted, failure);
    if (good && (ferror(packed) || wanted != 0))
        good = damaged(name, ferror(packed) ? strerror(errno) : "it ends too early", failure);
    ZSTD_freeDStream(unpacking);
    free(piece);
    free(room);
    return good;
}
#else
static bool zstd_unpack(FILE *packed, FILE *plain, const char *name, struct failure *failure)
{
    (void)packed;
    (void)plain;
    return failure_set(
        failure, FAILURE_MISMATCH,
        "'%s' is compressed by zstd, and this scow was built without libzstd: unpack "
        "it with unzstd",
        name);
}
#endif

/* Without a name, so that it is gone with the process, whatever its end. */
static FILE *plain_open(const char *name, struct failure *failure)
{
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/scow-XXXXXX", folder());
    const int descriptor = length < (int)sizeof path ? mkstemp(path) : -1;
    if (descriptor >= 0)
        unlink(path);
    FILE *plain = descriptor >= 0 ? fdopen(descriptor, "w+b") : NULL;
    if (!plain) {
        no_room(name, failure);
        if (descriptor >= 0)
            close(descriptor);
    }
    return plain;
}

/* NULL: it is not compressed. */
static unpacker *unpacker_find(FILE *stream)
{
    unsigned char magic[MAGIC_BYTES] = {0};
    const size_t size = fread(magic, 1, sizeof magic, stream);
    rewind(stream);
    if (size >= 2 && magic[0] == 0x1f && magic[1] == 0x8b)
        return gzip_unpack;
    return size == 4 && memcmp(magic, "\x28\xb5\x2f\xfd", 4) == 0 ? zstd_unpack : NULL;
}

bool unpack(FILE **stream, const char *name, struct failure *failure)
{
    unpacker *const found = unpacker_find(*stream);
    if (!found)
        return true;
    FILE *plain = plain_open(name, failure);
    bool good = plain && found(*stream, plain, name, failure);
    if (good && fflush(plain) != 0)
        good = no_room(name, failure);
    if (good && ftello(plain) == 0)
        good =
            failure_set(failure, FAILURE_MISMATCH, "'%s' holds nothing when it is unpacked", name);
    if (!good) {
        if (plain)
            fclose(plain);
        return false;
    }
    rewind(plain);
    fclose(*stream);
    *stream = plain;
    return true;
}
