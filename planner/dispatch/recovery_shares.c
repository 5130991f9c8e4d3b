/*
 * What moves between dispatches side by side: of what one of them has not handed out, the end of
 * the inner dispatch's first, for the beginning is needed sooner, then what came back.
 */
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

/* Copies stay, for their originals are out; where no worker lives, nothing is. */
static bool is_given(const struct dispatch_recovery *self, const struct recovery_entry *entry)
{
    return !entry->copy || self->living == 0;
}

static int64_t returned_left(const struct dispatch_recovery *self)
{
    int64_t tasks = 0;
    for (size_t k = 0; k < self->returned.count; k++)
        if (is_given(self, &self->returned.items[k]))
            tasks += self->returned.items[k].package.count;
    return tasks;
}

static int64_t suspects_left(const struct dispatch_recovery *self)
{
    int64_t tasks = 0;
    for (size_t k = 0; k < self->suspects.count; k++)
        tasks += self->suspects.items[k].package.count;
    return tasks;
}

static int64_t tasks_out(const struct dispatch_recovery *self)
{
    int64_t tasks = 0;
    for (size_t k = 0; k < self->out.count; k++)
        if (!self->out.items[k].done && !self->out.items[k].copy)
            tasks += self->out.items[k].package.count;
    return tasks;
}

struct dispatch_share dispatch_recovery_share(const struct dispatch *recovery)
{
    const struct dispatch_recovery *self = (const struct dispatch_recovery *)recovery;
    const bool none = self->handed_out && self->returned.count == 0 && self->suspects.count == 0;
    struct dispatch_share share = {.left = dispatch_left(self->inner) + returned_left(self),
                                   .out = tasks_out(self),
                                   .living = self->living};
    if (self->living == 0)
        share.left += suspects_left(self) + (self->holds ? self->held.count : 0);
    share.finished = self->over || (none && !recovery_is_awaited(self));
    share.wants = none && !self->over && recovery_is_idle(self);
    return share;
}

/* Of what came back, the last core tasks of the first range. */
static bool returned_give(struct dispatch_recovery *self, int64_t tasks,
                          struct dispatch_given *given)
{
    size_t kept = 0;
    bool good = true;
    for (size_t k = 0; k < self->returned.count; k++) {
        struct recovery_entry *entry = &self->returned.items[k];
        struct package *package = &entry->package;
        const int64_t count = package->count < tasks ? package->count : tasks;
        if (good && is_given(self, entry) && count > 0) {
            package->count -= count;
            good = dispatch_given_add(
                given, (struct task_range){package->first + package->count, count}, 0);
            tasks -= count;
            self->returned_tasks -= count;
        }
        if (package->count > 0)
            self->returned.items[kept++] = *entry;
    }
    self->returned.count = kept;
    return good;
}

static bool suspects_give(struct dispatch_recovery *self, struct dispatch_given *given)
{
    bool good = true;
    for (size_t k = 0; good && k < self->suspects.count; k++) {
        const struct recovery_entry *entry = &self->suspects.items[k];
        good = dispatch_given_add(
            given, (struct task_range){entry->package.first, entry->package.count}, entry->losses);
    }
    self->suspects.count = 0;
    return good;
}

bool dispatch_recovery_give(struct dispatch *recovery, int64_t tasks, struct dispatch_given *given)
{
    struct dispatch_recovery *self = (struct dispatch_recovery *)recovery;
    if (self->living == 0)
        return recovery_drain(self) && returned_give(self, INT64_MAX, given) &&
               suspects_give(self, given);
    const int64_t before = given->tasks;
    return dispatch_cut(self->inner, tasks, given) &&
           returned_give(self, tasks - (given->tasks - before), given);
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
