#include "planner/files/fields.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/elements.h"
#include "planner/model/operating.h"
#include "planner/model/results.h"

enum { KEYS_MOST = 64 };

/* ---- reading ------------------------------------------------------------------------------- */

static size_t keys_collect(const struct field_table *table, struct document_key *keys, size_t count)
{
    if (table->schema)
        keys[count++] = (struct document_key){"schema", true};
    for (size_t k = 0; k < table->count; k++) {
        const struct field *field = &table->fields[k];
        if (field->type == FIELD_GROUP) {
            count = keys_collect(field->table, keys, count);
            continue;
        }
        assert(count < KEYS_MOST);
        keys[count++] = (struct document_key){field->key, (field->flags & FIELD_REQUIRED) != 0};
    }
    return count;
}

static bool list_parse(const struct field *field, void *owner, json_t *value,
                       const struct document_place *place, struct failure *failure)
{
    const struct field_list *list = field->list;
    size_t *count = (void *)((char *)owner + list->count_offset);
    if (!value)
        return true;
    if (!document_array(value, place, 1, failure))
        return false;
    char *items = calloc(json_array_size(value), list->size);
    if (!items)
        return failure_memory(failure, "reading JSON");
    memcpy((char *)owner + field->offset, &items, sizeof items);
    for (size_t k = 0; k < json_array_size(value); k++) {
        const struct document_place at = document_element(place, k);
        ++*count;
        if (!field_table_parse(items + k * list->size, json_array_get(value, k), &at, field->table,
                               failure) ||
            (list->follows && !list->follows(owner, &at, failure)))
            return false;
    }
    return true;
}

static bool count_parse(const struct field *field, const void *owner, void *value, json_t *member,
                        const struct document_place *at, struct failure *failure)
{
    const int64_t most = field->most ? field->most(owner) : (int64_t)field->greatest;
    int64_t count = 0;
    if (!member)
        return true;
    if (!document_count(member, at, (int64_t)field->least, most, &count, failure))
        return false;
    if (field->type == FIELD_INT)
        *(int *)value = (int)count;
    else if (field->type == FIELD_WHOLE)
        *(double *)value = (double)count;
    else
        *(int64_t *)value = count;
    return true;
}

/* Most parameters belong to the core task; others change what is planned. */
static bool parameters_parse(json_t *member, const struct document_place *at,
                             struct parameter_list *list, struct failure *failure)
{
    const struct document_place returned = document_at(at, RESULTS_PARAMETER);
    enum results known;
    if (!document_parameters(member, at, list, failure))
        return false;
    const struct parameter *results = parameter_list_find(list, RESULTS_PARAMETER);
    if (results && !(results->word && results_find(results->word, &known)))
        return document_refuse(failure, &returned, "must be \"none\", \"package\" or \"end\"");
    return true;
}

static bool model_parse(const json_t *member, const struct document_place *at,
                        enum operating *operating, struct failure *failure)
{
    const char *name = json_string_value(member);
    return !member || (name && operating_find(name, operating)) ||
           document_refuse(failure, at,
                           "is no operating model: 'scow plan --help' lists their names");
}

static bool member_parse(const struct field *field, void *owner, json_t *member,
                         const struct document_place *at, struct failure *failure)
{
    void *value = (char *)owner + field->offset;
    if (field->parse)
        return field->parse(owner, member, at, failure);
    if (field->type == FIELD_WORD)
        return document_word(member, at, value, failure);
    if (field->type == FIELD_DIGEST)
        return document_digest(member, at, value, failure);
    if (field->type == FIELD_FLAG)
        return document_flag(member, at, value, failure);
    if (field->type == FIELD_NUMBER)
        return document_number(member, at, field->least, field->greatest, value, failure);
    if (field->type == FIELD_PARAMETERS)
        return parameters_parse(member, at, value, failure);
    if (field->type == FIELD_MODEL)
        return model_parse(member, at, value, failure);
    if (field->type == FIELD_BLOCK)
        return document_block(member, at, value, failure);
    if (field->type == FIELD_OBJECT)
        return !member || field_table_parse(value, member, at, field->table, failure);
    if (field->type == FIELD_LIST)
        return list_parse(field, owner, member, at, failure);
    return count_parse(field, owner, value, member, at, failure);
}

