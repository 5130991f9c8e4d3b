#include "planner/files/document.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/base/nearest.h"

/* Is there nothing but spaces? */
static bool is_empty(const char *text, size_t length)
{
    size_t spaces = 0;
    while (spaces < length && strchr(" \t\r\n", text[spaces]) && text[spaces] != '\0')
        spaces++;
    return spaces == length;
}

json_t *document_parse(const char *text, size_t length, const char *name, struct failure *failure)
{
    json_error_t error;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!root && json_error_code(&error) == json_error_out_of_memory)
        failure_memory(failure, "reading JSON");
    else if (!root && is_empty(text, length))
        failure_set(failure, FAILURE_MISMATCH, "%s: is empty: write it again", name);
    else if (!root)
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: line %d, column %d: %s; it is damaged or not JSON: write it again", name,
                    error.line, error.column, error.text);
    if (!root || json_is_object(root) || json_is_array(root))
        return root;
    json_decref(root);
    failure_set(failure, FAILURE_MISMATCH, "%s: must be an object {...}, not a single value", name);
    return NULL;
}

bool document_is_json(const char *text)
{
    json_t *value = json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
    json_decref(value);
    return value != NULL;
}

/* Prints the place, such as "file: a.b[2].c", to `words`, cut to fit. Returns the used length. */
static size_t place_print(const struct document_place *place, char *words, size_t size)
{
    if (!place->parent)
        return (size_t)snprintf(words, size, "%.120s", place->name);
    size_t used = place_print(place->parent, words, size);
    const char *before = place->parent->parent ? "." : ": ";
    if (place->name)
        used += (size_t)snprintf(words + used, size - used, "%s%.40s", before, place->name);
    else
        used += (size_t)snprintf(words + used, size - used, "[%zu]", place->index);
    return used < size ? used : size - 1;
}

enum { REASON_SIZE = 240 };

static bool place_fail(struct failure *failure, enum failure_code code,
                       const struct document_place *place, const char *reason)
{
    char where[300];
    place_print(place, where, sizeof where);
    return failure_set(failure, code, "%s: %s", where, reason);
}

bool document_refuse(struct failure *failure, const struct document_place *place,
                     const char *format, ...)
{
    char reason[REASON_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return place_fail(failure, FAILURE_MISMATCH, place, reason);
}

bool document_exclude(struct failure *failure, const struct document_place *place,
                      const char *format, ...)
{
    char reason[REASON_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return place_fail(failure, FAILURE_INFEASIBLE, place, reason);
}

/* Refuses a value because it is not `wanted`; quotes it where it is short. */
static bool value_refuse(const json_t *value, const struct document_place *place,
                         const char *wanted, struct failure *failure)
{
    char quoted[48];
    size_t flags = JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15);
    size_t length = json_dumpb(value, quoted, sizeof quoted, flags);
    const bool left_out =
        json_object_get(value, "") != NULL; /* an array that was left out (elements.h) */
    if (length == 0 || length > sizeof quoted || left_out)
        return document_refuse(failure, place, "must be %s", wanted);
    return document_refuse(failure, place, "must be %s, not %.*s", wanted, (int)length, quoted);
}

static const struct document_key *key_find(const struct document_key *keys, size_t count,
                                           const char *name)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(keys[k].name, name) == 0)
            return &keys[k];
    return NULL;
}

static bool key_refuse(const struct document_key *keys, size_t count, const char *name,
                       const struct document_place *place, struct failure *failure)
{
    char hint[NEAREST_HINT_SIZE];
    struct nearest nearest = {.word = name};
    for (size_t k = 0; k < count; k++)
        nearest_try(&nearest, keys[k].name);
    return document_refuse(failure, place, "unknown key '%.60s': %s", name,
                           nearest_hint(&nearest, "", "remove it", hint));
}

bool document_keys(json_t *value, const struct document_place *place,
                   const struct document_key *keys, size_t count, struct failure *failure)
{
    if (!json_is_object(value))
        return value_refuse(value, place, "an object {...}", failure);
    void *item = json_object_iter(value);
    for (; item; item = json_object_iter_next(value, item))
        if (!key_find(keys, count, json_object_iter_key(item)))
            return key_refuse(keys, count, json_object_iter_key(item), place, failure);
    for (size_t k = 0; k < count; k++)
        if (keys[k].required && !json_object_get(value, keys[k].name))
            return document_refuse(failure, place, "the key '%s' is missing: add it", keys[k].name);
    return true;
}

