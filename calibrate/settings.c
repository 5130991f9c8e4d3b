#include "calibrate/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"

/* Combinations under way. */
struct combining {
    struct settings *settings;
    const struct scow_task *task;
    const struct setting_wish *wishes;
    int count;
    struct failure *failure;
};

/* One value as typed, `length` characters of it, appended. */
static bool value_add(const struct combining *combining, struct parameter_list *list,
                      const struct setting_wish *wish, const char *typed, size_t length)
{
    struct failure *failure = combining->failure;
    char *word = strndup(typed, length), *end = NULL;
    if (!word)
        return failure_memory(failure, "reading the command line");
    const double number = strtod(word, &end);
    if (wish->number && (end == word || *end != '\0'))
        failure_set(failure, FAILURE_USAGE, "--%s needs a number, not '%.60s'", wish->name, word);
    else if (!parameter_list_add(list, wish->name, wish->number ? NULL : word, number))
        failure_memory(failure, "reading the command line");
    free(word);
    return failure->code == FAILURE_NONE;
}

/* The threads apart from the core task's own parameters. */
static bool threads_take(const struct parameter_list *chosen, struct parameter_list *parameters,
                         int *threads, struct failure *failure)
{
    for (size_t i = 0; i < chosen->count; i++) {
        const struct parameter *item = &chosen->items[i];
        if (strcmp(item->name, SETTING_THREADS) != 0) {
            if (!parameter_list_add(parameters, item->name, item->word, item->number))
                return failure_memory(failure, "reading the command line");
            continue;
        }
        if (!(item->number >= 1 && item->number <= LIMIT_THREADS) ||
            item->number != floor(item->number))
            return failure_set(failure, FAILURE_USAGE,
                               "--threads must be whole numbers from 1 to %d", (int)LIMIT_THREADS);
        *threads = (int)item->number;
    }
    return true;
}

static bool setting_add(const struct combining *combining, const struct parameter_list *chosen)
{
    struct settings *settings = combining->settings;
    struct parameter_list parameters = {0};
    if (settings->count == SETTINGS_MOST)
        return failure_set(combining->failure, FAILURE_USAGE,
                           "more than %d combinations of parameters: list fewer values",
                           SETTINGS_MOST);
    struct setting *setting = &settings->items[settings->count++];
    const bool good =
        threads_take(chosen, &parameters, &setting->threads, combining->failure) &&
        values_read(&setting->values, combining->task, &parameters, NULL, true, combining->failure);
    parameter_list_release(&parameters);
    return good;
}

/* Adds a setting for each combination of the wishes from `index` on with what is `chosen`. */
static bool wishes_combine(const struct combining *combining, int index,
                           const struct parameter_list *chosen)
{
    if (index == combining->count)
        return setting_add(combining, chosen);
    const struct setting_wish *wish = &combining->wishes[index];
    const char *typed = wish->typed;
    bool good = true;
    do {
        struct parameter_list more = {0};
        const bool several = wish->number || wish->listed;
        const size_t length = !typed ? 0 : several ? strcspn(typed, ",") : strlen(typed);
        good = parameter_list_copy(&more, chosen) ||
               failure_memory(combining->failure, "reading parameters");
        good = good && (!typed || value_add(combining, &more, wish, typed, length)) &&
               wishes_combine(combining, index + 1, &more);
        parameter_list_release(&more);
        typed = typed && typed[length] == ',' ? typed + length + 1 : NULL;
    } while (good && typed);
    return good;
}

/* A block is always a setting's own, so that profiles with one and with several look alike. */
static void own_find(struct settings *settings, const struct setting_wish *wishes, int count)
{
    for (int i = 0; i < count && settings->own_count < SETTING_PARAMETERS_MOST; i++) {
        const bool listed = wishes[i].typed && (wishes[i].number || wishes[i].listed) &&
                            strchr(wishes[i].typed, ',');
        if (strcmp(wishes[i].name, SETTING_THREADS) == 0)
            continue;
        if (listed || strcmp(wishes[i].name, "block") == 0)
            settings->own[settings->own_count++] = wishes[i].name;
    }
}

static bool are_alike(const struct setting *a, const struct setting *b)
{
    for (int i = 0; i < a->values.count; i++)
        if (a->values.items[i].number != b->values.items[i].number)
            return false;
    return a->threads == b->threads && a->values.staged == b->values.staged &&
           a->values.write_behind == b->values.write_behind &&
           order_same(&a->values.order, &b->values.order);
}

static bool any_twice(const struct settings *settings)
{
    for (int i = 1; i < settings->count; i++)
        for (int k = 0; k < i; k++)
            if (are_alike(&settings->items[i], &settings->items[k]))
                return true;
    return false;
}

static bool switched_combine(const struct combining *combining, bool staged, bool write_behind,
                             bool collect)
{
    struct parameter_list chosen = {0};
    const bool good =
        (((!staged || parameter_list_add(&chosen, VALUES_STAGED, "yes", 0)) &&
          (!write_behind || parameter_list_add(&chosen, VALUES_WRITE_BEHIND, "yes", 0)) &&
          (!collect ||
           parameter_list_add(&chosen, RESULTS_PARAMETER, results_name(RESULTS_PACKAGE), 0))) ||
         failure_memory(combining->failure, "reading the command line")) &&
        wishes_combine(combining, 0, &chosen);
    parameter_list_release(&chosen);
    return good;
}

static bool switches_combine(const struct combining *combining,
                             const struct setting_switches *switches)
{
    bool good = true;
    for (int way = 3; good && way >= 0; way--) {
        const bool staged = way & 2, behind = way & 1;
        if (switches->staged & (staged ? SETTING_YES : SETTING_NO) &&
            switches->write_behind & (behind ? SETTING_YES : SETTING_NO))
            good = switched_combine(combining, staged, behind, switches->collect);
    }
    return good;
}

static void own_add(struct settings *settings, const char *name)
{
    if (settings->own_count < SETTING_PARAMETERS_MOST)
        settings->own[settings->own_count++] = name;
}

bool settings_read(struct settings *settings, const struct scow_task *task,
                   const struct setting_wish *wishes, int count,
                   const struct setting_switches *switches, struct failure *failure)
{
    *settings = (struct settings){.count = 0};
    const struct combining combining = {settings, task, wishes, count, failure};
    own_find(settings, wishes, count);
    if (switches->staged == SETTING_BOTH)
        own_add(settings, VALUES_STAGED);
    if (switches->write_behind != SETTING_NO) /* it is a part of how a setting is predicted */
        own_add(settings, VALUES_WRITE_BEHIND);
    bool good = switches_combine(&combining, switches);
    if (good && any_twice(settings))
        good = failure_set(failure, FAILURE_USAGE,
                           "a list names the same value twice: once is enough");
    return good;
}

void settings_release(struct settings *settings)
{
    for (int i = 0; i < settings->count; i++)
        values_release(&settings->items[i].values);
}
