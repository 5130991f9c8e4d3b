#include "planner/files/elements.h"

#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"
#include "planner/base/text.h"

/* ---- arrays in a text ----------------------------------------------------------------------- */

/* Text that is not JSON is not diagnosed here: the parser refuses it. */
struct scan {
    const char *text;
    size_t length;
};

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static size_t blanks_skip(const struct scan *scan, size_t at)
{
    while (at < scan->length && is_blank(scan->text[at]))
        at++;
    return at;
}

/* The position behind the string that begins at `at`. */
static size_t string_skip(const struct scan *scan, size_t at)
{
    for (at++; at < scan->length && scan->text[at] != '"'; at++)
        at += scan->text[at] == '\\';
    return at < scan->length ? at + 1 : scan->length;
}

/* False: the array that begins there has no end. */
static bool array_measure(const struct scan *scan, size_t begin, struct document_array *array)
{
    size_t depth = 0, commas = 0, at = begin;
    bool filled = false;
    do {
        const char byte = scan->text[at];
        const bool opens = byte == '[' || byte == '{', closes = byte == ']' || byte == '}';
        depth -= closes;
        commas += byte == ',' && depth == 1;
        filled = filled || (at > begin && depth > 0 && !is_blank(byte));
        depth += opens;
        at = byte == '"' ? string_skip(scan, at) : at + 1;
    } while (depth > 0 && at < scan->length);
    *array = (struct document_array){begin, at, commas + filled};
    return depth == 0 && scan->text[at - 1] == ']';
}

static bool key_wanted(const char *const *keys, const char *key, size_t length)
{
    for (; *keys; keys++)
        if (strlen(*keys) == length && memcmp(*keys, key, length) == 0)
            return true;
    return false;
}

/* Where the array begins that is the value of one of the keys; [begin, end) is a string that may be
 * such a key. 0: it is not, or its value is no array. */
static size_t array_begin(const struct scan *scan, const char *const *keys, size_t begin,
                          size_t end)
{
    const size_t colon = blanks_skip(scan, end);
    if (colon >= scan->length || scan->text[colon] != ':')
        return 0;
    const size_t value = blanks_skip(scan, colon + 1);
    const bool opens = value < scan->length && scan->text[value] == '[';
    return opens && key_wanted(keys, scan->text + begin + 1, end - begin - 2) ? value : 0;
}

/* False: out of memory. */
static bool array_add(struct document *document, struct document_array array)
{
    struct document_array *arrays = array_reserve(document->arrays, &document->array_capacity,
                                                  document->array_count + 1, sizeof *arrays);
    if (!arrays)
        return false;
    document->arrays = arrays;
    arrays[document->array_count++] = array;
    return true;
}

static bool arrays_find(struct document *document, const char *const *keys)
{
    const struct scan scan = {document->text, document->length};
    for (size_t at = 0; at < scan.length;) {
        struct document_array array;
        const size_t begin = at;
        at = scan.text[at] == '"' ? string_skip(&scan, at) : at + 1;
        const size_t value = at - begin > 2 ? array_begin(&scan, keys, begin, at) : 0;
        if (value == 0 || !array_measure(&scan, value, &array))
            continue;
        if (!array_add(document, array))
            return false;
        at = array.end;
    }
    return true;
}

/* ---- the document --------------------------------------------------------------------------- */

/* The parser says where the whole text is damaged; if it finds nothing, memory had run out. */
static void damage_tell(const struct document *document, struct failure *failure)
{
    json_t *whole = document_parse(document->text, document->length, document->name, failure);
    if (whole)
        failure_memory(failure, "reading JSON");
    json_decref(whole);
}

/* The text with each such array replaced by its number. */
static struct text text_shorten(const struct document *document)
{
    struct text text = TEXT_INIT;
    size_t at = 0;
    for (size_t k = 0; k < document->array_count; k++) {
        text_add_bytes(&text, document->text + at, document->arrays[k].begin - at);
        text_add(&text, "{\"\": %zu}", k);
        at = document->arrays[k].end;
    }
    text_add_bytes(&text, document->text + at, document->length - at);
    return text;
}

bool document_open(struct document *document, const char *text, size_t length, const char *name,
                   const char *const *keys, struct failure *failure)
{
    *document = (struct document){.text = text, .name = name, .length = length};
    struct text shortened = TEXT_INIT;
    if (arrays_find(document, keys))
        shortened = text_shorten(document);
    if (shortened.bytes && !shortened.failed)
        document->root =
            json_loadb(shortened.bytes, shortened.length, JSON_REJECT_DUPLICATES, NULL);
    text_release(&shortened);
    if (!document->root)
        damage_tell(document, failure);
    return document->root != NULL;
}

void document_close(struct document *document)
{
    json_decref(document->root);
    free(document->arrays);
    *document = (struct document){.text = NULL};
}

/* ---- elements ------------------------------------------------------------------------------- */

static const struct document *document_of(const struct document_place *place)
{
    while (place->parent)
        place = place->parent;
    return place->document;
}

/* NULL: the value is in the tree. */
static const struct document_array *array_left_out(const struct document *document,
                                                   const json_t *value)
{
    const json_t *number = json_object_get(value, "");
    const json_int_t index = json_integer_value(number);
    const bool known =
        document && json_is_integer(number) && index >= 0 && (size_t)index < document->array_count;
    return known ? &document->arrays[index] : NULL;
}

bool document_elements_begin(struct document_elements *elements, json_t *value,
                             const struct document_place *place, size_t least,
                             struct failure *failure)
{
    const struct document *document = document_of(place);
    const struct document_array *array = array_left_out(document, value);
    *elements = (struct document_elements){.array = array ? NULL : value, .document = document};
    if (!array) {
        elements->count = json_array_size(value);
        return document_array(value, place, least, failure);
    }
    elements->count = array->count;
    elements->at = array->begin + 1;
    elements->end = array->end;
    return array->count >= least || document_few(place, least, failure);
}

/* Is an element followed by what must stand behind it? */
static bool element_over(struct document_elements *elements)
{
    const struct scan scan = {elements->document->text, elements->end};
    const size_t at = blanks_skip(&scan, elements->at);
    elements->at = at + 1;
    return at < scan.length && scan.text[at] == (elements->index < elements->count ? ',' : ']');
}

json_t *document_elements_next(struct document_elements *elements, struct failure *failure)
{
    const struct document *document = elements->document;
    const size_t index = elements->index++;
    json_error_t error;
    if (elements->array)
        return json_array_get(elements->array, index);
    json_decref(elements->held);
    elements->held =
        json_loadb(document->text + elements->at, elements->end - elements->at,
                   JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, &error);
    elements->at += elements->held ? (size_t)error.position : 0;
    if (elements->held && element_over(elements))
        return elements->held;
    damage_tell(document, failure);
    return NULL;
}

void document_elements_end(struct document_elements *elements)
{
    json_decref(elements->held);
    elements->held = NULL;
}
