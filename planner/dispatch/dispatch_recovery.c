/* A dispatch that survives the loss of workers: what comes back is handed out again. */
#include <stdlib.h>

#include "planner/base/array.h"
#include "planner/dispatch/dispatch_kind.h"
#include "planner/model/platform.h"

/* `original` is as the inner dispatch handed it out; its count is 0 where it does not know of it.
 */
struct recovery_entry {
    struct package package, original;
};

struct recovery_list {
    struct recovery_entry *items; /* owned */
    size_t count, capacity;
};

struct dispatch_recovery {
    struct dispatch base;
    struct dispatch *inner; /* owned */
    int64_t workers, living;
    bool *lost;               /* owned, per worker */
    int64_t *busy;            /* owned, per worker: packages out */
    struct recovery_list out; /* handed out and not reported */
    size_t *places;           /* owned; of each package that is out, where it is there */
    size_t place_capacity;
    struct recovery_list returned; /* to be handed out again; index and worker are old */
    int64_t returned_tasks;
    int64_t index, round; /* of the next package, of the last one */
};

static bool list_reserve(struct recovery_list *list, size_t count)
{
    struct recovery_entry *items =
        array_reserve(list->items, &list->capacity, count, sizeof *items);
    if (items)
        list->items = items;
    return items != NULL;
}

/* Room for one more package, out or returned, and for all that are out to return: a loss cannot
 * fail. */
static bool lists_reserve(struct dispatch_recovery *self)
{
    size_t count = self->out.count + self->returned.count + 1;
    size_t *places =
        array_reserve(self->places, &self->place_capacity, (size_t)self->index + 1, sizeof *places);
    if (!places)
        return false;
    self->places = places;
    return list_reserve(&self->out, count) && list_reserve(&self->returned, count);
}

static void package_return(struct dispatch_recovery *self, const struct package *package)
{
    self->returned.items[self->returned.count++] = (struct recovery_entry){.package = *package};
    self->returned_tasks += package->count;
}

static void entry_put(struct dispatch_recovery *self, size_t place,
                      const struct recovery_entry *entry)
{
    self->out.items[place] = *entry;
    self->places[entry->package.index] = place;
}

/* NULL: it is not out. */
static const struct recovery_entry *entry_find(const struct dispatch_recovery *self, int64_t index)
{
    if (index < 0 || index >= self->index)
        return NULL;
    const size_t place = self->places[index];
    const bool out = place < self->out.count && self->out.items[place].package.index == index;
    return out ? &self->out.items[place] : NULL;
}

static void package_out(struct dispatch_recovery *self, struct package *package,
                        const struct package *original)
{
    package->index = self->index++;
    self->round = package->round;
    self->busy[package->worker]++;
    entry_put(self, self->out.count++, &(struct recovery_entry){*package, *original});
}

/* The living worker with the fewest packages out, if it has a buffer to spare. */
static int64_t worker_choose(const struct dispatch_recovery *self)
{
    int64_t chosen = -1;
    for (int64_t k = 0; k < self->workers; k++)
        if (!self->lost[k] && self->busy[k] < PLATFORM_BUFFERS &&
            (chosen < 0 || self->busy[k] < self->busy[chosen]))
            chosen = k;
    return chosen;
}

/* Half of what came back over the living, from the last range that came back. */
static enum dispatch_answer returned_next(struct dispatch_recovery *self, struct package *package)
{
    static const struct package none = {.count = 0};
    int64_t worker = worker_choose(self);
    if (worker < 0)
        return DISPATCH_WAIT;
    struct package *range = &self->returned.items[self->returned.count - 1].package;
    int64_t share = (self->returned_tasks + 2 * self->living - 1) / (2 * self->living);
    *package = *range;
    package->worker = worker;
    package->round = self->round;
    package->count = share < range->count ? share : range->count;
    range->first += package->count;
    range->count -= package->count;
    self->returned_tasks -= package->count;
    self->returned.count -= range->count == 0;
    package_out(self, package, &none);
    return DISPATCH_SEND;
}

static enum dispatch_answer recovery_next(struct dispatch *dispatch, double now_s,
                                          struct package *package)
{
    struct dispatch_recovery *self = (struct dispatch_recovery *)dispatch;
    enum dispatch_answer answer;
    for (;;) {
        if (!lists_reserve(self))
            return DISPATCH_OUT_OF_MEMORY;
        answer = dispatch_next(self->inner, now_s, package);
        if (answer != DISPATCH_SEND)
            break;
        if (!self->lost[package->worker]) {
            const struct package original = *package;
            package_out(self, package, &original);
            return DISPATCH_SEND;
        }
        package_return(self, package);
    }
    if (answer == DISPATCH_OUT_OF_MEMORY)
        return answer;
    if (self->returned.count > 0)
        return returned_next(self, package);
    return answer == DISPATCH_FINISHED && self->out.count > 0 ? DISPATCH_DEALT : answer;
}

static void recovery_done(struct dispatch *dispatch, const struct package *package, double start_s,
                          double end_s)
{
    struct dispatch_recovery *self = (struct dispatch_recovery *)dispatch;
    const struct recovery_entry *entry = entry_find(self, package->index);
    if (!entry)
        return;
    const struct package original = entry->original;
    entry_put(self, self->places[package->index], &self->out.items[self->out.count - 1]);
    self->out.count--;
    self->busy[package->worker]--;
    if (original.count > 0)
        dispatch_done(self->inner, &original, start_s, end_s);
}

static void recovery_lost(struct dispatch *dispatch, int64_t worker)
{
    struct dispatch_recovery *self = (struct dispatch_recovery *)dispatch;
    size_t kept = 0;
    if (worker >= self->workers || self->lost[worker] || self->living == 1)
        return; /* the last one cannot be replaced */
    self->lost[worker] = true;
    self->living--;
    dispatch_lost(self->inner, worker);
    for (size_t k = 0; k < self->out.count; k++) {
        if (self->out.items[k].package.worker == worker)
            package_return(self, &self->out.items[k].package);
        else
            entry_put(self, kept++, &self->out.items[k]);
    }
    self->out.count = kept;
    self->busy[worker] = 0;
}

static const struct dispatch *recovery_inner(const struct dispatch *dispatch)
{
    return ((const struct dispatch_recovery *)dispatch)->inner;
}

static void recovery_free(struct dispatch *dispatch)
{
    struct dispatch_recovery *self = (struct dispatch_recovery *)dispatch;
    dispatch_free(&self->inner);
    free(self->lost);
    free(self->busy);
    free(self->out.items);
    free(self->places);
    free(self->returned.items);
    free(self);
}

struct dispatch *dispatch_new_recovery(struct dispatch *inner, int64_t workers)
{
    static const struct dispatch_kind kind = {recovery_next, recovery_done,  recovery_lost,
                                              recovery_free, recovery_inner, NULL};
    struct dispatch_recovery *self = calloc(1, sizeof *self);
    if (!self) {
        dispatch_free(&inner);
        return NULL;
    }
    *self = (struct dispatch_recovery){
        .base = {&kind}, .inner = inner, .workers = workers, .living = workers};
    self->lost = calloc((size_t)workers, sizeof *self->lost);
    self->busy = calloc((size_t)workers, sizeof *self->busy);
    if (!self->lost || !self->busy) {
        recovery_free(&self->base);
        return NULL;
    }
    return &self->base;
}
