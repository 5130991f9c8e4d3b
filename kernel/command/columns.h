/*
 * How a line is divided into columns: at tabs; at another separator, where a field may stand in
 * quotes (RFC 4180); or by the keys of a JSON object (RFC 8259). Columns are counted from 1, and
 * have names where a header, or the first object, gives some.
 */
#ifndef KERNEL_COMMAND_COLUMNS_H
#define KERNEL_COMMAND_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum columns_format { COLUMNS_AUTO, COLUMNS_TEXT, COLUMNS_CSV, COLUMNS_TSV, COLUMNS_JSON };

enum { COLUMNS_WHY_SIZE = 200 };

struct columns {
    bool json, quoted;
    char separator;
    char *names; /* owned: one behind the other, each with a final zero */
    size_t names_size;
    int64_t name_count;
};

/* `separator`: a character, or tab, comma, semicolon, space, pipe; NULL: as the format has it.
 * COLUMNS_AUTO: as the ending of the input's name says (.csv, .tsv, .jsonl, .ndjson, perhaps with
 * .gz or .zst behind), else text. NULL, or what is wrong with the separator, as a sentence's end;
 * static. */
const char *columns_init(struct columns *columns, enum columns_format format, const char *separator,
                         const char *input);
void columns_release(struct columns *columns);

/* Take names from a header, or from the first object, whose inner objects' keys follow a dot. False
 * with `why` printed. */
bool columns_name(struct columns *columns, const char *line, size_t size,
                  char why[COLUMNS_WHY_SIZE]);
/* The names of another one, as its `names` has them. False: out of memory, or they are none. */
bool columns_copy(struct columns *columns, const char *names, size_t size);
/* Column of that name; 0: there is none. */
int64_t columns_find(const struct columns *columns, const char *name, size_t size);
/* Name of a column; NULL: it has none. */
const char *columns_at(const struct columns *columns, int64_t column);

/* Is the line valid in this format? False with `why`, the end of a sentence. */
bool columns_check(const struct columns *columns, const char *line, size_t size,
                   char why[COLUMNS_WHY_SIZE]);
/* Number of columns of a line; of an object, the number of names. */
int64_t columns_count(const struct columns *columns, const char *line, size_t size);
/* Write the value of a column, without quotes, without a final zero: numbers, true, false and null
 * of JSON as JSON has them, objects and arrays as JSON texts. False: the line has no such column.
 */
bool columns_value(const struct columns *columns, const char *line, size_t size, int64_t column,
                   char *to, size_t *written);
/* Bytes that a value takes at most, of a line of at most that many. */
size_t columns_value_most(const struct columns *columns, size_t line_size);

/* ---- json.c: the same of JSON objects ---- */

/* False with `why` printed. `names` is owned by the caller; in order, without doubles. */
bool json_names(const char *line, size_t size, char **names, size_t *names_size,
                char why[COLUMNS_WHY_SIZE]);
bool json_check(const char *line, size_t size, char why[COLUMNS_WHY_SIZE]);
bool json_value(const char *line, size_t size, const char *name, char *to, size_t *written);
size_t json_value_most(size_t line_size);

#endif
