#include "planner/base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"

static bool text_reserve(struct text *text, size_t more)
{
    char *bytes = text->failed ? NULL
                               : array_reserve(text->bytes, &text->capacity,
                                               text->length + more + 1, sizeof *bytes);
    text->failed = bytes == NULL;
    if (bytes)
        text->bytes = bytes;
    return bytes != NULL;
}

void text_add(struct text *text, const char *format, ...)
{
    const size_t room = text->bytes ? text->capacity - text->length : 0;
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length =
        vsnprintf(room > 0 ? text->bytes + text->length : NULL, room, format, arguments);
    va_end(arguments);
    if (length >= 0 && text_reserve(text, (size_t)length)) {
        if ((size_t)length >= room)
            vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void text_add_bytes(struct text *text, const char *bytes, size_t length)
{
    if (!text_reserve(text, length))
        return;
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void text_add_count(struct text *text, int64_t count)
{
    char digits[20], *digit = digits + sizeof digits;
    uint64_t left = count < 0 ? -(uint64_t)count : (uint64_t)count;
    do
        *--digit = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (count < 0)
        *--digit = '-';
    text_add_bytes(text, digit, (size_t)(digits + sizeof digits - digit));
}

void text_add_number(struct text *text, double number)
{
    if (!isfinite(number)) {
        text_add(text, "null");
        return;
    }
    char digits[40];
    number += 0.0; /* -0 would be read back as a whole number, without its sign */
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, number);
        if (strtod(digits, NULL) == number)
            break;
    }
    text_add(text, "%s", digits);
}

/* Four significant digits, in the unit with which one to three digits stand before the point. */
static void seconds_print(double seconds, char words[24])
{
    static const struct {
        double from_s;
        const char *unit;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
    double size = fabs(seconds);
    size_t k = 0;
    while (k < 3 && size < units[k].from_s * 0.99995)
        k++;
    if (!(size >= 1e-12))
        k = 0;
    double shown = seconds / units[k].from_s;
    int decimals = fabs(shown) < 9.9995   ? 3
                   : fabs(shown) < 99.995 ? 2
                   : fabs(shown) < 999.95 ? 1
                                          : 0;
    snprintf(words, 24, "%.*f %s", size >= 1e-12 ? decimals : 0, shown, units[k].unit);
}

void text_add_seconds(struct text *text, double seconds)
{
    char words[24];
    seconds_print(seconds, words);
    text_add(text, "%s", words);
}

void text_add_seconds_column(struct text *text, double seconds)
{
    char words[24];
    seconds_print(seconds, words);
    text_add(text, "%12s", words);
}

void text_add_quoted(struct text *text, const char *word)
{
    const char *plain = word, *c = word;
    text_add_bytes(text, "\"", 1);
    for (; *c; c++) {
        const bool control = (unsigned char)*c < 0x20;
        if (!control && *c != '"' && *c != '\\')
            continue;
        text_add_bytes(text, plain, (size_t)(c - plain));
        plain = c + 1;
        if (control)
            text_add(text, "\\u%04x", (unsigned)*c);
        else
            text_add(text, "\\%c", *c);
    }
    text_add_bytes(text, plain, (size_t)(c - plain));
    text_add_bytes(text, "\"", 1);
}

void text_add_parameters(struct text *text, const struct parameter_list *list)
{
    text_add(text, "\"parameters\": {");
    const char *before = "";
    for (size_t k = 0; k < list->count; k++) {
        const struct parameter *item = &list->items[k];
        if (item == parameter_list_block(list))
            continue;
        text_add(text, "%s", before);
        before = ", ";
        text_add_quoted(text, item->name);
        text_add(text, ": ");
        if (item->word)
            text_add_quoted(text, item->word);
        else
            text_add_number(text, item->number);
    }
    text_add(text, "}");
}

void text_add_block(struct text *text, const struct parameter_list *list, const char *before,
                    const char *after)
{
    const struct parameter *block = parameter_list_block(list);
    if (block)
        text_add(text, "%s\"block\": %.15g%s", before, block->number, after);
}

char *text_take(struct text *text)
{
    text_add(text, "%s", "");
    char *bytes = text->failed ? NULL : text->bytes;
    if (text->failed)
        free(text->bytes);
    *text = (struct text)TEXT_INIT;
    return bytes;
}

char *text_finish(struct text *text, bool good, const char *task, struct failure *failure)
{
    char *words = good ? text_take(text) : NULL;
    if (good && !words)
        failure_memory(failure, task);
    text_release(text);
    return words;
}

void text_release(struct text *text)
{
    free(text->bytes);
    *text = (struct text)TEXT_INIT;
}

bool text_print(struct text *text, const char *task, struct failure *failure)
{
    char *words = text_take(text);
    if (!words)
        return failure_memory(failure, task);
    fputs(words, stdout);
    free(words);
    return true;
}