/* A block must not repeat a parameter, so it is read after the parameters. */
static bool members_parse(void *object, json_t *value, const struct document_place *place,
                          const struct field_table *table, struct failure *failure)
{
    bool good = true;
    for (size_t k = 0; good && k < 2 * table->count; k++) {
        const struct field *field = &table->fields[k % table->count];
        const struct document_place at = document_at(place, field->key);
        if ((field->type == FIELD_BLOCK) != (k >= table->count))
            continue;
        if (field->type == FIELD_GROUP)
            good =
                members_parse((char *)object + field->offset, value, place, field->table, failure);
        else
            good = member_parse(field, object, json_object_get(value, field->key), &at, failure);
    }
    return good;
}

bool field_table_parse(void *object, json_t *value, const struct document_place *place,
                       const struct field_table *table, struct failure *failure)
{
    struct document_key keys[KEYS_MOST];
    const size_t count = keys_collect(table, keys, 0);
    return document_keys(value, place, keys, count, failure) &&
           members_parse(object, value, place, table, failure) &&
           (!table->check || table->check(object, place, failure));
}

bool field_table_read(void *object, const char *text, size_t length, const char *name,
                      const struct field_table *table, struct failure *failure)
{
    static const char *const none[] = {NULL};
    struct document document;
    const struct document_place place = {NULL, name, 0, &document};
    const char *const *keys = table->long_keys ? table->long_keys : none;
    const bool good = document_open(&document, text, length, name, keys, failure) &&
                      document_schema(document.root, &place, table->schema, failure) &&
                      field_table_parse(object, document.root, &place, table, failure);
    document_close(&document);
    return good;
}

/* ---- writing ------------------------------------------------------------------------------- */

struct writer {
    struct text *text;
    const void *root;
};

static void separate(struct text *text, int indent)
{
    text_add(text, indent > 0 ? ",\n%*s" : ", ", indent, "");
}

/* Reads a pointer to an object of any type. */
static const void *pointer_at(const void *value)
{
    const void *pointer;
    memcpy(&pointer, value, sizeof pointer);
    return pointer;
}

static size_t list_count(const struct field *field, const void *owner)
{
    return *(const size_t *)(const void *)((const char *)owner + field->list->count_offset);
}

static bool is_zero(const struct field *field, const void *owner)
{
    const void *value = (const char *)owner + field->offset;
    switch (field->type) {
    case FIELD_WORD:
    case FIELD_DIGEST:
        return !pointer_at(value);
    case FIELD_LIST:
        return list_count(field, owner) == 0;
    case FIELD_FLAG:
        return !*(const bool *)value;
    case FIELD_NUMBER:
    case FIELD_WHOLE:
        return *(const double *)value == 0;
    case FIELD_COUNT:
        return *(const int64_t *)value == 0;
    case FIELD_INT:
        return *(const int *)value == 0;
    case FIELD_MODEL:
        return *(const enum operating *)value == OPERATING_SINGLE_PORT;
    case FIELD_PARAMETERS:
        return ((const struct parameter_list *)value)->count == 0;
    case FIELD_BLOCK:
        return !parameter_list_block(value);
    case FIELD_OBJECT:
    case FIELD_GROUP:
        for (size_t k = 0; k < field->table->count; k++)
            if (!is_zero(&field->table->fields[k], value))
                return false;
        return true;
    case FIELD_OTHER:
        return field->given && !field->given(value);
    }
    return false;
}

static bool is_given(const struct field *field, const void *owner)
{
    const void *value = (const char *)owner + field->offset;
    const bool optional = field->type == FIELD_WORD || field->type == FIELD_DIGEST ||
                          field->type == FIELD_FLAG || field->type == FIELD_BLOCK ||
                          field->type == FIELD_MODEL ||
                          (field->flags & (FIELD_NONZERO | FIELD_SPARSE)) != 0;
    return (!optional || !is_zero(field, owner)) && (!field->given || field->given(value));
}

static void object_print(const struct writer *writer, const void *object,
                         const struct field_table *table);

