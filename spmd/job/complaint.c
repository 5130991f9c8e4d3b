#include "spmd/job/complaint.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/command/command.h"
#include "kernel/command/kept.h"

enum { LINES_MOST = 5 };

/* All that the core task emitted, one piece after the other; owned. NULL: nothing, or out of
 * memory. */
static char *emitted_of(const struct emissions *emissions, int64_t task, size_t *size)
{
    char *bytes = NULL;
    *size = 0;
    for (size_t i = 0; i < emissions->count; i++)
        *size += emissions->items[i].task == task ? emissions->items[i].size : 0;
    bytes = *size > 0 ? malloc(*size) : NULL;
    *size = 0;
    for (size_t i = 0; bytes && i < emissions->count; i++) {
        const struct emission *item = &emissions->items[i];
        if (item->task != task || item->size == 0)
            continue;
        memcpy(bytes + *size, emissions->bytes + item->offset, item->size);
        *size += item->size;
    }
    return bytes;
}

/* Copies one stream of a command's last attempt, cut to `room`; returns how many bytes. */
static size_t stream_take(const char *emitted, size_t size, int stream, char *text, size_t room)
{
    const int attempts = command_attempts(emitted, size);
    struct command_piece piece;
    size_t used = 0;
    for (size_t at = 0; command_piece_next(emitted, size, &at, &piece);) {
        const size_t part = piece.size < room - used ? piece.size : room - used;
        if (piece.stream != stream || piece.attempt != attempts)
            continue;
        memcpy(text + used, piece.bytes, part);
        used += part;
    }
    return used;
}

/* How many of these bytes the first lines are. */
static size_t lines_size(const char *text, size_t size)
{
    int lines = 0;
    for (size_t at = 0; at < size; at++)
        if (text[at] == '\n' && ++lines == LINES_MOST)
            return at;
    return size;
}

void complaint_find(const struct job *job, const struct package_results *results, int64_t task,
                    char *text, size_t room)
{
    size_t size, used = 0;
    char *emitted = emitted_of(&results->emissions, task, &size);
    memset(text, 0, room);
    if (!emitted)
        return;
    if (job->task == &command_task) {
        used = stream_take(emitted, size, COMMAND_STDERR, text, room - 1);
        if (used == 0)
            used = stream_take(emitted, size, COMMAND_STDOUT, text, room - 1);
    } else if (job->task->render) {
        const size_t whole = job->task->render(emitted, size, text, room);
        used = whole < room - 1 ? whole : room - 1;
    } else {
        used = size < room - 1 ? size : room - 1;
        memcpy(text, emitted, used);
    }
    free(emitted);
    kept_clean(text, lines_size(text, used), room, used == room - 1);
}
