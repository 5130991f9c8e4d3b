#include "kernel/command/template.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/command/shell.h"

enum { NUMBER_SIZE = 20, REFERENCE_SIZE = 14 /* '"${10000}"' and a little */ };

struct template_part {
    enum template_kind kind;
    size_t at, size; /* of a text */
    int64_t field;   /* from 1 */
};

static void part_add(struct template *template, enum template_kind kind, int64_t field)
{
    template->parts[template->part_count++] =
        (struct template_part){.kind = kind, .at = template->text_size, .field = field};
    template->words += kind == TEMPLATE_END;
}

static void text_add(struct template *template, const char *text, size_t size)
{
    if (template->part_count == 0 ||
        template->parts[template->part_count - 1].kind != TEMPLATE_TEXT)
        part_add(template, TEMPLATE_TEXT, 0);
    memcpy(template->text + template->text_size, text, size);
    template->text_size += size;
    template->parts[template->part_count - 1].size += size;
}

static void word_add(struct template *template, const char *word)
{
    text_add(template, word, strlen(word));
    part_add(template, TEMPLATE_END, 0);
}

struct template_place template_place(const char *at)
{
    if (at[0] == '{' && at[1] == '}')
        return (struct template_place){TEMPLATE_LINE, 2, 0};
    if (at[0] == '{' && at[1] == '#' && at[2] == '}')
        return (struct template_place){TEMPLATE_NUMBER, 3, 0};
    if (at[0] != '{')
        return (struct template_place){0};
    struct template_place place = {.kind = TEMPLATE_FIELD, .size = 1};
    for (; at[place.size] >= '0' && at[place.size] <= '9'; place.size++)
        if (place.field <= TEMPLATE_FIELDS_MOST)
            place.field = 10 * place.field + (at[place.size] - '0');
    if (place.size == 1 || at[place.size] != '}')
        return (struct template_place){0};
    place.size++;
    return place;
}

/* Reads the whole text for what must be known before it can be cut. */
static const char *text_survey(struct template *template, const char *text)
{
    struct shell_reader reader;
    shell_init(&reader);
    bool empty = true;
    for (const char *at = text; *at;) {
        const struct template_place place = template_place(at);
        if (place.kind == TEMPLATE_FIELD && place.field == 0)
            return "asks for {0}: fields are counted from 1";
        if (place.field > TEMPLATE_FIELDS_MOST)
            return "asks for a field beyond {9999}";
        if (place.field > template->field_most)
            template->field_most = place.field;
        template->places |= place.size > 0;
        reader.in_word |= place.size > 0;
        empty &= place.size == 0 && (*at == ' ' || *at == '\t' || *at == '\n');
        at += place.size > 0 ? place.size : shell_read(&reader, at);
    }
    template->shell = reader.special;
    if (!shell_closed(&reader))
        return "has a quote or parenthesis that is not closed";
    return empty ? "is empty" : NULL;
}

static void words_cut(struct template *template, const char *text)
{
    struct shell_reader reader;
    shell_init(&reader);
    for (const char *at = text; *at;) {
        const struct template_place place = template_place(at);
        if (place.size > 0) {
            part_add(template, place.kind, place.field);
            reader.in_word = true;
            at += place.size;
            continue;
        }
        const bool in_word = reader.in_word;
        const enum shell_place before = shell_place(&reader);
        const size_t size = shell_read(&reader, at);
        if (in_word && !reader.in_word)
            part_add(template, TEMPLATE_END, 0);
        else if (reader.in_word && shell_place(&reader) == before)
            text_add(template, at, size);
        at += size;
    }
    if (reader.in_word)
        part_add(template, TEMPLATE_END, 0);
}

/* Which of the shell's parameters stands for a place; a new one is kept behind the others in
 * `places`. */
static size_t parameter_find(struct template_part *places, size_t *count, enum template_kind kind,
                             int64_t field)
{
    for (size_t i = 0; i < *count; i++)
        if (places[i].kind == kind && places[i].field == field)
            return i + 1;
    places[(*count)++] = (struct template_part){.kind = kind, .field = field};
    return *count;
}

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

static void reference_add(struct template *template, enum shell_place place, size_t parameter)
{
    const char *const before = place == SHELL_SINGLE ? "'\"" : place == SHELL_DOUBLE ? "" : "\"";
    const char *const after = place == SHELL_SINGLE ? "\"'" : before;
    char digits[NUMBER_SIZE];
    text_add(template, before, strlen(before));
    text_add(template, "${", 2);
    text_add(template, digits, number_print((int64_t)parameter, digits));
    text_add(template, "}", 1);
    text_add(template, after, strlen(after));
}

