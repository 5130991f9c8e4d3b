#include <string.h>

#include "kernel/command/command.h"

/* Bytes of the piece behind this header. False: it is none. */
static bool header_read(const unsigned char header[COMMAND_HEADER_SIZE], size_t *length)
{
    const bool known = header[0] == COMMAND_STDOUT || header[0] == COMMAND_STDERR;
    *length = (size_t)header[4] | (size_t)header[5] << 8 | (size_t)header[6] << 16 |
              (size_t)header[7] << 24;
    return known && header[1] == 0;
}

bool command_piece_next(const void *emitted, size_t size, size_t *at, struct command_piece *piece)
{
    unsigned char header[COMMAND_HEADER_SIZE];
    size_t length;
    if (*at > size || size - *at < sizeof header)
        return false;
    memcpy(header, (const char *)emitted + *at, sizeof header);
    if (!header_read(header, &length) || size - *at - sizeof header < length)
        return false;
    *piece = (struct command_piece){.stream = header[0],
                                    .attempt = header[2] | header[3] << 8,
                                    .bytes = (const char *)emitted + *at + sizeof header,
                                    .size = length};
    *at += sizeof header + length;
    return true;
}

/* The header of the next piece, as much of it as there is. */
static void header_take(struct command_filter *filter, const char *bytes, size_t size, size_t *at)
{
    while (filter->have < COMMAND_HEADER_SIZE && *at < size)
        filter->header[filter->have++] = (unsigned char)bytes[(*at)++];
    if (filter->have == COMMAND_HEADER_SIZE)
        filter->damaged = !header_read(filter->header, &filter->left);
}

bool command_filter_next(struct command_filter *filter, const char *bytes, size_t size, size_t *at,
                         const char **part, size_t *part_size)
{
    while (*at < size && !filter->damaged) {
        if (filter->have < COMMAND_HEADER_SIZE) {
            header_take(filter, bytes, size, at);
            continue;
        }
        const size_t length = filter->left < size - *at ? filter->left : size - *at;
        const int attempt = filter->header[2] | filter->header[3] << 8;
        *part = bytes + *at;
        *part_size = length;
        *at += length;
        filter->left -= length;
        if (filter->left == 0)
            filter->have = 0;
        if (length > 0 && filter->header[0] == filter->stream && attempt == filter->attempt)
            return true;
    }
    return false;
}

int command_attempts(const void *emitted, size_t size)
{
    int attempts = 0;
    struct command_piece piece;
    for (size_t at = 0; command_piece_next(emitted, size, &at, &piece);)
        if (piece.attempt > attempts)
            attempts = piece.attempt;
    return attempts;
}

/* Bytes as they are; what does not fit only counts. */
static size_t text_put(char *text, size_t room, size_t at, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (at + i + 1 < room)
            text[at + i] = bytes[i] ? bytes[i] : '?';
    return at + size;
}

/* Of the last attempt, the pieces of one stream one after the other. */
static size_t stream_render(const void *emitted, size_t size, int stream, char *text, size_t room,
                            size_t used)
{
    const int last = command_attempts(emitted, size);
    struct command_piece piece;
    for (size_t at = 0; command_piece_next(emitted, size, &at, &piece);)
        if (piece.stream == stream && piece.attempt == last)
            used = text_put(text, room, used, piece.bytes, piece.size);
    return used;
}

size_t command_render(const void *emitted, size_t size, char *text, size_t room)
{
    static const char heading[] = "--- standard error ---\n";
    size_t used = stream_render(emitted, size, COMMAND_STDOUT, text, room, 0);
    const size_t errors = stream_render(emitted, size, COMMAND_STDERR, NULL, 0, 0);
    if (errors > 0) {
        used = text_put(text, room, used, heading, sizeof heading - 1);
        used = stream_render(emitted, size, COMMAND_STDERR, text, room, used);
    }
    if (room > 0)
        text[used < room ? used : room - 1] = '\0';
    return used;
}
