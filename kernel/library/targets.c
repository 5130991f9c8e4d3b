#include "kernel/library/targets.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#ifdef SCOW_HAVE_ZLIB
#include <zlib.h>
#endif

#include "planner/base/array.h"

enum { PIECE_SIZE = 1 << 16 };

/* Reading the file, piece by piece. */
struct reading {
    const struct scow_host *host;
    const char *path;
    enum { LINE_START, HEADER_NAME, HEADER_REST, LETTERS } place;
    int64_t line; /* from 1 */
    bool dna;
    int64_t count; /* sequences so far */
    int64_t *places;
    size_t places_room;
    char (*names)[TARGET_NAME_SIZE];
    size_t names_room;
    int name_length;
    char *letters;
    size_t size, letters_room;
};

struct targets targets_view(const void *shared)
{
    struct targets targets = {.shared = shared};
    const int64_t count = targets.shared->targets;
    targets.places = (const int64_t *)(targets.shared + 1);
    targets.names = (const char *)(targets.places + count + 1);
    targets.letters = targets.names + count * TARGET_NAME_SIZE;
    return targets;
}

const char *targets_name(const struct targets *targets, int64_t target)
{
    return targets->names + target * TARGET_NAME_SIZE;
}

/* ---- what is refused ----------------------------------------------------------------------- */

static int refuse_memory(const struct reading *reading)
{
    return reading->host->fail(
        reading->host, "not enough memory for the library '%s': give a part of it", reading->path);
}

static int refuse_emptiness(const struct reading *reading)
{
    if (reading->count == 0)
        return reading->host->fail(reading->host,
                                   "the library '%s' has no sequences: name a FASTA file, in which "
                                   "a sequence begins with a line of '>' and its name",
                                   reading->path);
    return reading->host->fail(reading->host,
                               "sequence %" PRId64 " ('%s') of the library '%s' has no letters: "
                               "add them, or take its header away",
                               reading->count, reading->names[reading->count - 1], reading->path);
}

static int refuse_character(const struct reading *reading, unsigned char c)
{
    char shown[16];
    snprintf(shown, sizeof shown, c > ' ' && c < 127 ? "'%c'" : "byte 0x%02x", c);
    return reading->host->fail(reading->host,
                               "line %" PRId64 " of the library '%s' has %s%s: name a FASTA file, "
                               "in which a sequence is a line of '>' and its name, and then lines "
                               "of A to Z, a to z, '*' and '-'",
                               reading->line, reading->path, shown,
                               reading->count == 0 ? " before the first header" : "");
}

/* ---- sequences ----------------------------------------------------------------------------- */

static bool is_letter(unsigned char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '*' || c == '-';
}

