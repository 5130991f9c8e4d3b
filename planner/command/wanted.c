#include "planner/command/wanted.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/nearest.h"
#include "planner/model/beyond.h"

static bool item_add(struct parameter_list *wanted, char *item, struct failure *failure)
{
    char *equals = strchr(item, '=');
    if (!equals || equals == item || !equals[1])
        return failure_set(failure, FAILURE_USAGE, "--set %s: give NAME=VALUE,NAME=VALUE,...",
                           item);
    *equals = '\0';
    char *end = NULL;
    const char *value = equals + 1;
    const double number = strtod(value, &end);
    return parameter_list_add(wanted, item, *end ? value : NULL, number) ||
           failure_memory(failure, "reading the command line");
}

bool wanted_read(const char *set, int64_t block, struct parameter_list *wanted,
                 struct failure *failure)
{
    char *items = set ? strdup(set) : NULL, *rest = NULL;
    bool good = !set || items || failure_memory(failure, "reading the command line");
    for (char *item = items ? strtok_r(items, ",", &rest) : NULL; good && item;
         item = strtok_r(NULL, ",", &rest))
        good = item_add(wanted, item, failure);
    free(items);
    if (good && block > 0 && !parameter_list_add(wanted, "block", NULL, (double)block))
        good = failure_memory(failure, "reading the command line");
    return good;
}

static bool like_refuse(const struct profile *profile, const char *path, const char *like,
                        struct failure *failure)
{
    char hint[NEAREST_HINT_SIZE];
    struct nearest nearest = {.word = like};
    const struct profile_window *window = &profile->settings[0].windows[0];
    for (size_t k = 0; k < profile_classes(profile, window); k++)
        if (window->workers[k].name)
            nearest_try(&nearest, window->workers[k].name);
    return failure_set(failure, FAILURE_USAGE,
                       "--like %.60s: '%s' has no class of workers of that name, and no rank (1 to "
                       "%" PRId64 "): %s",
                       like, path, beyond_measured(profile),
                       nearest_hint(&nearest, "", "'scow show' lists them", hint));
}

bool wanted_workers(struct profile *profile, const char *path, int64_t workers, const char *like,
                    struct failure *failure)
{
    const int64_t rank = like ? beyond_find(profile, like) : 0;
    if (like && rank == 0)
        return like_refuse(profile, path, like, failure);
    return beyond_extend(profile, workers, rank, failure);
}
