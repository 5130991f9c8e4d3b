#include "planner/studies/planning.h"

#include <string.h>

#include "planner/base/nearest.h"
#include "planner/studies/master_share.h"

bool planning_check_scheduler(const char *name, struct failure *failure)
{
    char hint[NEAREST_HINT_SIZE];
    struct nearest nearest = {.word = name};
    size_t count = 0;
    const struct scheduler *list = scheduler_list(&count);
    if (strcmp(name, SCHEDULER_AUTO) == 0 || scheduler_find(name))
        return true;
    nearest_try(&nearest, SCHEDULER_AUTO);
    for (size_t k = 0; k < count; k++)
        nearest_try(&nearest, list[k].name);
    return failure_set(failure, FAILURE_USAGE, "unknown scheduler '%.60s': %s", name,
                       nearest_hint(&nearest, "", "'scow plan --help' lists them", hint));
}

bool planning_make(const struct planning *planning, struct plan *plan, struct failure *failure)
{
    return planning->master_computes ? master_share_make(planning, plan, failure)
                                     : planning_make_given(planning, plan, failure);
}