static void script_write(struct template *template, const char *text, struct template_part *places)
{
    struct shell_reader reader;
    shell_init(&reader);
    size_t count = 0;
    word_add(template, "/bin/sh");
    word_add(template, "-c");
    for (const char *at = text; *at;) {
        const struct template_place place = template_place(at);
        if (place.size > 0) {
            reference_add(template, shell_place(&reader),
                          parameter_find(places, &count, place.kind, place.field));
            reader.in_word = true;
            at += place.size;
            continue;
        }
        const size_t size = shell_read(&reader, at);
        text_add(template, at, size);
        at += size;
    }
    part_add(template, TEMPLATE_END, 0);
    word_add(template, "sh");
    for (size_t i = 0; i < count; i++) {
        part_add(template, places[i].kind, places[i].field);
        part_add(template, TEMPLATE_END, 0);
    }
}

/* A first word that a shell alone understands makes it a text for the shell. */
static bool words_owned(const struct template *template)
{
    const struct template_part *first = &template->parts[0];
    return first->kind == TEMPLATE_TEXT && shell_owns(template->text, first->size);
}

const char *template_parse(struct template *template, const char *text)
{
    *template = (struct template){0};
    const char *why = text_survey(template, text);
    if (why)
        return why;
    /* A place takes two characters at least, and makes two parts and one reference at most. */
    const size_t size = strlen(text);
    template->parts = calloc(2 * size + 16, sizeof *template->parts);
    template->text = malloc(REFERENCE_SIZE * (size / 2 + 4));
    struct template_part *places = calloc(size / 2 + 1, sizeof *places);
    if (!template->parts || !template->text || !places) {
        free(places);
        template_release(template);
        return "is too long for this machine's memory";
    }
    if (!template->shell)
        words_cut(template, text);
    if (template->shell || words_owned(template)) {
        template->shell = true;
        template->part_count = template->text_size = 0;
        template->words = 0;
        script_write(template, text, places);
    }
    free(places);
    return NULL;
}

void template_release(struct template *template)
{
    free(template->parts);
    free(template->text);
    *template = (struct template){0};
}

bool template_program(const struct template *template, char *name, size_t size)
{
    const struct template_part *part = template->parts;
    size_t used = 0;
    for (; part->kind != TEMPLATE_END; part++) {
        if (part->kind != TEMPLATE_TEXT)
            return false;
        const size_t more = part->size < size - 1 - used ? part->size : size - 1 - used;
        memcpy(name + used, template->text + part->at, more);
        used += more;
    }
    name[used] = '\0';
    return true;
}

size_t template_size_most(const struct template *template, size_t line_size)
{
    size_t size = template->text_size + (size_t) template->words;
    for (size_t i = 0; i < template->part_count; i++) {
        const enum template_kind kind = template->parts[i].kind;
        if (kind == TEMPLATE_LINE || kind == TEMPLATE_FIELD)
            size += line_size;
        else if (kind == TEMPLATE_NUMBER)
            size += NUMBER_SIZE;
    }
    return size;
}

const char *template_field(const char *line, size_t line_size, int64_t field, size_t *size)
{
    const char *at = line, *const end = line + line_size;
    for (int64_t i = 1; i < field; i++) {
        at = memchr(at, '\t', (size_t)(end - at));
        if (!at)
            return NULL;
        at++;
    }
    const char *tab = memchr(at, '\t', (size_t)(end - at));
    *size = (size_t)((tab ? tab : end) - at);
    return at;
}

static size_t field_print(const char *line, size_t line_size, int64_t field, char *to)
{
    size_t size = 0;
    const char *at = template_field(line, line_size, field, &size);
    if (at)
        memcpy(to, at, size);
    return size;
}

static size_t part_print(const struct template *template, const struct template_part *part,
                         const char *line, size_t size, int64_t number, char *to)
{
    switch (part->kind) {
    case TEMPLATE_TEXT:
        memcpy(to, template->text + part->at, part->size);
        return part->size;
    case TEMPLATE_LINE:
        memcpy(to, line, size);
        return size;
    case TEMPLATE_NUMBER:
        return number_print(number, to);
    case TEMPLATE_FIELD:
        return field_print(line, size, part->field, to);
    case TEMPLATE_END:
        *to = '\0';
        return 1;
    }
    return 0;
}

size_t template_print(const struct template *template, const char *line, size_t size,
                      int64_t number, char *words)
{
    size_t used = 0;
    for (size_t i = 0; i < template->part_count; i++)
        used += part_print(template, &template->parts[i], line, size, number, words + used);
    return used;
}

int64_t template_fields(const char *line, size_t size)
{
    int64_t fields = 1;
    const char *at = line, *const end = line + size;
    while ((at = memchr(at, '\t', (size_t)(end - at)))) {
        fields++;
        at++;
    }
    return fields;
}
