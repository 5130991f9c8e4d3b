#include "spmd/layout/emitted.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY /* needed to have its states on the stack */
#include <xxhash.h>

#include "spmd/layout/layout.h"
#include "spmd/layout/transfer.h"

/* Files that are open at a time: the one of rank R in entry R modulo OPEN_MOST. */
enum { OPEN_MOST = 64, PIECE_BYTES = 1 << 16 };

struct emitted {
    char *base;   /* owned; the FILE of FILE.1, FILE.2, ... */
    char *beside; /* owned; the same in the output's folder */
    char *name;   /* owned; room for the name of one of them */
    size_t room;
    struct {
        int rank, file; /* rank 0: nothing is open */
    } open[OPEN_MOST];
};

static bool names_make(struct emitted *emitted, const char *path)
{
    if (!emitted->base)
        return false;
    const char *slash = strrchr(path, '/'), *last = strrchr(emitted->base, '/');
    emitted->room = strlen(path) + strlen(emitted->base) + 32;
    emitted->beside = malloc(emitted->room);
    emitted->name = malloc(emitted->room);
    if (!emitted->beside || !emitted->name)
        return false;
    snprintf(emitted->beside, emitted->room, "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path,
             last ? last + 1 : emitted->base);
    return true;
}

struct emitted *emitted_open(const char *base, const char *path, struct failure *failure)
{
    struct emitted *emitted = calloc(1, sizeof *emitted);
    if (emitted)
        emitted->base = strdup(base);
    if (!emitted || !names_make(emitted, path)) {
        failure_memory(failure, "reading what core tasks emitted");
        emitted_close(&emitted);
    }
    return emitted;
}

static int rank_open(struct emitted *emitted, int rank)
{
    const char *const places[] = {emitted->base, emitted->beside};
    int file = -1;
    for (int k = 0; k < 2 && file < 0; k++) {
        snprintf(emitted->name, emitted->room, "%s.%d", places[k], rank);
        file = open(emitted->name, O_RDONLY | O_CLOEXEC);
    }
    return file;
}

/* Negative: it cannot be opened. */
static int rank_file(struct emitted *emitted, int rank)
{
    const size_t place = (size_t)rank % OPEN_MOST;
    if (emitted->open[place].rank == rank)
        return emitted->open[place].file;
    if (emitted->open[place].rank != 0)
        close(emitted->open[place].file);
    emitted->open[place].file = rank_open(emitted, rank);
    emitted->open[place].rank = emitted->open[place].file >= 0 ? rank : 0;
    return emitted->open[place].file;
}

bool emitted_read(struct emitted *emitted, const struct layout_emitted *where, int64_t at,
                  char *bytes, size_t size, struct failure *failure)
{
    const int file = where->rank > 0 ? rank_file(emitted, where->rank) : -1;
    return (file >= 0 && transfer_read(file, bytes, (int64_t)size, where->place + at)) ||
           failure_set(failure, FAILURE_MISMATCH,
                       "%s.%d: does not hold what the run's output says: is it the file of this "
                       "run?",
                       emitted->base, (int)where->rank);
}

bool emitted_is_within(struct emitted *emitted, const struct layout_emitted *where)
{
    struct stat status;
    if (where->size == 0)
        return true;
    const int file = where->rank > 0 ? rank_file(emitted, where->rank) : -1;
    return file >= 0 && fstat(file, &status) == 0 && where->size > 0 && where->place >= 0 &&
           where->size <= status.st_size && where->place <= status.st_size - where->size;
}

bool emitted_digest(struct emitted *emitted, const struct layout_emitted *where, uint64_t *digest)
{
    char piece[PIECE_BYTES];
    XXH3_state_t state;
    bool good = emitted_is_within(emitted, where);
    XXH3_64bits_reset_withSeed(&state, *digest);
    for (int64_t at = 0; good && at < where->size; at += PIECE_BYTES) {
        const int64_t rest = where->size - at, size = rest < PIECE_BYTES ? rest : PIECE_BYTES;
        good = transfer_read(rank_file(emitted, where->rank), piece, size, where->place + at);
        XXH3_64bits_update(&state, piece, good ? (size_t)size : 0);
    }
    *digest = XXH3_64bits_digest(&state);
    return good;
}

static int rank_most(const struct layout_emitted *rows, int64_t count)
{
    int most = 0;
    for (int64_t k = 0; k < count; k++)
        most = rows[k].size > 0 && rows[k].rank > most ? (int)rows[k].rank : most;
    return most;
}

/* Flushes each of their files once. */
bool emitted_flush(struct emitted *emitted, const struct layout_emitted *rows, int64_t count,
                   struct failure *failure)
{
    bool *flushed = calloc((size_t)rank_most(rows, count) + 1, sizeof *flushed);
    bool good = true;
    if (!flushed)
        return failure_memory(failure, "keeping what core tasks emitted");
    for (int64_t k = 0; good && k < count; k++) {
        const int rank = rows[k].size > 0 ? (int)rows[k].rank : 0;
        if (rank <= 0 || flushed[rank])
            continue;
        const int file = rank_file(emitted, rank);
        flushed[rank] = true;
        good = (file >= 0 && fsync(file) == 0) ||
               failure_set(failure, FAILURE_FAILED,
                           "%s.%d: could not be written: is the disk full?", emitted->base, rank);
    }
    free(flushed);
    return good;
}

void emitted_close(struct emitted **emitted)
{
    struct emitted *gone = *emitted;
    if (!gone)
        return;
    for (int k = 0; k < OPEN_MOST; k++)
        if (gone->open[k].rank != 0)
            close(gone->open[k].file);
    free(gone->base);
    free(gone->beside);
    free(gone->name);
    free(gone);
    *emitted = NULL;
}