static bool is_space(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Has the last sequence letters? */
static bool is_whole(const struct reading *reading)
{
    return reading->count > 0 && reading->places[reading->count - 1] < (int64_t)reading->size;
}

static int sequence_begin(struct reading *reading)
{
    if (reading->count > 0 && !is_whole(reading))
        return refuse_emptiness(reading);
    int64_t *places = array_reserve(reading->places, &reading->places_room,
                                    (size_t)reading->count + 2, sizeof *places);
    if (!places)
        return refuse_memory(reading);
    reading->places = places;
    char(*names)[TARGET_NAME_SIZE] = array_reserve(reading->names, &reading->names_room,
                                                   (size_t)reading->count + 1, sizeof *names);
    if (!names)
        return refuse_memory(reading);
    reading->names = names;
    memset(names[reading->count], 0, sizeof *names);
    places[reading->count++] = (int64_t)reading->size;
    reading->place = HEADER_NAME;
    reading->name_length = 0;
    return SCOW_OK;
}

/* The header's first word, as far as there is room. */
static void header_take(struct reading *reading, char c)
{
    char *name = reading->names[reading->count - 1];
    if (c == '\n')
        reading->place = LINE_START;
    else if (reading->place == HEADER_NAME && (c == ' ' || c == '\t' || c == '\r'))
        reading->place = HEADER_REST;
    else if (reading->place == HEADER_NAME && reading->name_length < TARGET_NAME_SIZE - 1)
        name[reading->name_length++] = c > ' ' && c <= '~' ? c : '?';
}

static int letter_take(struct reading *reading, char c)
{
    char *letters = array_reserve(reading->letters, &reading->letters_room, reading->size + 1, 1);
    if (!letters)
        return refuse_memory(reading);
    reading->letters = letters;
    letters[reading->size++] = c;
    reading->dna = reading->dna && strchr("ACGTUNacgtun", c) != NULL;
    return SCOW_OK;
}

static int character_take(struct reading *reading, char c)
{
    const bool at_start = reading->place == LINE_START;
    int status = SCOW_OK;
    if (reading->place == HEADER_NAME || reading->place == HEADER_REST) {
        header_take(reading, c);
    } else if (c == '>' && at_start) {
        status = sequence_begin(reading);
    } else if (is_letter((unsigned char)c) && reading->count > 0) {
        reading->place = LETTERS;
        status = letter_take(reading, c);
    } else if (is_space((unsigned char)c)) {
        reading->place = c == '\n' ? LINE_START : LETTERS;
    } else {
        status = refuse_character(reading, (unsigned char)c);
    }
    reading->line += c == '\n';
    return status;
}

static int piece_take(struct reading *reading, const char *bytes, size_t size)
{
    int status = SCOW_OK;
    for (size_t i = 0; i < size && status == SCOW_OK; i++)
        status = character_take(reading, bytes[i]);
    return status;
}

/* ---- the file ------------------------------------------------------------------------------ */

static int refuse_reading(const struct reading *reading, const char *why)
{
    return reading->host->fail(reading->host, "the library '%s' cannot be read: %s", reading->path,
                               why);
}

#ifdef SCOW_HAVE_ZLIB

/* Plain text, too. */
static int file_read(struct reading *reading, char *piece)
{
    gzFile file = gzopen(reading->path, "rb");
    if (!file)
        return errno ? refuse_reading(reading, strerror(errno)) : refuse_memory(reading);
    int status = SCOW_OK, size, code;
    while (status == SCOW_OK && (size = gzread(file, piece, PIECE_SIZE)) > 0)
        status = piece_take(reading, piece, (size_t)size);
    const char *why = gzerror(file, &code);
    if (status == SCOW_OK && code != Z_OK && code != Z_STREAM_END)
        status = refuse_reading(reading, code == Z_ERRNO       ? strerror(errno)
                                         : code == Z_BUF_ERROR ? "its compressed data end too soon"
                                                               : why);
    gzclose(file);
    return status;
}

#else

static int file_read(struct reading *reading, char *piece)
{
    FILE *file = fopen(reading->path, "rb");
    if (!file)
        return refuse_reading(reading, strerror(errno));
    int status = SCOW_OK;
    size_t size;
    while (status == SCOW_OK && (size = fread(piece, 1, PIECE_SIZE, file)) > 0)
        status = piece_take(reading, piece, size);
    if (status == SCOW_OK && ferror(file))
        status = refuse_reading(reading, strerror(errno));
    fclose(file);
    return status;
}

#endif

/* ---- for all ranks ------------------------------------------------------------------------- */

static int shared_make(const struct reading *reading, void **bytes, size_t *size)
{
    const size_t count = (size_t)reading->count, places = (count + 1) * sizeof(int64_t);
    const size_t names = count * TARGET_NAME_SIZE;
    struct targets_shared *shared = calloc(1, sizeof *shared + places + names + reading->size);
    if (!shared)
        return refuse_memory(reading);
    char *at = (char *)(shared + 1);
    reading->places[count] = (int64_t)reading->size;
    memcpy(at, reading->places, places);
    memcpy(at + places, reading->names, names);
    memcpy(at + places + names, reading->letters, reading->size);
    shared->targets = reading->count;
    shared->letters = (int64_t)reading->size;
    shared->dna = reading->dna;
    shared->digest = XXH3_64bits(at, places + names + reading->size);
    *bytes = shared;
    *size = sizeof *shared + places + names + reading->size;
    return SCOW_OK;
}

int targets_read(const struct scow_host *host, const char *path, void **bytes, size_t *size)
{
    struct reading reading = {.host = host, .path = path, .line = 1, .dna = true};
    char *piece = malloc(PIECE_SIZE);
    errno = 0;
    int status = piece ? file_read(&reading, piece) : refuse_memory(&reading);
    if (status == SCOW_OK && !is_whole(&reading))
        status = refuse_emptiness(&reading);
    if (status == SCOW_OK)
        status = shared_make(&reading, bytes, size);
    free(piece);
    free(reading.places);
    free(reading.names);
    free(reading.letters);
    return status;
}