bool document_schema(const json_t *root, const struct document_place *place, const char *schema,
                     struct failure *failure)
{
    if (!json_is_object(root))
        return value_refuse(root, place, "an object {...}", failure);
    const char *found = json_string_value(json_object_get(root, "schema"));
    if (!found)
        return document_refuse(failure, place, "has no \"schema\": it must be \"%s\"", schema);
    if (strcmp(found, schema) != 0)
        return document_refuse(failure, place,
                               "has schema \"%.60s\", but \"%s\" is needed: check that it is the "
                               "right file, of this version",
                               found, schema);
    return true;
}

bool document_array(const json_t *value, const struct document_place *place, size_t least,
                    struct failure *failure)
{
    if (value && !json_is_array(value))
        return value_refuse(value, place, "an array [...]", failure);
    return !value || json_array_size(value) >= least || document_few(place, least, failure);
}

bool document_few(const struct document_place *place, size_t least, struct failure *failure)
{
    return document_refuse(failure, place, "must have at least %zu element%s", least,
                           least == 1 ? "" : "s");
}

bool document_word(const json_t *value, const struct document_place *place, char **word,
                   struct failure *failure)
{
    if (!value)
        return true;
    if (!json_is_string(value))
        return value_refuse(value, place, "a string", failure);
    char *copy = strdup(json_string_value(value));
    if (!copy)
        return failure_memory(failure, "reading JSON");
    free(*word);
    *word = copy;
    return true;
}

bool document_flag(const json_t *value, const struct document_place *place, bool *flag,
                   struct failure *failure)
{
    if (value && !json_is_boolean(value))
        return value_refuse(value, place, "true or false", failure);
    if (value)
        *flag = json_is_true(value);
    return true;
}

bool document_number(const json_t *value, const struct document_place *place, double least,
                     double greatest, double *number, struct failure *failure)
{
    if (!value)
        return true;
    double found = json_number_value(value);
    if (!json_is_number(value) || !(found >= least && found <= greatest)) {
        char wanted[80];
        snprintf(wanted, sizeof wanted, "a number from %.10g to %.10g", least, greatest);
        return value_refuse(value, place, wanted, failure);
    }
    *number = found;
    return true;
}

/* Takes a whole number that a double holds exactly, or any integer of the document. */
static bool value_whole(const json_t *value, int64_t *whole)
{
    if (json_is_integer(value)) {
        *whole = json_integer_value(value);
        return true;
    }
    double found = json_number_value(value);
    if (!json_is_real(value) || found != floor(found) || fabs(found) > (double)LIMIT_TASKS)
        return false;
    *whole = (int64_t)found;
    return true;
}

bool document_count(const json_t *value, const struct document_place *place, int64_t least,
                    int64_t greatest, int64_t *count, struct failure *failure)
{
    if (!value)
        return true;
    int64_t found;
    if (!value_whole(value, &found) || found < least || found > greatest) {
        char wanted[80];
        snprintf(wanted, sizeof wanted, "a whole number from %" PRId64 " to %" PRId64, least,
                 greatest);
        return value_refuse(value, place, wanted, failure);
    }
    *count = found;
    return true;
}

static bool parameter_read(const char *name, const json_t *value,
                           const struct document_place *place, struct parameter_list *list,
                           struct failure *failure)
{
    if (!json_is_number(value) && !json_is_string(value))
        return value_refuse(value, place, "a number or a string", failure);
    return parameter_list_add(list, name, json_string_value(value), json_number_value(value)) ||
           failure_memory(failure, "reading JSON");
}

bool document_parameters(json_t *value, const struct document_place *place,
                         struct parameter_list *list, struct failure *failure)
{
    if (value && !json_is_object(value))
        return value_refuse(value, place, "an object {...}", failure);
    for (void *item = json_object_iter(value); item; item = json_object_iter_next(value, item)) {
        const char *name = json_object_iter_key(item);
        struct document_place at = document_at(place, name);
        if (!parameter_read(name, json_object_iter_value(item), &at, list, failure))
            return false;
    }
    return true;
}

bool document_block(const json_t *value, const struct document_place *place,
                    struct parameter_list *list, struct failure *failure)
{
    int64_t block = 0;
    if (!value)
        return true;
    if (!document_count(value, place, 1, LIMIT_BLOCK, &block, failure))
        return false;
    if (parameter_list_find(list, "block"))
        return document_refuse(failure, place, "stands among the parameters, too: remove one");
    return parameter_list_add(list, "block", NULL, (double)block) ||
           failure_memory(failure, "reading parameters");
}

bool document_digest(const json_t *value, const struct document_place *place, char **digest,
                     struct failure *failure)
{
    if (!document_word(value, place, digest, failure))
        return false;
    if (!*digest || (strlen(*digest) == 64 && strspn(*digest, "0123456789abcdef") == 64))
        return true;
    return document_refuse(failure, place, "must be 64 hexadecimal digits in lower case");
}
