/*
 * The core task `command`: any program over the lines of a file, a command for a line. Ways to run
 * it (--per): a process for every line; one for a package, or a long-lived one for a worker, which
 * read lines on standard input and answer each with a line on standard output.
 */
#ifndef KERNEL_COMMAND_COMMAND_H
#define KERNEL_COMMAND_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/command/columns.h"
#include "kernel/scow.h"

extern const struct scow_task command_task;

/* Fork the small process that starts commands for this one. First thing in main, before MPI is
 * started; costs a fork of what main is then. Without it, or where it could not fork, the first
 * worker says so. */
void command_spawner_begin(void);

/* The command of line `number` (from 1) as one would type it into a shell, quoted where it must be;
 * `command` is the parameter's text; NULL columns are fields between tabs. Writes at most `room`
 * bytes with a final zero, and returns how many there are without it, as snprintf does. */
size_t command_text(const char *command, const struct columns *columns, const char *line,
                    size_t size, int64_t number, char *text, size_t room);

enum command_stream { COMMAND_STDOUT = 1, COMMAND_STDERR = 2 };

/* What a task emits is pieces, each of a header of 8 bytes (stream, 0, attempt of two bytes, size
 * of four, the least byte first) and that many bytes, in the order in which they were read. Of a
 * task that was tried again, pieces of all attempts are there. */
struct command_piece {
    int stream;  /* enum command_stream */
    int attempt; /* from 1 */
    const char *bytes;
    size_t size;
};

enum { COMMAND_HEADER_SIZE = 8 };

/* The piece at *at, which moves past it; starts at 0. False at the end, where *at is `size`, or at
 * what is no piece. */
bool command_piece_next(const void *emitted, size_t size, size_t *at, struct command_piece *piece);
/* One stream of one attempt, out of what a task emitted, as it is read in parts of any size. */
struct command_filter {
    int stream, attempt;
    unsigned char header[COMMAND_HEADER_SIZE]; /* of the piece at hand */
    size_t have, left;                         /* bytes of the header; of the piece, to come */
    bool damaged;                              /* it is no piece: nothing more comes */
};
/* The next bytes of the stream in the part `bytes`, at or behind *at, which moves past them and
 * starts at 0 for each part. False: there are no more in it. */
bool command_filter_next(struct command_filter *filter, const char *bytes, size_t size, size_t *at,
                         const char **part, size_t *part_size);
/* The number of the last attempt, whose pieces are the result; 0: there are none. */
int command_attempts(const void *emitted, size_t size);
/* For scow_task.render: standard output of the last attempt, then standard error under a heading.
 */
size_t command_render(const void *emitted, size_t size, char *text, size_t room);

#endif
