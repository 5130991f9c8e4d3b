#include "planner/model/grouping.h"

#include <stdlib.h>

#include "planner/base/array.h"

struct group *grouping_add(struct group *group)
{
    struct group *groups = array_extend(group->groups, group->group_count, sizeof *groups);
    if (!groups)
        return NULL;
    group->groups = groups;
    groups[group->group_count] = (struct group){.master = 0};
    return &groups[group->group_count++];
}

bool grouping_even(struct group *whole, int64_t workers, int64_t groups)
{
    *whole = (struct group){.master = 0};
    for (int64_t k = 0; k < groups; k++) {
        struct group *group = grouping_add(whole);
        if (!group)
            return false;
        group->master = k * workers / groups + 1;
        if (!selection_add(&group->workers, group->master, (k + 1) * workers / groups - 1))
            return false;
    }
    return true;
}

void grouping_release(struct group *group)
{
    for (size_t k = 0; k < group->group_count; k++)
        grouping_release(&group->groups[k]);
    free(group->groups);
    selection_release(&group->workers);
    *group = (struct group){.master = 0};
}

int64_t grouping_workers(const struct group *group)
{
    int64_t count = 0;
    for (size_t k = 0; k < group->workers.count; k++)
        count += group->workers.runs[k].last - group->workers.runs[k].first + 1;
    for (size_t k = 0; k < group->group_count; k++)
        count += grouping_workers(&group->groups[k]);
    return count;
}

int64_t grouping_leaves(const struct group *group)
{
    int64_t count = group->group_count == 0;
    for (size_t k = 0; k < group->group_count; k++)
        count += grouping_leaves(&group->groups[k]);
    return count;
}

int64_t grouping_highest(const struct group *group)
{
    int64_t highest = group->master;
    for (size_t k = 0; k < group->workers.count; k++)
        if (group->workers.runs[k].last + 1 > highest)
            highest = group->workers.runs[k].last + 1;
    for (size_t k = 0; k < group->group_count; k++) {
        const int64_t below = grouping_highest(&group->groups[k]);
        highest = below > highest ? below : highest;
    }
    return highest;
}
