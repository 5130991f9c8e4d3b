#include "planner/base/parameter.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"
#include "planner/base/limits.h"

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

bool parameter_equal(const struct parameter *a, const struct parameter *b)
{
    if (!a->word || !b->word)
        return !a->word && !b->word && a->number == b->number;
    return strcmp(a->word, b->word) == 0;
}

bool parameter_list_has(const struct parameter_list *list, const struct parameter_list *part)
{
    for (size_t k = 0; k < part->count; k++) {
        const struct parameter *other = parameter_list_find(list, part->items[k].name);
        if (!other || !parameter_equal(&part->items[k], other))
            return false;
    }
    return true;
}

bool parameter_list_merge(struct parameter_list *to, const struct parameter_list *from)
{
    struct parameter_list merged = {NULL, 0};
    bool good = true;
    for (size_t k = 0; good && k < to->count; k++) {
        const struct parameter *item = &to->items[k];
        const struct parameter *other = parameter_list_find(from, item->name);
        item = other ? other : item;
        good = parameter_list_add(&merged, item->name, item->word, item->number);
    }
    for (size_t k = 0; good && k < from->count; k++) {
        const struct parameter *item = &from->items[k];
        if (!parameter_list_find(&merged, item->name))
            good = parameter_list_add(&merged, item->name, item->word, item->number);
    }
    if (!good) {
        parameter_list_release(&merged);
        return false;
    }
    parameter_list_release(to);
    *to = merged;
    return true;
}

bool parameter_is_yes(const struct parameter *parameter)
{
    return parameter->word && strcmp(parameter->word, "yes") == 0;
}

bool parameter_list_equal(const struct parameter_list *a, const struct parameter_list *b)
{
    return a->count == b->count && parameter_list_has(b, a);
}

const struct parameter *parameter_list_find(const struct parameter_list *list, const char *name)
{
    for (size_t k = 0; k < list->count; k++)
        if (strcmp(list->items[k].name, name) == 0)
            return &list->items[k];
    return NULL;
}

const struct parameter *parameter_list_block(const struct parameter_list *list)
{
    const struct parameter *block = parameter_list_find(list, "block");
    const bool whole = block && !block->word && block->number >= 1 &&
                       block->number <= (double)LIMIT_BLOCK &&
                       block->number == (double)(int64_t)block->number;
    return whole ? block : NULL;
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
