#include "kernel/command/template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/command/shell.h"
#include "planner/base/nearest.h"

enum { NUMBER_SIZE = 20 /* digits */, REFERENCE_SIZE = 14 /* '"${10000}"' and a little */ };

struct template_part {
    struct template_place place; /* its size is a text's */
    size_t at;                   /* of a text */
};

static void place_add(struct template *template, const struct template_place *place)
{
    template->parts[template->part_count++] =
        (struct template_part){.place = *place, .at = template->text_size};
}

static void word_end(struct template *template)
{
    place_add(template, &(struct template_place){.kind = TEMPLATE_END});
    template->words++;
}

static void text_add(struct template *template, const char *text, size_t size)
{
    if (template->part_count == 0 ||
        template->parts[template->part_count - 1].place.kind != TEMPLATE_TEXT)
        place_add(template, &(struct template_place){.kind = TEMPLATE_TEXT});
    memcpy(template->text + template->text_size, text, size);
    template->text_size += size;
    template->parts[template->part_count - 1].place.size += size;
}

static void word_add(struct template *template, const char *word)
{
    text_add(template, word, strlen(word));
    word_end(template);
}

/* {{word}} is {word}. */
static void literal_add(struct template *template, const char *at, size_t size)
{
    text_add(template, at + 1, size - 2);
}

/* ---- what must be known before a text can be cut ---- */

static const char *unknown_say(struct template *template, const char *at, size_t size)
{
    static const char *const places[] = {"#", ".", "/", "//", "/."};
    char word[64], hint[100] = "it is neither {}, {#}, {1}, {.}, {/}, {//}, {/.}";
    snprintf(word, sizeof word, "%.*s", (int)size - 2, at + 1);
    struct nearest nearest = {.word = word};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        nearest_try(&nearest, places[i]);
    for (int64_t i = 1; i <= template->columns->name_count; i++)
        nearest_try(&nearest, columns_at(template->columns, i));
    if (nearest.found)
        snprintf(hint, sizeof hint, "did you mean {%.60s}?", nearest.found);
    else if (template->columns->name_count > 0)
        snprintf(hint, sizeof hint, "no column is called that, such as {%.40s} is",
                 columns_at(template->columns, 1));
    snprintf(template->why, sizeof template->why,
             "has {%s}, which is no place for a line: %s%s; {{%s}} is a text in braces", word, hint,
             nearest.found || template->columns->name_count > 0
                 ? ""
                 : " nor, without --header yes, a column's name",
             word);
    return template->why;
}

static const char *place_survey(struct template *template, const struct template_place *place,
                                const char *at)
{
    if (place->kind == TEMPLATE_UNKNOWN)
        return unknown_say(template, at, place->size);
    if (place->field < 0)
        return "asks for {0}: columns are counted from 1";
    if (place->field > TEMPLATE_FIELDS_MOST)
        return "asks for a column beyond {9999}";
    if (place->field > template->field_most)
        template->field_most = place->field;
    template->places |= place->kind != TEMPLATE_LITERAL;
    return NULL;
}

/* Reads the whole text. */
static const char *text_survey(struct template *template, const char *text)
{
    struct shell_reader reader;
    shell_init(&reader);
    bool empty = true;
    for (const char *at = text; *at;) {
        const struct template_place place = template_place(text, at, template->columns);
        const char *why = place.size > 0 ? place_survey(template, &place, at) : NULL;
        if (why)
            return why;
        reader.in_word |= place.size > 0;
        empty &= place.size == 0 && (*at == ' ' || *at == '\t' || *at == '\n');
        at += place.size > 0 ? place.size : shell_read(&reader, at);
    }
    template->shell = reader.special;
    if (!shell_closed(&reader))
        return "has a quote or parenthesis that is not closed";
    return empty ? "is empty" : NULL;
}

/* ---- cutting ---- */

static void words_cut(struct template *template, const char *text)
{
    struct shell_reader reader;
    shell_init(&reader);
    for (const char *at = text; *at;) {
        const struct template_place place = template_place(text, at, template->columns);
        if (place.size > 0) {
            if (place.kind == TEMPLATE_LITERAL)
                literal_add(template, at, place.size);
            else
                place_add(template, &place);
            reader.in_word = true;
            at += place.size;
            continue;
        }
        const bool in_word = reader.in_word;
        const enum shell_place before = shell_place(&reader);
        const size_t size = shell_read(&reader, at);
        if (in_word && !reader.in_word)
            word_end(template);
        else if (reader.in_word && shell_place(&reader) == before)
            text_add(template, at, size);
        at += size;
    }
    if (reader.in_word)
        word_end(template);
}

/* Which of the shell's parameters stands for a place; a new one is kept behind the others in
 * `places`. */
static size_t parameter_find(struct template_place *places, size_t *count,
                             const struct template_place *place)
{
    for (size_t i = 0; i < *count; i++)
        if (places[i].kind == place->kind && places[i].field == place->field &&
            places[i].part == place->part)
            return i + 1;
    places[(*count)++] = *place;
    return *count;
}