static void list_print(const struct writer *writer, const struct field *field, const void *owner)
{
    const struct field_list *list = field->list;
    const size_t count =
        list->shown ? list->shown(writer->root, owner)
                    : *(const size_t *)(const void *)((const char *)owner + list->count_offset);
    const char *items = pointer_at((const char *)owner + field->offset);
    text_add(writer->text, list->indent > 0 ? "[\n%*s" : "[", list->indent, "");
    for (size_t k = 0; k < count; k++) {
        if (k > 0)
            separate(writer->text, list->indent);
        object_print(writer, items + k * list->size, field->table);
    }
    text_add(writer->text, list->indent > 0 ? "\n%*s]" : "]", list->indent - 2, "");
}

static void value_print(const struct writer *writer, const struct field *field, const void *owner)
{
    const void *value = (const char *)owner + field->offset;
    struct text *text = writer->text;
    if (field->type == FIELD_PARAMETERS) {
        text_add_parameters(text, value);
        return;
    }
    text_add(text, "\"%s\": ", field->key);
    if (field->print)
        field->print(text, owner);
    else if (field->type == FIELD_OBJECT)
        object_print(writer, value, field->table);
    else if (field->type == FIELD_LIST)
        list_print(writer, field, owner);
    else if (field->type == FIELD_WORD || field->type == FIELD_DIGEST)
        text_add_quoted(text, *(char *const *)value);
    else if (field->type == FIELD_FLAG)
        text_add(text, "true");
    else if (field->type == FIELD_COUNT)
        text_add(text, "%" PRId64, *(const int64_t *)value);
    else if (field->type == FIELD_INT)
        text_add(text, "%d", *(const int *)value);
    else if (field->type == FIELD_MODEL)
        text_add_quoted(text, operating_traits(*(const enum operating *)value)->name);
    else if (field->type == FIELD_BLOCK)
        text_add_number(text, parameter_list_block(value)->number);
    else
        text_add_number(text, *(const double *)value);
}

static void members_print(const struct writer *writer, const void *object,
                          const struct field_table *table, int indent, bool *first)
{
    for (size_t k = 0; k < table->count; k++) {
        const struct field *field = &table->fields[k];
        const void *value = (const char *)object + field->offset;
        if (!is_given(field, object))
            continue;
        if (field->type == FIELD_GROUP) {
            members_print(writer, value, field->table, indent, first);
            continue;
        }
        if (!*first && field->before)
            text_add(writer->text, "%s", field->before);
        else if (!*first)
            separate(writer->text, indent);
        *first = false;
        value_print(writer, field, object);
    }
}

static void object_print(const struct writer *writer, const void *object,
                         const struct field_table *table)
{
    bool first = !table->schema;
    text_add(writer->text, table->indent > 0 ? "{ " : "{");
    if (table->schema)
        text_add(writer->text, "\"schema\": \"%s\"", table->schema);
    members_print(writer, object, table, table->indent, &first);
    text_add(writer->text, table->indent > 0 ? " }" : "}");
}

void field_table_print(struct text *text, const void *object, const struct field_table *table)
{
    const struct writer writer = {text, object};
    object_print(&writer, object, table);
}

/* ---- copying ------------------------------------------------------------------------------- */

static bool fields_own(void *to, const void *from, const struct field_table *table);

static bool word_own(void *to, const void *from)
{
    const char *word = pointer_at(from);
    char *copy = word ? strdup(word) : NULL;
    memcpy(to, &copy, sizeof copy);
    return copy || !word;
}

static bool parameters_own(struct parameter_list *to, const struct parameter_list *from)
{
    *to = (struct parameter_list){NULL, 0};
    return parameter_list_copy(to, from);
}

static bool list_own(const struct field *field, void *to_owner, const void *from_owner)
{
    const size_t count = list_count(field, from_owner), size = field->list->size;
    const char *from = pointer_at((const char *)from_owner + field->offset);
    char *to = count > 0 ? calloc(count, size) : NULL;
    const bool there = to || count == 0;
    bool good = there;
    memcpy((char *)to_owner + field->offset, &to, sizeof to);
    if (!there)
        memset((char *)to_owner + field->list->count_offset, 0, sizeof count);
    for (size_t k = 0; there && k < count; k++)
        good = field_table_copy(to + k * size, from + k * size, size, field->table) && good;
    return good;
}

