/*
 * Units of worth as a dispatch of tasks. Where a unit begins in the job follows from prefix sums of
 * the weights; a package of units [a, b) is the tasks between the places of a and b, so that all
 * packages together are all tasks, each once.
 */
#include "planner/dispatch/weighted.h"

#include <math.h>
#include <stdlib.h>

#include "planner/base/array.h"
#include "planner/dispatch/dispatch_kind.h"

/* From here on, until the next one. */
struct place {
    double unit;
    int64_t task;
};

/* A package as the inner dispatch has sent it. */
struct sent {
    struct package package;
    int64_t index; /* as it was handed on */
};

struct dispatch_weighted {
    struct dispatch base;
    struct dispatch *inner; /* owned */
    struct place *places;   /* owned; of every range, and of the end */
    int64_t count;
    struct sent *sent; /* owned; those that are not reported */
    size_t sent_count, sent_capacity;
    int64_t index; /* of the next package */
};

/* The first task of this unit: the nearest, so that errors do not add up. */
static int64_t task_at(const struct dispatch_weighted *self, int64_t unit)
{
    int64_t low = 0, high = self->count - 1;
    const double at = (double)unit;
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (self->places[middle].unit <= at)
            low = middle;
        else
            high = middle - 1;
    }
    const struct place *from = &self->places[low], *to = from + 1;
    const double share = (at - from->unit) / (to->unit - from->unit);
    const int64_t tasks = to->task - from->task;
    const int64_t within = llround(fmin(fmax(share, 0), 1) * (double)tasks);
    return unit <= 0 ? 0 : from->task + within;
}

/* The last unit ends where the job does, whatever was rounded. */
static int64_t task_before(const struct dispatch_weighted *self, int64_t unit)
{
    const int64_t tasks = self->places[self->count].task;
    return unit >= tasks ? tasks : task_at(self, unit);
}

static enum dispatch_answer weighted_next(struct dispatch *dispatch, double now_s,
                                          struct package *package)
{
    struct dispatch_weighted *self = (struct dispatch_weighted *)dispatch;
    for (;;) {
        struct sent *room =
            array_reserve(self->sent, &self->sent_capacity, self->sent_count + 1, sizeof *room);
        if (!room)
            return DISPATCH_OUT_OF_MEMORY;
        self->sent = room;
        const enum dispatch_answer answer = dispatch_next(self->inner, now_s, package);
        if (answer != DISPATCH_SEND)
            return answer;
        const struct package units = *package;
        package->first = task_at(self, units.first);
        package->count = task_before(self, units.first + units.count) - package->first;
        package->index = self->index;
        if (package->count == 0) {
            dispatch_done(self->inner, &units, now_s, now_s);
            continue;
        }
        room[self->sent_count++] = (struct sent){units, self->index++};
        return DISPATCH_SEND;
    }
}

static void weighted_done(struct dispatch *dispatch, const struct package *package, double start_s,
                          double end_s)
{
    struct dispatch_weighted *self = (struct dispatch_weighted *)dispatch;
    for (size_t k = 0; k < self->sent_count; k++)
        if (self->sent[k].index == package->index) {
            const struct package units = self->sent[k].package;
            self->sent[k] = self->sent[--self->sent_count];
            dispatch_done(self->inner, &units, start_s, end_s);
            return;
        }
}

static void weighted_lost(struct dispatch *dispatch, int64_t worker)
{
    dispatch_lost(((struct dispatch_weighted *)dispatch)->inner, worker);
}

static void weighted_busy(struct dispatch *dispatch, int64_t worker, double until_s, bool over)
{
    dispatch_busy(((struct dispatch_weighted *)dispatch)->inner, worker, until_s, over);
}

static const struct dispatch *weighted_inner(const struct dispatch *dispatch)
{
    return ((const struct dispatch_weighted *)dispatch)->inner;
}

static void weighted_free(struct dispatch *dispatch)
{
    struct dispatch_weighted *self = (struct dispatch_weighted *)dispatch;
    dispatch_free(&self->inner);
    free(self->places);
    free(self->sent);
    free(self);
}

static void places_fill(struct dispatch_weighted *self, const struct weighted_range *ranges)
{
    double worth = 0;
    int64_t tasks = 0;
    for (int64_t k = 0; k < self->count; k++) {
        self->places[k] = (struct place){worth, tasks};
        worth += ranges[k].weight * (double)ranges[k].count;
        tasks += ranges[k].count;
    }
    self->places[self->count] = (struct place){worth, tasks};
    for (int64_t k = 0; k <= self->count; k++)
        self->places[k].unit *= (double)tasks / worth;
}

struct dispatch *dispatch_new_weighted(struct dispatch *inner, const struct weighted_range *ranges,
                                       int64_t count)
{
    static const struct dispatch_kind kind = {.next = weighted_next,
                                              .done = weighted_done,
                                              .lost = weighted_lost,
                                              .free = weighted_free,
                                              .inner = weighted_inner,
                                              .busy = weighted_busy};
    struct dispatch_weighted *self = calloc(1, sizeof *self);
    if (!self) {
        dispatch_free(&inner);
        return NULL;
    }
    *self = (struct dispatch_weighted){.base = {&kind}, .inner = inner, .count = count};
    self->places = calloc((size_t)count + 1, sizeof *self->places);
    if (!self->places) {
        weighted_free(&self->base);
        return NULL;
    }
    places_fill(self, ranges);
    return &self->base;
}
