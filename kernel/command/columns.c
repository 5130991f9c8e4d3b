#include "kernel/command/columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which format ---- */

static bool name_ends(const char *name, size_t size, const char *ending)
{
    const size_t length = strlen(ending);
    return size > length && memcmp(name + size - length, ending, length) == 0;
}

static enum columns_format format_guess(const char *name)
{
    size_t size = name ? strlen(name) : 0;
    if (name_ends(name, size, ".gz"))
        size -= 3;
    else if (name_ends(name, size, ".zst"))
        size -= 4;
    if (name_ends(name, size, ".csv"))
        return COLUMNS_CSV;
    if (name_ends(name, size, ".jsonl") || name_ends(name, size, ".ndjson"))
        return COLUMNS_JSON;
    return COLUMNS_TSV;
}

/* 0: it is none. */
static char separator_parse(const char *text)
{
    static const struct {
        const char *name;
        char separator;
    } words[] = {{"tab", '\t'},      {"\\t", '\t'},  {"comma", ','},
                 {"semicolon", ';'}, {"space", ' '}, {"pipe", '|'}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i].name) == 0)
            return words[i].separator;
    return text[0] && !text[1] && !strchr("\"\r\n", text[0]) ? text[0] : '\0';
}

const char *columns_init(struct columns *columns, enum columns_format format, const char *separator,
                         const char *input)
{
    *columns = (struct columns){.separator = '\t'};
    if (format == COLUMNS_AUTO)
        format = separator ? COLUMNS_TEXT : format_guess(input);
    columns->json = format == COLUMNS_JSON;
    if (format == COLUMNS_CSV)
        columns->separator = ',';
    if (separator && columns->json)
        return "is for separated fields, and lines are JSON objects";
    if (separator)
        columns->separator = separator_parse(separator);
    columns->quoted = columns->separator != '\t';
    return columns->separator ? NULL
                              : "must be one character, or tab, comma, semicolon, space or pipe";
}

void columns_release(struct columns *columns)
{
    free(columns->names);
    *columns = (struct columns){0};
}

/* ---- fields ---- */

/* As it stands in the line. */
struct field {
    const char *at;
    size_t size;
    bool quoted; /* without its outer quotes; two of them within are one */
};

/* The closing quote, from behind the opening one; NULL: there is none. */
static const char *quote_find(const char *at, const char *end)
{
    while ((at = memchr(at, '"', (size_t)(end - at))) && at + 1 < end && at[1] == '"')
        at += 2;
    return at;
}

/* The next field; *at moves behind its separator, or becomes NULL after the last field. False: its
 * quotes are not as RFC 4180 has them, and the field is taken as it stands. */
static bool field_next(const struct columns *columns, const char **at, const char *end,
                       struct field *field)
{
    const char *start = *at;
    const bool quoted = columns->quoted && start < end && *start == '"';
    const char *close = quoted ? quote_find(start + 1, end) : NULL;
    const bool good = !quoted || (close && (close + 1 == end || close[1] == columns->separator));
    const char *stop =
        quoted && good ? close + 1 : memchr(start, columns->separator, (size_t)(end - start));
    if (stop == NULL || stop == end) {
        stop = end;
        *at = NULL;
    } else {
        *at = stop + 1;
    }
    *field = (struct field){start, (size_t)(stop - start), quoted && good};
    if (field->quoted) {
        field->at++;
        field->size -= 2;
    }
    return good && (field->quoted || !columns->quoted || !memchr(start, '"', field->size));
}

static size_t field_write(const struct field *field, char *to)
{
    if (!field->quoted) {
        memcpy(to, field->at, field->size);
        return field->size;
    }
    size_t used = 0;
    for (size_t i = 0; i < field->size; i++) {
        to[used++] = field->at[i];
        i += field->at[i] == '"';
    }
    return used;
}

int64_t columns_count(const struct columns *columns, const char *line, size_t size)
{
    struct field field;
    int64_t count = 0;
    if (columns->json)
        return columns->name_count;
    for (const char *at = line; at; count++)
        field_next(columns, &at, line + size, &field);
    return count;
}

