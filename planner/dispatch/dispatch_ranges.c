/*
 * What is left of a job as a dispatch: another one deals as many tasks as there are left, as if
 * they were a job of their own, and this one says which they are. No package crosses the end of a
 * range: one that would is sent in pieces, and is reported when all of them are.
 */
#include <stdlib.h>

#include "planner/base/array.h"
#include "planner/dispatch/dispatch_kind.h"

/* A package of the inner dispatch whose pieces are not all reported. */
struct whole {
    struct package package;
    int64_t first_index, pieces; /* handed out as packages first_index, ... */
    int64_t reported;
    double start_s, end_s;
};

struct dispatch_ranges {
    struct dispatch base;
    struct dispatch *inner;          /* owned */
    const struct task_range *ranges; /* borrowed */
    int64_t *places;                 /* owned; of each range, how many tasks lie before it */
    int64_t count;
    struct whole *wholes; /* owned; the last one is being cut while `rest` is not empty */
    size_t whole_count, whole_capacity;
    struct task_range rest; /* of it, in the inner dispatch's numbers */
    int64_t index;          /* of the next package */
};

/* The range that holds the inner dispatch's task. */
static int64_t range_find(const struct dispatch_ranges *self, int64_t task)
{
    int64_t low = 0, high = self->count - 1;
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (self->places[middle] <= task)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static void piece_next(struct dispatch_ranges *self, struct package *package)
{
    struct whole *whole = &self->wholes[self->whole_count - 1];
    const int64_t at = range_find(self, self->rest.first);
    const struct task_range *range = &self->ranges[at];
    const int64_t offset = self->rest.first - self->places[at];
    const int64_t there = range->count - offset;
    *package = whole->package;
    package->index = self->index++;
    package->first = range->first + offset;
    package->count = there < self->rest.count ? there : self->rest.count;
    self->rest.first += package->count;
    self->rest.count -= package->count;
    whole->pieces++;
}

static enum dispatch_answer ranges_next(struct dispatch *dispatch, double now_s,
                                        struct package *package)
{
    struct dispatch_ranges *self = (struct dispatch_ranges *)dispatch;
    if (self->rest.count == 0) {
        struct whole *wholes = array_reserve(self->wholes, &self->whole_capacity,
                                             self->whole_count + 1, sizeof *wholes);
        struct whole whole = {.first_index = self->index};
        if (!wholes)
            return DISPATCH_OUT_OF_MEMORY;
        self->wholes = wholes;
        const enum dispatch_answer answer = dispatch_next(self->inner, now_s, &whole.package);
        if (answer != DISPATCH_SEND)
            return answer;
        self->rest = (struct task_range){whole.package.first, whole.package.count};
        self->wholes[self->whole_count++] = whole;
    }
    piece_next(self, package);
    return DISPATCH_SEND;
}

/* The package that this one is a piece of; whole_count: there is none. */
static size_t whole_find(const struct dispatch_ranges *self, int64_t index)
{
    size_t k = 0;
    while (k < self->whole_count && !(index >= self->wholes[k].first_index &&
                                      index < self->wholes[k].first_index + self->wholes[k].pieces))
        k++;
    return k;
}

static void ranges_done(struct dispatch *dispatch, const struct package *package, double start_s,
                        double end_s)
{
    struct dispatch_ranges *self = (struct dispatch_ranges *)dispatch;
    const size_t k = whole_find(self, package->index);
    if (k == self->whole_count)
        return;
    struct whole *whole = &self->wholes[k];
    whole->start_s = whole->reported == 0 || start_s < whole->start_s ? start_s : whole->start_s;
    whole->end_s = whole->reported == 0 || end_s > whole->end_s ? end_s : whole->end_s;
    whole->reported++;
    const bool last = k == self->whole_count - 1;
    if (whole->reported < whole->pieces || (last && self->rest.count > 0))
        return;
    dispatch_done(self->inner, &whole->package, whole->start_s, whole->end_s);
    for (size_t i = k + 1; i < self->whole_count; i++) /* the last one stays the last */
        self->wholes[i - 1] = self->wholes[i];
    self->whole_count--;
}

/* What it had and had not reported stays among the wholes: they are never reported. */
static void ranges_lost(struct dispatch *dispatch, int64_t worker)
{
    dispatch_lost(((struct dispatch_ranges *)dispatch)->inner, worker);
}

static const struct dispatch *ranges_inner(const struct dispatch *dispatch)
{
    return ((const struct dispatch_ranges *)dispatch)->inner;
}

static void ranges_free(struct dispatch *dispatch)
{
    struct dispatch_ranges *self = (struct dispatch_ranges *)dispatch;
    dispatch_free(&self->inner);
    free(self->places);
    free(self->wholes);
    free(self);
}

struct dispatch *dispatch_new_ranges(struct dispatch *inner, const struct task_range *ranges,
                                     int64_t count)
{
    static const struct dispatch_kind kind = {ranges_next, ranges_done,  ranges_lost,
                                              ranges_free, ranges_inner, NULL};
    struct dispatch_ranges *self = calloc(1, sizeof *self);
    if (!self) {
        dispatch_free(&inner);
        return NULL;
    }
    *self =
        (struct dispatch_ranges){.base = {&kind}, .inner = inner, .ranges = ranges, .count = count};
    self->places = calloc((size_t)count + 1, sizeof *self->places);
    if (!self->places) {
        ranges_free(&self->base);
        return NULL;
    }
    for (int64_t k = 0; k < count; k++)
        self->places[k + 1] = self->places[k] + ranges[k].count;
    return &self->base;
}
