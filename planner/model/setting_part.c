#include "planner/model/setting_part.h"

#include <stdlib.h>

#include "planner/model/plan_ranges.h"
#include "planner/model/selection.h"

bool setting_part_init(struct setting_part *part, const struct profile_setting *from,
                       const struct plan_selection *workers, const struct task_range *ranges,
                       int64_t count)
{
    *part = (struct setting_part){.weights = NULL};
    if (!selection_setting(from, workers, &part->setting))
        return false;
    part->setting.map.work = (struct work){.tasks = 0};
    if (!from->weights)
        return true;
    part->weights = weights_select(from->weights, ranges, count);
    profile_setting_weigh(&part->setting, part->weights);
    if (part->weights)
        return true;
    setting_part_release(part);
    return false;
}

bool setting_part_star(struct setting_part *part, const struct profile_setting *from,
                       int64_t before, int64_t workers, const struct plan *star)
{
    struct plan_run run = {before, before + workers - 1};
    const struct plan_selection selection = {&run, 1};
    const struct task_range range = {(int64_t)star->first, (int64_t)star->tasks};
    return setting_part_init(part, from, &selection, &range, 1);
}

bool setting_part_group(struct setting_part *part, const struct profile_setting *from,
                        int64_t before, int64_t workers, const struct plan *whole)
{
    struct plan_run run = {before, before + workers - 1};
    struct plan_ranges ranges = {.items = NULL};
    const bool good = (!from->weights || plan_ranges_group(whole, before, &ranges)) &&
                      setting_part_init(part, from, &(const struct plan_selection){&run, 1},
                                        ranges.items, (int64_t)ranges.count);
    free(ranges.items);
    return good;
}

void setting_part_release(struct setting_part *part)
{
    selection_setting_release(&part->setting);
    weights_free(part->weights);
    *part = (struct setting_part){.weights = NULL};
}
