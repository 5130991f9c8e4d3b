/*
 * What to run, with places for a line: {} the line, {#} its number from 1, {1} {2} ... its columns,
 * {name} a column by its name; and of each but the number {.} without its ending, {/} without its
 * folders, {//} its folder, {/.} without both ({1.}, {name/}, ...), as GNU parallel has them.
 *
 * Braces around one word without white space, quotes and shell characters that is no place are
 * refused; all other braces are text. {{word}} is the text {word}, also where {word} would be a
 * place.
 *
 * A text without anything that a shell must understand is cut into words once; a place is then a
 * part of one word, whatever the line holds. Any other text goes to /bin/sh -c, and a place becomes
 * a reference to one of the shell's parameters ("${1}", or what means that within quotes): a shell
 * never reads a line as its own language. ${1}, ${#} and the like stay the shell's, and \{} is {}.
 */
#ifndef KERNEL_COMMAND_TEMPLATE_H
#define KERNEL_COMMAND_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/command/columns.h"

enum { TEMPLATE_FIELDS_MOST = 9999, TEMPLATE_WHY_SIZE = 300 };

enum template_kind {
    TEMPLATE_TEXT,
    TEMPLATE_LINE,
    TEMPLATE_NUMBER,
    TEMPLATE_FIELD,
    TEMPLATE_END,
    TEMPLATE_LITERAL, /* {{word}} */
    TEMPLATE_UNKNOWN  /* {word} that is no place */
};

/* What is taken of a value, as of a file's name. */
enum template_part_of {
    TEMPLATE_WHOLE,
    TEMPLATE_STEM,   /* {.}: without its ending */
    TEMPLATE_BASE,   /* {/}: after its last slash */
    TEMPLATE_FOLDER, /* {//}: before it */
    TEMPLATE_BASE_STEM
};

/* A place in a text; of kind TEMPLATE_TEXT: none. */
struct template_place {
    enum template_kind kind;
    enum template_part_of part;
    size_t size;   /* characters */
    int64_t field; /* of {N} and {name}; TEMPLATE_FIELDS_MOST + 1: too large */
};

struct template_part; /* a text, a place, or a word's end */

struct template
{
    struct template_part *parts; /* owned */
    char *text;                  /* owned: of the parts */
    size_t part_count, text_size;
    int words;
    bool shell;
    bool places;                   /* there is one */
    int64_t field_most;            /* the greatest {N} or {name}; 0: none */
    const struct columns *columns; /* borrowed */
    char why[TEMPLATE_WHY_SIZE];
};

/* `wrap`: words that stand before the program; NULL: none. NULL, or what is wrong, as a sentence
 * without its subject ("is empty"), which is static or the template's. The columns are borrowed
 * until the template is released. */
const char *template_parse(struct template *template, const char *text, const char *wrap,
                           const struct columns *columns);
void template_release(struct template *template);
/* The words of a text without places and without need of a shell, each with a final zero; owned.
 * NULL: *why, static, says what is wrong. */
char *template_words(const char *text, size_t *size, int *count, const char **why);
/* The program's name, where it is the same for all lines, cut to `size` bytes; else false. */
bool template_program(const struct template *template, char *name, size_t size);
/* Bytes that printing takes at most, for lines of at most that many bytes. */
size_t template_size_most(const struct template *template, size_t line_size);
/* Write the words for a line, each with a final zero; returns how many bytes they are. The line has
 * at least field_most columns and no zeros. */
size_t template_print(const struct template *template, const char *line, size_t size,
                      int64_t number, char *words);

/* The first column that the template asks for and the line has not; 0: it has all. */
int64_t template_missing(const struct template *template, const char *line, size_t size);

/* The place that begins at `at`, a place in `text`. */
struct template_place template_place(const char *text, const char *at,
                                     const struct columns *columns);
/* What a place stands for in a line, into `to`, which has room for template_value_most. Returns its
 * bytes. */
size_t template_value(const struct columns *columns, const struct template_place *place,
                      const char *line, size_t size, int64_t number, char *to);
size_t template_value_most(const struct columns *columns, size_t line_size);

#endif
