/* Fuzz target: any bytes are a command's template and a line (up to the first zero, and after it),
 * which make as many words as were announced, or are refused; and pieces of output, and output that
 * is kept. */
#include <stdlib.h>
#include <string.h>

#include "kernel/command/command.h"
#include "kernel/command/kept.h"
#include "kernel/command/template.h"
#include "tests/fuzz/target.h"

static void words_check(const struct template *template, const char *line, size_t size)
{
    const size_t most = template_size_most(template, size);
    char *words = malloc(most + 1);
    if (!words)
        abort();
    const size_t used = template_print(template, line, size, INT64_MAX, words);
    int count = 0;
    for (size_t i = 0; i < used; i++)
        count += words[i] == '\0';
    if (used > most || count != template->words || used == 0 || words[used - 1] != '\0')
        abort();
    free(words);
}

static void text_check(const char *command, const struct columns *columns, const char *line,
                       size_t size)
{
    const size_t length = command_text(command, columns, line, size, 1, NULL, 0);
    char *text = malloc(length + 1);
    if (!text || command_text(command, columns, line, size, 1, text, length + 1) != length ||
        text[length] != '\0')
        abort();
    free(text);
}

static void template_check(const char *command, const struct columns *columns, const char *line,
                           size_t size)
{
    struct template template;
    const char *why = template_parse(&template, command, NULL, columns);
    if (!why && memchr(line, '\0', size) == NULL &&
        columns_count(columns, line, size) >= template.field_most)
        words_check(&template, line, size);
    if (!why)
        template_release(&template);
    else if (!*why || template.parts)
        abort();
    text_check(command, columns, line, size);
}

/* The line is its own header, too. */
static void columns_check_all(const char *command, const char *line, size_t size)
{
    char why[COLUMNS_WHY_SIZE];
    const enum columns_format formats[] = {COLUMNS_TSV, COLUMNS_CSV, COLUMNS_JSON};
    for (int i = 0; i < 6; i++) {
        struct columns columns;
        columns_init(&columns, formats[i % 3], NULL, NULL);
        if (i >= 3 && memchr(line, '\0', size) == NULL)
            columns_name(&columns, line, size, why);
        template_check(command, &columns, line, size);
        columns_release(&columns);
    }
}

static void pieces_check(const uint8_t *data, size_t size)
{
    struct command_piece piece;
    size_t at = 0;
    int attempts = 0;
    for (size_t before = 0; command_piece_next(data, size, &at, &piece); before = at) {
        if (at > size || at - before != COMMAND_HEADER_SIZE + piece.size)
            abort();
        attempts = piece.attempt > attempts ? piece.attempt : attempts;
    }
    if (attempts != command_attempts(data, size))
        abort();
    const size_t length = command_render(data, size, NULL, 0);
    char *text = malloc(length + 1);
    if (!text || command_render(data, size, text, length + 1) != length || strlen(text) != length)
        abort();
    free(text);
}

/* Cleaning twice is cleaning once, but for newlines at the end. */
static void kept_check(char *bytes, size_t size)
{
    kept_clean(bytes, size, size, true);
    const size_t length = strnlen(bytes, size);
    char *once = malloc(length + 1);
    if (!once)
        abort();
    memcpy(once, bytes, length);
    kept_clean(once, length, length, true);
    if (memcmp(once, bytes, length) != 0)
        abort();
    free(once);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = malloc(size + 1);
    if (!bytes)
        abort();
    memcpy(bytes, data, size);
    bytes[size] = '\0';
    const size_t command = strlen(bytes);
    const size_t line = command < size ? command + 1 : size;
    columns_check_all(bytes, bytes + line, size - line);
    pieces_check(data, size);
    kept_check(bytes, size);
    free(bytes);
    return 0;
}