static void reference_add(struct template *template, enum shell_place place, size_t parameter)
{
    const char *const before = place == SHELL_SINGLE ? "'\"" : place == SHELL_DOUBLE ? "" : "\"";
    const char *const after = place == SHELL_SINGLE ? "\"'" : before;
    char reference[NUMBER_SIZE + 4];
    snprintf(reference, sizeof reference, "${%zu}", parameter);
    text_add(template, before, strlen(before));
    text_add(template, reference, strlen(reference));
    text_add(template, after, strlen(after));
}

static void script_write(struct template *template, const char *text, struct template_place *places)
{
    struct shell_reader reader;
    shell_init(&reader);
    size_t count = 0;
    word_add(template, "/bin/sh");
    word_add(template, "-c");
    for (const char *at = text; *at;) {
        const struct template_place place = template_place(text, at, template->columns);
        if (place.size > 0) {
            if (place.kind == TEMPLATE_LITERAL)
                literal_add(template, at, place.size);
            else
                reference_add(template, shell_place(&reader),
                              parameter_find(places, &count, &place));
            reader.in_word = true;
            at += place.size;
            continue;
        }
        const size_t size = shell_read(&reader, at);
        text_add(template, at, size);
        at += size;
    }
    word_end(template);
    word_add(template, "sh");
    for (size_t i = 0; i < count; i++) {
        place_add(template, &places[i]);
        word_end(template);
    }
}

/* A first word that a shell alone understands makes it a text for the shell. */
static bool words_owned(const struct template *template, size_t first)
{
    const struct template_part *part = &template->parts[first];
    return part->place.kind == TEMPLATE_TEXT &&
           shell_owns(template->text + part->at, part->place.size);
}

static void command_cut(struct template *template, const char *text, struct template_place *places)
{
    const size_t parts = template->part_count, size = template->text_size;
    const int words = template->words;
    if (!template->shell)
        words_cut(template, text);
    if (!template->shell && !words_owned(template, parts))
        return;
    template->shell = true;
    template->part_count = parts;
    template->text_size = size;
    template->words = words;
    script_write(template, text, places);
}

static bool template_reserve(struct template *template, size_t size);

char *template_words(const char *text, size_t *size, int *count, const char **why)
{
    static const struct columns none = {.separator = '\t'};
    struct template template = {.columns = &none};
    *why = text_survey(&template, text);
    if (*why == template.why || template.places)
        *why = "has a place for a line, which only --command can have";
    else if (!*why && template.shell)
        *why = "needs a shell, which only --command can have";
    if (*why)
        return NULL;
    char *words = NULL;
    if (template_reserve(&template, strlen(text))) {
        words_cut(&template, text);
        words = malloc(template_size_most(&template, 0) + 1);
    }
    if (words)
        *size = template_print(&template, "", 0, 0, words);
    else
        *why = "is too long for this machine's memory";
    *count = template.words;
    template_release(&template);
    return words;
}

/* False: out of memory. A place takes two characters at least, and makes two parts and one
 * reference at most. */
static bool template_reserve(struct template *template, size_t size)
{
    template->parts = calloc(2 * size + 16, sizeof *template->parts);
    template->text = malloc(REFERENCE_SIZE * (size / 2 + 4));
    return template->parts && template->text;
}

const char *template_parse(struct template *template, const char *text, const char *wrap,
                           const struct columns *columns)
{
    *template = (struct template){.columns = columns};
    const char *why = text_survey(template, text);
    if (why)
        return why;
    const size_t size = strlen(text);
    struct template_place *places = calloc(size / 2 + 1, sizeof *places);
    if (!places || !template_reserve(template, size + (wrap ? strlen(wrap) : 0))) {
        free(places);
        template_release(template);
        return "is too long for this machine's memory";
    }
    if (wrap)
        words_cut(template, wrap);
    command_cut(template, text, places);
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
    for (; part->place.kind != TEMPLATE_END; part++) {
        if (part->place.kind != TEMPLATE_TEXT)
            return false;
        const size_t room = size - 1 - used;
        const size_t more = part->place.size < room ? part->place.size : room;
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
        const enum template_kind kind = template->parts[i].place.kind;
        if (kind != TEMPLATE_TEXT && kind != TEMPLATE_END)
            size += template_value_most(template->columns, line_size);
    }
    return size;
}

size_t template_print(const struct template *template, const char *line, size_t size,
                      int64_t number, char *words)
{
    size_t used = 0;
    for (size_t i = 0; i < template->part_count; i++) {
        const struct template_part *part = &template->parts[i];
        if (part->place.kind == TEMPLATE_END) {
            words[used++] = '\0';
        } else if (part->place.kind == TEMPLATE_TEXT) {
            memcpy(words + used, template->text + part->at, part->place.size);
            used += part->place.size;
        } else {
            used +=
                template_value(template->columns, &part->place, line, size, number, words + used);
        }
    }
    return used;
}

int64_t template_missing(const struct template *template, const char *line, size_t size)
{
    int64_t missing = 0;
    char *value =
        template->field_most > 0 ? malloc(columns_value_most(template->columns, size)) : NULL;
    for (size_t i = 0; value && missing == 0 && i < template->part_count; i++) {
        const struct template_place *place = &template->parts[i].place;
        size_t written;
        if (place->kind == TEMPLATE_FIELD &&
            !columns_value(template->columns, line, size, place->field, value, &written))
            missing = place->field;
    }
    free(value);
    return missing;
}
