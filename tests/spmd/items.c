#include "tests/spmd/items.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

/* Owned, zero-terminated. */
static char *copy(const char *bytes, size_t size)
{
    char *text = must(malloc(size + 1));
    memcpy(text, bytes, size);
    text[size] = '\0';
    return text;
}

static void items_add(struct items *items, const char *bytes, size_t size, char *name)
{
    if ((items->count & (items->count - 1)) == 0)
        items->items = must(realloc(items->items, (size_t)(items->count ? 2 * items->count : 1) *
                                                      sizeof *items->items));
    items->items[items->count++] =
        (struct scow_item){.bytes = copy(bytes, size), .size = size, .name = name};
}

/* ---- lines ---- */

static bool lines_split(const char *bytes, size_t size, struct items *items)
{
    size_t start = 0;
    if (size == 0 || memchr(bytes, '\0', size))
        return false;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != '\n')
            continue;
        size_t end = i > start && bytes[i - 1] == '\r' ? i - 1 : i;
        items_add(items, bytes + start, end - start, NULL);
        start = i + 1;
    }
    if (start < size)
        items_add(items, bytes + start, size - start, NULL);
    return true;
}

/* ---- sequences ---- */

static const char spaces[] = " \t\n\v\f\r";
static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz*-";

static bool is_among(char c, const char *set)
{
    return c != '\0' && strchr(set, c);
}

/* The letters of one line after those of the item; false: there is something else. */
static bool letters_append(struct scow_item *item, const char *line)
{
    char *letters = must(malloc(item->size + strlen(line) + 1));
    size_t size = item->size;
    memcpy(letters, item->bytes, size);
    for (; is_among(*line, spaces) || is_among(*line, alphabet); line++)
        if (is_among(*line, alphabet))
            letters[size++] = *line;
    letters[size] = '\0';
    free((void *)(uintptr_t)item->bytes);
    item->bytes = letters;
    item->size = size;
    return *line == '\0';
}

static bool line_take(const char *line, struct items *items)
{
    if (line[0] == '>') {
        size_t length = strlen(line + 1);
        while (length > 0 && is_among(line[length], spaces))
            length--;
        items_add(items, "", 0, copy(line + 1, length));
        return true;
    }
    if (items->count > 0)
        return letters_append(&items->items[items->count - 1], line);
    return strspn(line, spaces) == strlen(line);
}

static bool sequences_split(const char *bytes, size_t size, struct items *items)
{
    struct items lines = {0};
    bool good = lines_split(bytes, size, &lines);
    for (int64_t i = 0; good && i < lines.count; i++)
        good = line_take(lines.items[i].bytes, items);
    for (int64_t i = 0; good && i < items->count; i++)
        good = items->items[i].size > 0;
    items_release(&lines);
    return good && items->count > 0;
}

/* ---- the face ---- */

bool items_find(enum scow_input_kind kind, const char *bytes, size_t size, struct items *items)
{
    *items = (struct items){0};
    bool good = kind == SCOW_INPUT_LINES ? lines_split(bytes, size, items)
                                         : sequences_split(bytes, size, items);
    if (!good)
        items_release(items);
    return good;
}

void items_release(struct items *items)
{
    for (int64_t i = 0; i < items->count; i++) {
        free((void *)(uintptr_t)items->items[i].bytes);
        free((void *)(uintptr_t)items->items[i].name);
    }
    free(items->items);
    *items = (struct items){0};
}

static bool item_agrees(struct input *input, int64_t index, const struct scow_item *wanted)
{
    struct failure failure = FAILURE_INIT;
    struct scow_item item;
    bool same = input_read_item(input, index, &item, &failure) && item.size == wanted->size &&
                memcmp(item.bytes, wanted->bytes, item.size + 1) == 0 &&
                !item.name == !wanted->name && (!item.name || strcmp(item.name, wanted->name) == 0);
    if (!same)
        fprintf(stderr, "item %" PRId64 " differs %s\n", index, failure.text);
    return same;
}

static bool all_agree(struct input *input, const struct items *items)
{
    const struct scow_input *shape = input_shape(input);
    int64_t count = items->count;
    uint64_t random = 1;
    if (shape->type != SCOW_NONE || shape->extent[0] != count || shape->extent[1] != 0 ||
        shape->extent[2] != 0)
        return false;
    for (int64_t i = 0; i < count; i++)
        if (!item_agrees(input, i, &items->items[i]))
            return false;
    for (int64_t i = count - 1; i >= 0; i--)
        if (!item_agrees(input, i, &items->items[i]))
            return false;
    for (int64_t i = 0; i < count; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        int64_t at = (int64_t)((random >> 33) % (uint64_t)count);
        if (!item_agrees(input, at, &items->items[at]))
            return false;
    }
    return true;
}

bool items_agree(enum scow_input_kind kind, const char *name, const struct items *items)
{
    struct failure failure = FAILURE_INIT;
    struct input *input = input_open(kind, name, &failure);
    if (!input) {
        fprintf(stderr, "%s\n", failure.text);
        return false;
    }
    bool good = all_agree(input, items);
    input_close(&input);
    return good;
}
