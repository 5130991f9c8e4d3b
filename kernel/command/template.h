/*
 * What to run, with places for a line: {} the line, {#} its number from 1, {1} {2} ... its fields,
 * which tabs separate.
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

enum { TEMPLATE_FIELDS_MOST = 9999 };

enum template_kind { TEMPLATE_TEXT, TEMPLATE_LINE, TEMPLATE_NUMBER, TEMPLATE_FIELD, TEMPLATE_END };

/* A place in a text; of kind TEMPLATE_TEXT: none. */
struct template_place {
    enum template_kind kind;
    size_t size;   /* characters */
    int64_t field; /* of {N}; TEMPLATE_FIELDS_MOST + 1: too large */
};

struct template_part; /* a text, a place, or a word's end */

struct template
{
    struct template_part *parts; /* owned */
    char *text;                  /* owned: of the parts */
    size_t part_count, text_size;
    int words;
    bool shell;
    bool places;        /* there is one */
    int64_t field_most; /* the greatest {N}; 0: none */
};

/* NULL, or what is wrong, as a sentence without its subject ("is empty"), which is static. */
const char *template_parse(struct template *template, const char *text);
void template_release(struct template *template);
/* The program's name, where it is the same for all lines, cut to `size` bytes; else false. */
bool template_program(const struct template *template, char *name, size_t size);
/* Bytes that printing takes at most, for lines of at most that many bytes. */
size_t template_size_most(const struct template *template, size_t line_size);
/* Write the words for a line, each with a final zero; returns how many bytes they are. The line has
 * at least field_most fields and no zeros. */
size_t template_print(const struct template *template, const char *line, size_t size,
                      int64_t number, char *words);

/* The place that begins at `at`. */
struct template_place template_place(const char *at);
/* Field number `field`, from 1; *size its bytes. NULL: the line has fewer. */
const char *template_field(const char *line, size_t line_size, int64_t field, size_t *size);
/* Fields of a line: one more than its tabs. */
int64_t template_fields(const char *line, size_t size);

#endif