bool columns_check(const struct columns *columns, const char *line, size_t size,
                   char why[COLUMNS_WHY_SIZE])
{
    struct field field;
    int64_t count = 0;
    if (columns->json)
        return json_check(line, size, why);
    for (const char *at = line; at;) {
        count++;
        if (field_next(columns, &at, line + size, &field))
            continue;
        snprintf(why, COLUMNS_WHY_SIZE,
                 "has a quote inside field %" PRId64
                 ": put the whole field in quotes, and double the quotes in it (RFC 4180)",
                 count);
        return false;
    }
    return true;
}

bool columns_value(const struct columns *columns, const char *line, size_t size, int64_t column,
                   char *to, size_t *written)
{
    struct field field;
    *written = 0;
    if (columns->json) {
        const char *name = columns_at(columns, column);
        return name && json_value(line, size, name, to, written);
    }
    const char *at = line;
    if (column < 1)
        return false;
    for (int64_t i = 0; i < column; i++) {
        if (!at)
            return false;
        field_next(columns, &at, line + size, &field);
    }
    *written = field_write(&field, to);
    return true;
}

size_t columns_value_most(const struct columns *columns, size_t line_size)
{
    return columns->json ? json_value_most(line_size) : line_size;
}

/* ---- names ---- */

int64_t columns_find(const struct columns *columns, const char *name, size_t size)
{
    const char *at = columns->names;
    for (int64_t i = 1; i <= columns->name_count; i++, at += strlen(at) + 1)
        if (strlen(at) == size && memcmp(at, name, size) == 0)
            return i;
    return 0;
}

const char *columns_at(const struct columns *columns, int64_t column)
{
    const char *at = columns->names;
    if (column < 1 || column > columns->name_count)
        return NULL;
    while (--column > 0)
        at += strlen(at) + 1;
    return at;
}

static bool why_say(char why[COLUMNS_WHY_SIZE], const char *text)
{
    snprintf(why, COLUMNS_WHY_SIZE, "%s", text);
    return false;
}

/* Every field of the header, with its final zero. */
static bool header_names(struct columns *columns, const char *line, size_t size,
                         char why[COLUMNS_WHY_SIZE])
{
    static const char mark[] = "\xef\xbb\xbf"; /* that some programs put before a text */
    if (size >= 3 && memcmp(line, mark, 3) == 0) {
        line += 3;
        size -= 3;
    }
    if (!columns_check(columns, line, size, why))
        return false;
    columns->names = malloc(2 * size + 2);
    if (!columns->names)
        return why_say(why, "needs more memory than there is");
    struct field field;
    for (const char *at = line; at;) {
        field_next(columns, &at, line + size, &field);
        char *const name = columns->names + columns->names_size;
        const size_t used = field_write(&field, name);
        if (used > 0 && columns_find(columns, name, used) > 0) {
            snprintf(why, COLUMNS_WHY_SIZE, "names '%.*s' twice", (int)(used < 60 ? used : 60),
                     name);
            return false;
        }
        name[used] = '\0';
        columns->names_size += used + 1;
        columns->name_count++;
    }
    return true;
}

static void names_count(struct columns *columns)
{
    columns->name_count = 0;
    for (size_t i = 0; i < columns->names_size; i++)
        columns->name_count += columns->names[i] == '\0';
}

bool columns_name(struct columns *columns, const char *line, size_t size,
                  char why[COLUMNS_WHY_SIZE])
{
    if (!columns->json)
        return header_names(columns, line, size, why);
    if (!json_names(line, size, &columns->names, &columns->names_size, why))
        return false;
    names_count(columns);
    return true;
}

bool columns_copy(struct columns *columns, const char *names, size_t size)
{
    if (size == 0)
        return true;
    columns->names = names[size - 1] == '\0' ? malloc(size) : NULL;
    if (!columns->names)
        return false;
    memcpy(columns->names, names, size);
    columns->names_size = size;
    names_count(columns);
    return true;
}