static bool field_own(const struct field *field, void *to_owner, const void *from_owner)
{
    void *to = (char *)to_owner + field->offset;
    const void *from = (const char *)from_owner + field->offset;
    switch (field->type) {
    case FIELD_WORD:
    case FIELD_DIGEST:
        return word_own(to, from);
    case FIELD_PARAMETERS:
        return parameters_own(to, from);
    case FIELD_OBJECT:
    case FIELD_GROUP:
        return fields_own(to, from, field->table);
    case FIELD_LIST:
        return list_own(field, to_owner, from_owner);
    case FIELD_OTHER:
        return !field->own || field->own(to_owner, from_owner);
    case FIELD_BLOCK: /* in the parameters */
    case FIELD_FLAG:
    case FIELD_NUMBER:
    case FIELD_WHOLE:
    case FIELD_COUNT:
    case FIELD_INT:
    case FIELD_MODEL:
        break;
    }
    return true;
}

/* Goes through all fields even where memory has run out: what could not be copied becomes NULL, so
 * that nothing has two owners. */
static bool fields_own(void *to, const void *from, const struct field_table *table)
{
    bool good = true;
    for (size_t k = 0; k < table->count; k++)
        good = field_own(&table->fields[k], to, from) && good;
    return good;
}

bool field_table_copy(void *to, const void *from, size_t size, const struct field_table *table)
{
    memcpy(to, from, size);
    return fields_own(to, from, table);
}

/* ---- comparing ----------------------------------------------------------------------------- */

static bool words_equal(const void *a, const void *b)
{
    const char *left = pointer_at(a), *right = pointer_at(b);
    return left && right ? strcmp(left, right) == 0 : left == right;
}

static bool lists_equal(const struct field *field, const void *a, const void *b)
{
    const char *left = pointer_at((const char *)a + field->offset);
    const char *right = pointer_at((const char *)b + field->offset);
    const size_t count = list_count(field, a), size = field->list->size;
    bool same = count == list_count(field, b);
    for (size_t k = 0; same && k < count; k++)
        same = field_table_equal(left + k * size, right + k * size, field->table);
    return same;
}

/* Compares by what would be written. */
static bool others_equal(const struct field *field, const void *a, const void *b)
{
    struct text left = TEXT_INIT, right = TEXT_INIT;
    field->print(&left, a);
    field->print(&right, b);
    const bool same = !left.failed && !right.failed && left.length == right.length &&
                      memcmp(left.bytes, right.bytes, left.length) == 0;
    text_release(&left);
    text_release(&right);
    return same;
}

static bool field_equal(const struct field *field, const void *a_owner, const void *b_owner)
{
    const void *a = (const char *)a_owner + field->offset;
    const void *b = (const char *)b_owner + field->offset;
    if (field->given && !field->given(a) && !field->given(b))
        return true;
    if (field->given && field->given(a) != field->given(b))
        return false;
    switch (field->type) {
    case FIELD_WORD:
    case FIELD_DIGEST:
        return words_equal(a, b);
    case FIELD_FLAG:
        return *(const bool *)a == *(const bool *)b;
    case FIELD_NUMBER:
    case FIELD_WHOLE:
        return *(const double *)a == *(const double *)b;
    case FIELD_COUNT:
        return *(const int64_t *)a == *(const int64_t *)b;
    case FIELD_INT:
        return *(const int *)a == *(const int *)b;
    case FIELD_MODEL:
        return *(const enum operating *)a == *(const enum operating *)b;
    case FIELD_PARAMETERS:
        return parameter_list_equal(a, b);
    case FIELD_BLOCK: /* in the parameters */
        return true;
    case FIELD_OBJECT:
    case FIELD_GROUP:
        return field_table_equal(a, b, field->table);
    case FIELD_LIST:
        return lists_equal(field, a_owner, b_owner);
    case FIELD_OTHER:
        return others_equal(field, a_owner, b_owner);
    }
    return false;
}

bool field_table_equal(const void *a, const void *b, const struct field_table *table)
{
    for (size_t k = 0; k < table->count; k++)
        if (!field_equal(&table->fields[k], a, b))
            return false;
    return true;
}
