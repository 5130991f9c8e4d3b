#include <stdlib.h>
#include <string.h>

#include "kernel/command/command.h"
#include "kernel/command/shell.h"
#include "kernel/command/template.h"

struct output {
    char *text;
    size_t room, size; /* size goes on where there is no room */
};

static void output_add(struct output *output, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++, output->size++)
        if (output->size + 1 < output->room)
            output->text[output->size] = bytes[i];
}

static bool is_plain(const char *bytes, size_t size)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+./,:@%";
    for (size_t i = 0; i < size; i++)
        if (bytes[i] == '\0' || !strchr(plain, bytes[i]))
            return false;
    return size > 0;
}

static void quoted_add(struct output *output, enum shell_place place, const char *bytes,
                       size_t size)
{
    const bool bare = place != SHELL_SINGLE && place != SHELL_DOUBLE;
    if (bare && is_plain(bytes, size)) {
        output_add(output, bytes, size);
        return;
    }
    output_add(output, "'", bare);
    for (size_t i = 0; i < size; i++) {
        if (place == SHELL_DOUBLE && bytes[i] != '\0' && strchr("\\\"$`", bytes[i]))
            output_add(output, "\\", 1);
        if (place != SHELL_DOUBLE && bytes[i] == '\'')
            output_add(output, "'\\''", 4);
        else
            output_add(output, bytes + i, 1);
    }
    output_add(output, "'", bare);
}

/* False: out of memory. */
static bool place_add(struct output *output, enum shell_place where,
                      const struct template_place *place, const struct columns *columns,
                      const char *line, size_t size, int64_t number)
{
    char *value = malloc(template_value_most(columns, size));
    if (!value)
        return false;
    const size_t used = template_value(columns, place, line, size, number, value);
    if (place->kind == TEMPLATE_NUMBER)
        output_add(output, value, used);
    else
        quoted_add(output, where, value, used);
    free(value);
    return true;
}

size_t command_text(const char *command, const struct columns *columns, const char *line,
                    size_t size, int64_t number, char *text, size_t room)
{
    static const struct columns tabs = {.separator = '\t'};
    struct output output = {.text = text, .room = room};
    struct shell_reader reader;
    shell_init(&reader);
    columns = columns ? columns : &tabs;
    for (const char *at = command; *at;) {
        const struct template_place place = template_place(command, at, columns);
        const bool literal = place.kind == TEMPLATE_LITERAL;
        const bool value = place.size > 0 && !literal && place.kind != TEMPLATE_UNKNOWN;
        if (literal)
            output_add(&output, at + 1, place.size - 2);
        if (literal || (value && place_add(&output, shell_place(&reader), &place, columns, line,
                                           size, number))) {
            reader.in_word = true;
            at += place.size;
            continue;
        }
        const size_t more = shell_read(&reader, at);
        output_add(&output, at, more);
        at += more;
    }
    if (room > 0)
        text[output.size < room ? output.size : room - 1] = '\0';
    return output.size;
}
