/* Places in a command, and what they stand for. */
#include <stdio.h>
#include <string.h>

#include "kernel/command/template.h"

enum { BODY_MOST = 200, NUMBER_SIZE = 20 };

/* What a place in braces may be of, unless it is a column's name: no text of a shell, of awk or of
 * JSON looks like that by chance. */
static bool body_is_word(const char *body, size_t size)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "_.#/%+-@";
    for (size_t i = 0; i < size; i++)
        if (!((unsigned char)body[i] >= 0x80 || (body[i] && strchr(word, body[i]))))
            return false;
    return size > 0;
}

/* Bytes from behind `at`, which is an opening brace, to the next brace; -1: that is none that
 * closes. */
static int body_find(const char *at)
{
    const size_t size = strcspn(at + 1, "{}\n");
    return at[0] == '{' && size <= BODY_MOST && at[1 + size] == '}' ? (int)size : -1;
}

/* The end of a place's text that says which part is wanted; *size becomes what is before it. */
static enum template_part_of part_find(const char *body, size_t *size)
{
    static const struct {
        const char *end;
        enum template_part_of part;
    } ends[] = {{"//", TEMPLATE_FOLDER},
                {"/.", TEMPLATE_BASE_STEM},
                {"/", TEMPLATE_BASE},
                {".", TEMPLATE_STEM}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t length = strlen(ends[i].end);
        if (*size >= length && memcmp(body + *size - length, ends[i].end, length) == 0) {
            *size -= length;
            return ends[i].part;
        }
    }
    return TEMPLATE_WHOLE;
}

/* -1: it is no number. */
static int64_t number_read(const char *body, size_t size)
{
    int64_t number = 0;
    for (size_t i = 0; i < size; i++) {
        if (body[i] < '0' || body[i] > '9')
            return -1;
        if (number <= TEMPLATE_FIELDS_MOST)
            number = 10 * number + (body[i] - '0');
    }
    return size > 0 ? number : -1;
}

/* A column's whole name counts before all else. */
static struct template_place body_read(const char *body, size_t size, const struct columns *columns)
{
    const size_t whole = size + 2;
    struct template_place place = {.kind = TEMPLATE_FIELD, .size = whole};
    place.field = columns_find(columns, body, size);
    if (size == 0)
        return (struct template_place){.kind = TEMPLATE_LINE, .size = whole};
    if (place.field > 0)
        return place;
    if (size == 1 && *body == '#')
        return (struct template_place){.kind = TEMPLATE_NUMBER, .size = whole};
    place.part = part_find(body, &size);
    place.field = number_read(body, size);
    if (place.field < 0)
        place.field = columns_find(columns, body, size);
    else if (place.field == 0)
        place.field = -1;
    if (size == 0)
        return (struct template_place){TEMPLATE_LINE, place.part, whole, 0};
    if (place.field == 0)
        place.kind = body_is_word(body, whole - 2) ? TEMPLATE_UNKNOWN : TEMPLATE_TEXT;
    return place.kind == TEMPLATE_TEXT ? (struct template_place){0} : place;
}

/* What follows a dollar is the shell's, or some other language's, unless it was a place before
 * columns had names. */
static bool is_plain(const struct template_place *place, bool number)
{
    return place->part == TEMPLATE_WHOLE &&
           (place->kind == TEMPLATE_LINE || place->kind == TEMPLATE_NUMBER || number);
}

struct template_place template_place(const char *text, const char *at,
                                     const struct columns *columns)
{
    const bool doubled = at[0] == '{' && at[1] == '{';
    const int size = body_find(at + doubled);
    if (size < 0)
        return (struct template_place){0};
    const char *body = at + doubled + 1;
    struct template_place place = body_read(body, (size_t)size, columns);
    const bool number = number_read(body, (size_t)size) >= 0;
    if (doubled && place.size > 0 && body[size + 1] == '}')
        return (struct template_place){.kind = TEMPLATE_LITERAL, .size = (size_t)size + 4};
    if (doubled || (at > text && at[-1] == '$' && !is_plain(&place, number)))
        return (struct template_place){0};
    return place;
}

/* ---- values ---- */

static size_t number_print(int64_t number, char *to)
{
    char digits[NUMBER_SIZE];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    for (size_t i = 0; i < count; i++)
        to[i] = digits[count - 1 - i];
    return count;
}

static size_t base_begin(const char *value, size_t size)
{
    while (size > 0 && value[size - 1] != '/')
        size--;
    return size;
}

/* Without its ending, which is a dot and something behind it. */
static size_t stem_size(const char *value, size_t size)
{
    size_t at = size;
    while (at > 0 && value[at - 1] != '.' && value[at - 1] != '/')
        at--;
    return at > 0 && at < size && value[at - 1] == '.' ? at - 1 : size;
}

/* As dirname has it. */
static size_t folder_make(char *value, size_t size)
{
    while (size > 1 && value[size - 1] == '/')
        size--;
    size = size == 1 && *value == '/' ? 1 : base_begin(value, size);
    while (size > 1 && value[size - 1] == '/')
        size--;
    if (size == 0)
        value[size++] = '.';
    return size;
}

static size_t part_make(enum template_part_of part, char *value, size_t size)
{
    if (part == TEMPLATE_FOLDER)
        return folder_make(value, size);
    if (part == TEMPLATE_STEM || part == TEMPLATE_BASE_STEM)
        size = stem_size(value, size);
    if (part != TEMPLATE_BASE && part != TEMPLATE_BASE_STEM)
        return size;
    const size_t begin = base_begin(value, size);
    memmove(value, value + begin, size - begin);
    return size - begin;
}

size_t template_value(const struct columns *columns, const struct template_place *place,
                      const char *line, size_t size, int64_t number, char *to)
{
    size_t used = 0;
    if (place->kind == TEMPLATE_NUMBER)
        return number_print(number, to);
    if (place->kind == TEMPLATE_FIELD) {
        columns_value(columns, line, size, place->field, to, &used);
    } else if (place->kind == TEMPLATE_LINE) {
        memcpy(to, line, size);
        used = size;
    }
    return part_make(place->part, to, used);
}

size_t template_value_most(const struct columns *columns, size_t line_size)
{
    const size_t most = columns_value_most(columns, line_size);
    return most > NUMBER_SIZE ? most : NUMBER_SIZE;
}
