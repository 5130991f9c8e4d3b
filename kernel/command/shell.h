/*
 * How a POSIX shell reads a text (IEEE Std 1003.1-2017, volume XCU, 2.2 and 2.6.3), as far as it
 * takes to know which of its characters are quoted, and whether a shell is needed at all.
 */
#ifndef KERNEL_COMMAND_SHELL_H
#define KERNEL_COMMAND_SHELL_H

#include <stdbool.h>
#include <stddef.h>

enum shell_place {
    SHELL_PLAIN,
    SHELL_SINGLE, /* quotes */
    SHELL_DOUBLE,
    SHELL_COMMENT,
    SHELL_PARENTHESIS, /* ( ), $( ) */
    SHELL_BACKQUOTE,
    SHELL_BRACE /* ${ } */
};

enum { SHELL_DEPTH_MOST = 64 };

struct shell_reader {
    enum shell_place places[SHELL_DEPTH_MOST]; /* one within the other */
    int depth;
    bool in_word;
    bool special;  /* something was read that only a shell understands */
    bool document; /* a here-document was begun, whose quotes are none */
};

void shell_init(struct shell_reader *reader);
/* Read what begins at `at`, which is not at its end: how many characters belong together, 1 or 2.
 */
size_t shell_read(struct shell_reader *reader, const char *at);
/* Where the next character stands. */
enum shell_place shell_place(const struct shell_reader *reader);
/* No quote is open. */
bool shell_closed(const struct shell_reader *reader);
/* As the first word of a command it means something to a shell alone: a reserved word, a built-in
 * that is no program, an assignment. */
bool shell_owns(const char *word, size_t size);

#endif
