#include "planner/dispatch/stream.h"

#include <stdlib.h>

#include "planner/base/array.h"
#include "planner/dispatch/dispatch_kind.h"

struct dispatch_stream {
    struct dispatch base;
    struct dispatch *inner;    /* owned */
    struct task_range *ranges; /* owned; that have come, from `next` on */
    size_t next, count, capacity;
    struct package held; /* the inner one's, what is left of it */
    int64_t index;       /* of the next piece */
    int64_t wanted;      /* core tasks that may still come */
    int64_t left;
    bool ended;
};

/* The first core tasks that are there, of one range, for the package that is held. */
static void piece_take(struct dispatch_stream *self, struct package *package)
{
    struct task_range *range = &self->ranges[self->next];
    *package = self->held;
    package->index = self->index++;
    package->first = range->first;
    package->count = self->held.count < range->count ? self->held.count : range->count;
    range->first += package->count;
    range->count -= package->count;
    self->held.count -= package->count;
    self->left -= package->count;
    if (range->count == 0)
        self->next++;
}

/* Packages of which nothing is there are not asked for: what becomes of the inner one's workers
 * meanwhile is known better later. */
static enum dispatch_answer stream_next(struct dispatch *dispatch, double now_s,
                                        struct package *package)
{
    struct dispatch_stream *self = (struct dispatch_stream *)dispatch;
    if (self->left == 0)
        return self->ended ? DISPATCH_FINISHED : DISPATCH_HANDED_OUT;
    if (self->held.count == 0) {
        const enum dispatch_answer answer = dispatch_next(self->inner, now_s, &self->held);
        if (answer != DISPATCH_SEND)
            return answer;
    }
    piece_take(self, package);
    return DISPATCH_SEND;
}

static void stream_lost(struct dispatch *dispatch, int64_t worker)
{
    dispatch_lost(((struct dispatch_stream *)dispatch)->inner, worker);
}

static const struct dispatch *stream_inner(const struct dispatch *dispatch)
{
    return ((const struct dispatch_stream *)dispatch)->inner;
}

static void stream_free(struct dispatch *dispatch)
{
    struct dispatch_stream *self = (struct dispatch_stream *)dispatch;
    dispatch_free(&self->inner);
    free(self->ranges);
    free(self);
}

struct dispatch *dispatch_new_stream(struct dispatch *inner, int64_t tasks)
{
    static const struct dispatch_kind kind = {
        .next = stream_next, .lost = stream_lost, .free = stream_free, .inner = stream_inner};
    struct dispatch_stream *self = calloc(1, sizeof *self);
    if (!self) {
        dispatch_free(&inner);
        return NULL;
    }
    *self = (struct dispatch_stream){.base = {&kind}, .inner = inner, .wanted = tasks};
    return &self->base;
}

int64_t dispatch_stream_add(struct dispatch *stream, struct task_range range)
{
    struct dispatch_stream *self = (struct dispatch_stream *)stream;
    if (range.count > self->wanted)
        range.count = self->wanted;
    if (range.count == 0)
        return 0;
    if (self->next == self->count)
        self->next = self->count = 0;
    struct task_range *ranges =
        array_reserve(self->ranges, &self->capacity, self->count + 1, sizeof *ranges);
    if (!ranges)
        return -1;
    self->ranges = ranges;
    ranges[self->count++] = range;
    self->wanted -= range.count;
    self->left += range.count;
    return range.count;
}

void dispatch_stream_end(struct dispatch *stream)
{
    ((struct dispatch_stream *)stream)->ended = true;
}

int64_t dispatch_stream_left(const struct dispatch *stream)
{
    return ((const struct dispatch_stream *)stream)->left;
}
