#include "planner/command/wanted.h"

#include <stdlib.h>
#include <string.h>

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
