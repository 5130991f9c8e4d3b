/* Lines that are JSON objects. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/command/columns.h"

enum { FLAGS = JSON_REJECT_DUPLICATES, DIGITS = 15, DEPTH_MOST = 8 };

/* NULL with `why` printed; `why` may be NULL. */
static json_t *object_parse(const char *line, size_t size, char *why)
{
    json_error_t error = {0};
    json_t *object = json_loadb(line, size, FLAGS, &error);
    if (json_is_object(object))
        return object;
    if (why)
        snprintf(why, COLUMNS_WHY_SIZE, "is no JSON object: %.120s",
                 object ? "it is another kind of value" : error.text);
    json_decref(object);
    return NULL;
}

bool json_check(const char *line, size_t size, char why[COLUMNS_WHY_SIZE])
{
    json_t *object = object_parse(line, size, why);
    json_decref(object);
    return object != NULL;
}

/* ---- names ---- */

struct names {
    char *bytes;
    size_t size, room;
    bool failed;
};

static void names_add(struct names *names, const char *name, size_t size)
{
    if (!names->bytes || names->size + size + 1 > names->room) {
        names->room = 2 * names->room + size + 64;
        char *more = realloc(names->bytes, names->room);
        names->failed |= !more;
        if (!more)
            return;
        names->bytes = more;
    }
    memcpy(names->bytes + names->size, name, size);
    names->bytes[names->size + size] = '\0';
    names->size += size + 1;
}

/* Those of inner objects follow a dot. */
static void members_add(struct names *names, json_t *object, const char *before, int depth)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        const size_t size = strlen(before) + strlen(key);
        char *name = malloc(size + 2);
        if (!name) {
            names->failed = true;
            return;
        }
        snprintf(name, size + 2, "%s%s", before, key);
        names_add(names, name, size);
        memcpy(name + size, ".", 2);
        if (json_is_object(value) && depth < DEPTH_MOST)
            members_add(names, value, name, depth + 1);
        free(name);
    }
}

bool json_names(const char *line, size_t size, char **names, size_t *names_size,
                char why[COLUMNS_WHY_SIZE])
{
    struct names all = {0};
    json_t *object = object_parse(line, size, why);
    if (!object)
        return false;
    members_add(&all, object, "", 0);
    json_decref(object);
    if (all.failed) {
        free(all.bytes);
        snprintf(why, COLUMNS_WHY_SIZE, "needs more memory than there is");
        return false;
    }
    *names = all.bytes;
    *names_size = all.size;
    return true;
}

/* ---- values ---- */

/* "a.b" is the member of that name, or else what "a" has under "b". Borrowed. */
static json_t *member_find(json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    for (const char *dot = strchr(name, '.'); !value && dot; dot = strchr(dot + 1, '.')) {
        char *head = strndup(name, (size_t)(dot - name));
        json_t *inner = head ? json_object_get(object, head) : NULL;
        if (json_is_object(inner))
            value = member_find(inner, dot + 1);
        free(head);
    }
    return value;
}

static size_t text_write(json_t *value, char *to)
{
    const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(DIGITS);
    if (json_is_string(value)) {
        memcpy(to, json_string_value(value), json_string_length(value));
        return json_string_length(value);
    }
    const size_t size = json_dumpb(value, NULL, 0, flags);
    return json_dumpb(value, to, size, flags);
}

bool json_value(const char *line, size_t size, const char *name, char *to, size_t *written)
{
    json_t *object = object_parse(line, size, NULL);
    json_t *value = object ? member_find(object, name) : NULL;
    *written = value ? text_write(value, to) : 0;
    json_decref(object);
    return value != NULL;
}

/* 1e9 becomes 1000000000.0, and every control character that stood as \n may become \u000a. */
size_t json_value_most(size_t line_size)
{
    return 8 * line_size + 32;
}
