#include <inttypes.h>
#include <stdio.h>
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

static void place_add(struct output *output, enum shell_place where,
                      const struct template_place *place, const char *line, size_t size,
                      int64_t number)
{
    char digits[24];
    if (place->kind == TEMPLATE_NUMBER) {
        snprintf(digits, sizeof digits, "%" PRId64, number);
        output_add(output, digits, strlen(digits));
        return;
    }
    if (place->kind == TEMPLATE_FIELD)
        line = template_field(line, size, place->field, &size);
    quoted_add(output, where, line ? line : "", line ? size : 0);
}

size_t command_text(const char *command, const char *line, size_t size, int64_t number, char *text,
                    size_t room)
{
    struct output output = {.text = text, .room = room};
    struct shell_reader reader;
    shell_init(&reader);
    for (const char *at = command; *at;) {
        const struct template_place place = template_place(at);
        if (place.kind != TEMPLATE_TEXT) {
            place_add(&output, shell_place(&reader), &place, line, size, number);
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
