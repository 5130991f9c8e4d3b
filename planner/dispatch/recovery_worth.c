/* What core tasks are worth that a recovering dispatch hands out, gives away or takes back. */
#include <math.h>

#include "planner/dispatch/recovery_parts.h"

void dispatch_recovery_weigh(struct dispatch *recovery, const struct work *work, double units)
{
    struct dispatch_recovery *self = (struct dispatch_recovery *)recovery;
    self->worth = work;
    self->inner_work = units;
}

double recovery_worth(const struct dispatch_recovery *self, struct task_range range)
{
    return self->worth ? work_worth(self->worth, range) : (double)range.count;
}

int64_t recovery_last_worth(const struct dispatch_recovery *self, struct task_range range,
                            double units)
{
    const int64_t end = range.first + range.count;
    if (units >= recovery_worth(self, range))
        return range.count;
    if (!self->worth)
        return (int64_t)ceil(units);
    const double before = work_before(self->worth, (double)end) - units;
    int64_t from = work_nearest(self->worth, self->worth->tasks, before, range.first);
    while (from > range.first && work_before(self->worth, (double)from) > before)
        from--;
    return end - from;
}

/* The fewest of the range's first core tasks that are worth so much, or all of them. */
static int64_t first_worth(const struct dispatch_recovery *self, struct task_range range,
                           double units)
{
    const int64_t end = range.first + range.count;
    if (units >= recovery_worth(self, range))
        return range.count;
    const double until = work_before(self->worth, (double)range.first) + units;
    int64_t at = work_nearest(self->worth, self->worth->tasks, until, range.first + 1);
    while (at < end && work_before(self->worth, (double)at) < until)
        at++;
    return at - range.first;
}

int64_t recovery_share(const struct dispatch_recovery *self, const struct recovery_entry *from)
{
    const int64_t parts = 2 * self->living;
    double units = 0;
    if (!self->worth)
        return (self->returned_tasks + parts - 1) / parts;
    for (size_t k = 0; k < self->returned.count; k++)
        units += recovery_worth(self, package_range(&self->returned.items[k].package));
    return first_worth(self, package_range(&from->package), units / (double)parts);
}

double recovery_given_worth(const struct dispatch_recovery *self,
                            const struct dispatch_given *given)
{
    double units = 0;
    for (size_t k = 0; k < given->count; k++)
        units += recovery_worth(self, given->items[k].range);
    return units;
}

bool recovery_given_join(struct dispatch_given *given, struct dispatch_given *cut)
{
    bool good = true;
    for (size_t k = 0; good && k < cut->count; k++)
        good = dispatch_given_add(given, cut->items[k].range, cut->items[k].losses);
    dispatch_given_release(cut);
    return good;
}

bool recovery_cut(struct dispatch_recovery *self, int64_t tasks, struct dispatch_given *given)
{
    struct dispatch_given cut = {.items = NULL};
    const bool good = dispatch_cut(self->inner, tasks, &cut);
    self->inner_work -= recovery_given_worth(self, &cut);
    return recovery_given_join(given, &cut) && good;
}
