/* The lists of a recovering dispatch: what is out, what came back, and what is suspect. Memory for
 * all is reserved beforehand, so that handling a loss cannot fail. */
#include <assert.h>
#include <stdlib.h>

#include "planner/base/array.h"
#include "planner/dispatch/recovery_parts.h"

/* So many pieces a suspect package is handed out in (dispatch_recovery.c says why). */
enum { PIECES = 256 };

static bool list_reserve(struct recovery_list *list, size_t count)
{
    struct recovery_entry *items =
        array_reserve(list->items, &list->capacity, count, sizeof *items);
    if (items)
        list->items = items;
    return items != NULL;
}

static size_t *place_of(const struct dispatch_recovery *self, int64_t index)
{
    return &self->places[(size_t)index & (self->place_count - 1)];
}

/* Makes the hash table so large that packages rarely collide. */
static bool places_reserve(struct dispatch_recovery *self)
{
    enum { EACH = 8, LEAST = 1024 };
    size_t count = self->place_count > 0 ? self->place_count : LEAST;
    while (count < EACH * (self->out.count + 1))
        count *= 2;
    if (count == self->place_count)
        return true;
    size_t *places = calloc(count, sizeof *places);
    if (!places)
        return false;
    free(self->places);
    self->places = places;
    self->place_count = count;
    for (size_t k = 0; k < self->out.count; k++)
        *place_of(self, self->out.items[k].package.index) = k;
    return true;
}

bool recovery_reserve(struct dispatch_recovery *self)
{
    const size_t count = self->out.count + self->returned.count + self->suspects.count + 1;
    return places_reserve(self) && list_reserve(&self->out, count) &&
           list_reserve(&self->returned, count) && list_reserve(&self->suspects, count);
}

/* Does the package begin where the one ends that came back last? */
static bool follows_last(const struct recovery_list *list, const struct package *package)
{
    if (list->count == 0)
        return false;
    const struct recovery_entry *last = &list->items[list->count - 1];
    return !last->copy && last->package.first + last->package.count == package->first;
}

void recovery_return(struct dispatch_recovery *self, const struct package *package)
{
    struct recovery_list *list = &self->returned;
    self->returned_tasks += package->count;
    if ((self->deadline || self->living == 0) && !self->apart && follows_last(list, package)) {
        list->items[list->count - 1].package.count += package->count;
        return;
    }
    assert(list->items); /* reserved before */
    list->items[list->count++] = (struct recovery_entry){.package = *package};
}

void recovery_suspect_add(struct dispatch_recovery *self, const struct recovery_entry *entry)
{
    assert(self->suspects.items); /* reserved before */
    self->suspects.items[self->suspects.count++] =
        (struct recovery_entry){.package = entry->package,
                                .losses = entry->losses,
                                .piece = (entry->package.count + PIECES - 1) / PIECES,
                                .group = entry->group,
                                .copy = entry->copy};
}

void recovery_return_copy(struct dispatch_recovery *self, const struct package *package,
                          size_t group)
{
    self->returned_tasks += package->count;
    self->returned.items[self->returned.count++] =
        (struct recovery_entry){.package = *package, .group = group, .copy = true};
}

void recovery_put(struct dispatch_recovery *self, size_t place, const struct recovery_entry *entry)
{
    self->out.items[place] = *entry;
    *place_of(self, entry->package.index) = place;
}

struct recovery_entry *recovery_find(const struct dispatch_recovery *self, int64_t index)
{
    if (index < 0 || index >= self->index)
        return NULL;
    const size_t place = *place_of(self, index);
    if (place < self->out.count && self->out.items[place].package.index == index)
        return &self->out.items[place];
    for (size_t k = 0; k < self->out.count; k++)
        if (self->out.items[k].package.index == index)
            return &self->out.items[k];
    return NULL;
}

void recovery_take(struct dispatch_recovery *self, const struct recovery_entry *entry)
{
    self->alone -= recovery_is_alone(entry);
    recovery_put(self, (size_t)(entry - self->out.items), &self->out.items[self->out.count - 1]);
    self->out.count--;
}

bool recovery_is_idle(const struct dispatch_recovery *self)
{
    for (int64_t k = 0; k < self->workers; k++)
        if (!self->lost[k] && self->busy[k] == 0)
            return true;
    return false;
}

bool dispatch_recovery_suspect(struct dispatch *recovery, struct task_range range, int losses)
{
    struct dispatch_recovery *self = (struct dispatch_recovery *)recovery;
    const struct recovery_entry entry = {.package = {.first = range.first, .count = range.count},
                                         .losses = losses};
    if (!recovery_reserve(self))
        return false;
    recovery_suspect_add(self, &entry);
    return true;
}

bool dispatch_recovery_add(struct dispatch *recovery, struct task_range range, int64_t index)
{
    struct dispatch_recovery *self = (struct dispatch_recovery *)recovery;
    const struct package package = {.first = range.first, .count = range.count};
    if (!recovery_reserve(self))
        return false;
    recovery_return(self, &package);
    self->index = self->index > index ? self->index : index;
    return true;
}
