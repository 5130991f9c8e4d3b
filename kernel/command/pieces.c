#include <string.h>

#include "kernel/command/command.h"

bool command_piece_next(const void *emitted, size_t size, size_t *at, struct command_piece *piece)
{
    unsigned char header[COMMAND_HEADER_SIZE];
    if (*at > size || size - *at < sizeof header)
        return false;
    memcpy(header, (const char *)emitted + *at, sizeof header);
    const size_t length = (size_t)header[4] | (size_t)header[5] << 8 | (size_t)header[6] << 16 |
                          (size_t)header[7] << 24;
    const bool known = header[0] == COMMAND_STDOUT || header[0] == COMMAND_STDERR;
    if (!known || header[1] != 0 || size - *at - sizeof header < length)
        return false;
    *piece = (struct command_piece){.stream = header[0],
                                    .attempt = header[2] | header[3] << 8,
                                    .bytes = (const char *)emitted + *at + sizeof header,
                                    .size = length};
    *at += sizeof header + length;
    return true;
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
