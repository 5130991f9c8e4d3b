#include "planner/base/parameter.h"

#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"

bool parameter_list_add(struct parameter_list *list, const char *name, const char *word,
                        double number)
{
    struct parameter added = {strdup(name), word ? strdup(word) : NULL, word ? 0 : number};
    struct parameter *items = NULL;
    if (added.name && (!word || added.word))
        items = array_extend(list->items, list->count, sizeof *items);
    if (!items) {
        free(added.name);
        free(added.word);
        return false;
    }
    list->items = items;
    list->items[list->count++] = added;
    return true;
}

bool parameter_list_copy(struct parameter_list *to, const struct parameter_list *from)
{
    struct parameter_list copy = {NULL, 0};
    for (size_t k = 0; k < from->count; k++) {
        const struct parameter *item = &from->items[k];
        if (!parameter_list_add(&copy, item->name, item->word, item->number)) {
            parameter_list_release(&copy);
            return false;
        }
    }
    parameter_list_release(to);
    *to = copy;
    return true;
}

static bool parameter_equal(const struct parameter *a, const struct parameter *b)
{
    if (!a->word || !b->word)
        return !a->word && !b->word && a->number == b->number;
    return strcmp(a->word, b->word) == 0;
}

bool parameter_list_equal(const struct parameter_list *a, const struct parameter_list *b)
{
    if (a->count != b->count)
        return false;
    for (size_t k = 0; k < a->count; k++) {
        const struct parameter *other = parameter_list_find(b, a->items[k].name);
        if (!other || !parameter_equal(&a->items[k], other))
            return false;
    }
    return true;
}

const struct parameter *parameter_list_find(const struct parameter_list *list, const char *name)
{
    for (size_t k = 0; k < list->count; k++)
        if (strcmp(list->items[k].name, name) == 0)
            return &list->items[k];
    return NULL;
}

void parameter_list_release(struct parameter_list *list)
{
    for (size_t k = 0; k < list->count; k++) {
        free(list->items[k].name);
        free(list->items[k].word);
    }
    free(list->items);
    *list = (struct parameter_list){NULL, 0};
}
