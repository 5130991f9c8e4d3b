/* What moves between dispatches side by side. Of what one of them has not handed out, the end of
 * the inner dispatch's core tasks moves first, because the beginning is needed sooner; then what
 * came back; then what is suspect. */
#include <math.h>
#include <stdlib.h>

#include "planner/dispatch/recovery_parts.h"

void dispatch_recovery_open(struct dispatch *recovery)
{
    ((struct dispatch_recovery *)recovery)->open = true;
}

void dispatch_recovery_close(struct dispatch *recovery)
{
    ((struct dispatch_recovery *)recovery)->open = false;
}

/* Copies are not given away, because their originals are with workers here, and neither are
 * suspects of which there are copies. Suspects that cost too many workers already are begun one at
 * a time, which only the dispatch that has all of them can ensure. Where no worker lives, all is
 * given. */
static bool is_given(const struct dispatch_recovery *self, const struct recovery_entry *entry)
{
    return self->living == 0 ||
           (!entry->copy && entry->group == 0 && entry->losses < DISPATCH_LOSSES_MOST);
}

/* ---- what there is -------------------------------------------------------------------------- */

static void left_add(const struct dispatch_recovery *self, struct task_range range,
                     struct dispatch_share *share)
{
    share->left += range.count;
    share->left_work += recovery_worth(self, range);
}

/* What is still to be sent of a package in pieces (dispatch_ranges.c) cannot be given away, but is
 * work that is left. */
static void inner_left(const struct dispatch_recovery *self, struct dispatch_share *share)
{
    share->left = dispatch_left(self->inner);
    if (!self->worth)
        share->left_work = (double)share->left;
    else if (share->left > 0)
        share->left_work = fmax(0, self->inner_work);
}

/* Of what is to be handed out again. */
static void list_left(const struct dispatch_recovery *self, const struct recovery_list *list,
                      struct dispatch_share *share)
{
    for (size_t k = 0; k < list->count; k++)
        if (is_given(self, &list->items[k]))
            left_add(self, package_range(&list->items[k].package), share);
}

static double work_out(const struct dispatch_recovery *self)
{
    double units = 0;
    for (size_t k = 0; k < self->out.count; k++)
        if (!self->out.items[k].done && !self->out.items[k].copy)
            units += recovery_worth(self, package_range(&self->out.items[k].package));
    return units;
}

struct dispatch_share dispatch_recovery_share(const struct dispatch *recovery)
{
    const struct dispatch_recovery *self = (const struct dispatch_recovery *)recovery;
    const bool none = self->handed_out && self->returned.count == 0 && self->suspects.count == 0;
    struct dispatch_share share = {
        .out_work = work_out(self), .done_work = self->done_work, .living = self->living};
    inner_left(self, &share);
    list_left(self, &self->returned, &share);
    list_left(self, &self->suspects, &share);
    if (self->living == 0 && self->holds)
        left_add(self, (struct task_range){self->held.first, self->held.count}, &share);
    share.finished = self->over || (none && !recovery_is_awaited(self));
    share.wants = none && !self->over && recovery_is_idle(self);
    return share;
}

/* ---- what is given and taken ---------------------------------------------------------------- */

/* Takes back the first of these core tasks, where they are worth more than was wanted. */
static bool surplus_keep(struct dispatch_recovery *self, double units, struct dispatch_given *given)
{
    bool good = true;
    while (good && given->count > 0) {
        struct task_range *last = &given->items[given->count - 1].range;
        const struct task_range all = *last;
        const double gives = recovery_worth(self, all) - units;
        const int64_t stays = all.count - (gives > 0 ? recovery_last_worth(self, all, gives) : 0);
        if (stays == 0)
            break;
        good = dispatch_recovery_add(&self->base, (struct task_range){all.first, stays}, 0);
        units -= recovery_worth(self, (struct task_range){all.first, stays});
        *last = (struct task_range){all.first + stays, all.count - stays};
        given->tasks -= stays;
        if (last->count > 0)
            break;
        given->count--;
    }
    return good;
}

/* Gives in steps, because the inner dispatch does not know what its core tasks are worth. */
static bool inner_give(struct dispatch_recovery *self, double units, struct dispatch_given *given)
{
    enum { STEPS = 16 };
    const int64_t left = dispatch_left(self->inner), step = (left + STEPS - 1) / STEPS;
    bool good = true;
    if (!self->worth)
        return recovery_cut(self, (int64_t)fmin(ceil(units), (double)left), given);
    for (bool more = true; good && more && units > 0;) {
        struct dispatch_given cut = {.items = NULL};
        good = recovery_cut(self, step, &cut);
        more = cut.tasks > 0;
        const double worth = recovery_given_worth(self, &cut);
        if (good && worth > units)
            good = surplus_keep(self, worth - units, &cut);
        units -= worth;
        good = recovery_given_join(given, &cut) && good;
    }
    return good;
}

/* Of what is to be handed out again, the last core tasks of the first range. */
static bool list_give(const struct dispatch_recovery *self, struct recovery_list *list,
                      double units, struct dispatch_given *given)
{
    size_t kept = 0;
    bool good = true;
    for (size_t k = 0; k < list->count; k++) {
        struct recovery_entry *entry = &list->items[k];
        struct package *package = &entry->package;
        const int64_t count =
            units > 0 ? recovery_last_worth(self, package_range(package), units) : 0;
        if (good && is_given(self, entry) && count > 0) {
            package->count -= count;
            const struct task_range range = {package->first + package->count, count};
            good = dispatch_given_add(given, range, entry->losses);
            units -= recovery_worth(self, range);
        }
        if (package->count > 0)
            list->items[kept++] = *entry;
    }
    list->count = kept;
    return good;
}

static bool returned_give(struct dispatch_recovery *self, double units,
                          struct dispatch_given *given)
{
    const int64_t before = given->tasks;
    const bool good = list_give(self, &self->returned, units, given);
    self->returned_tasks -= given->tasks - before;
    return good;
}

bool dispatch_recovery_give(struct dispatch *recovery, double units, struct dispatch_given *given)
{
    struct dispatch_recovery *self = (struct dispatch_recovery *)recovery;
    const double until = recovery_given_worth(self, given) + units;
    if (self->living == 0)
        return recovery_drain(self) && returned_give(self, HUGE_VAL, given) &&
               list_give(self, &self->suspects, HUGE_VAL, given);
    return inner_give(self, units, given) &&
           returned_give(self, until - recovery_given_worth(self, given), given) &&
           list_give(self, &self->suspects, until - recovery_given_worth(self, given), given);
}

bool dispatch_recovery_take(struct dispatch *recovery, const struct dispatch_given *given)
{
    bool good = true;
    for (size_t k = 0; good && k < given->count; k++) {
        const struct dispatch_part *part = &given->items[k];
        good = part->losses > 0 ? dispatch_recovery_suspect(recovery, part->range, part->losses)
                                : dispatch_recovery_add(recovery, part->range, 0);
    }
    return good;
}
