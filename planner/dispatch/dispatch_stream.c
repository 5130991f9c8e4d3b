#include "planner/dispatch/stream.h"

#include <math.h>
#include <stdlib.h>

#include "planner/base/array.h"
#include "planner/dispatch/dispatch_kind.h"

/* A package of an inner dispatch that is told of reports, with pieces that are not all reported;
 * their indices are consecutive. */
struct whole {
    struct package package;
    int64_t index;                  /* of its first piece */
    int64_t left;                   /* core tasks of it, not sent yet */
    int64_t pieces, sent, reported; /* handed out, sent, reported */
    double end_s, worked_s;         /* of the reported pieces */
    double had_s;                   /* their processor time; NaN: not known */
};

struct dispatch_stream {
    struct dispatch base;
    struct dispatch *inner;    /* owned */
    struct task_range *ranges; /* owned; those that have arrived and are left, from `next` on */
    size_t next, count, capacity;
    struct package held;  /* what is left of the inner dispatch's package */
    bool hears;           /* the inner dispatch is told of reports */
    struct whole *wholes; /* owned; in the order of the inner dispatch */
    size_t whole_count, whole_capacity;
    int64_t index;  /* of the next piece */
    int64_t wanted; /* core tasks that may still arrive */
    int64_t left;
    bool ended;
};

/* Takes the first core tasks that have arrived, of one range, for the current package. */
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

/* Begins the inner dispatch's next package. */
static bool whole_add(struct dispatch_stream *self)
{
    struct whole *wholes =
        array_reserve(self->wholes, &self->whole_capacity, self->whole_count + 1, sizeof *wholes);
    if (!wholes)
        return false;
    self->wholes = wholes;
    wholes[self->whole_count++] =
        (struct whole){.package = self->held, .index = self->index, .left = self->held.count};
    return true;
}

/* Notes a piece of the current package. */
static void whole_send(struct dispatch_stream *self, const struct package *piece)
{
    struct whole *whole = &self->wholes[self->whole_count - 1];
    whole->left -= piece->count;
    whole->pieces++;
    whole->sent++;
}

/* The inner dispatch is not asked for a package before a part of it has arrived: by then more is
 * known about its workers. */
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
        if (self->hears && !whole_add(self))
            return DISPATCH_OUT_OF_MEMORY;
    }
    piece_take(self, package);
    if (self->hears)
        whole_send(self, package);
    return DISPATCH_SEND;
}

/* The package that has this piece; NULL: none that waits for a report. */
static struct whole *whole_find(const struct dispatch_stream *self, const struct package *package)
{
    for (size_t k = 0; k < self->whole_count; k++) {
        struct whole *whole = &self->wholes[k];
        if (package->index >= whole->index && package->index < whole->index + whole->pieces)
            return whole;
    }
    return NULL;
}

/* Reports a package once all its pieces have been sent and reported: as if its worker had done them
 * one after the other without waiting, so that it does not seem slow because core tasks had not
 * arrived. */
static void whole_end(struct dispatch_stream *self, struct whole *whole)
{
    const struct whole ended = *whole;
    if (ended.left > 0 || ended.reported < ended.sent)
        return;
    const size_t behind = self->whole_count - (size_t)(whole - self->wholes) - 1;
    for (size_t k = 0; k < behind; k++)
        whole[k] = whole[k + 1];
    self->whole_count--;
    const double share = ended.had_s > 0 ? fmin(ended.had_s / ended.worked_s, 1) : 0;
    const struct dispatch_times times = {ended.end_s - ended.worked_s, ended.end_s, share};
    if (ended.sent > 0)
        dispatch_report(self->inner, &ended.package, times);
    else
        dispatch_unsent(self->inner, &ended.package);
}

static void stream_done(struct dispatch *dispatch, const struct package *package,
                        struct dispatch_times times)
{
    struct dispatch_stream *self = (struct dispatch_stream *)dispatch;
    struct whole *whole = whole_find(self, package);
    const double worked_s = times.end_s - times.start_s;
    if (!whole)
        return;
    whole->end_s = whole->reported++ == 0 ? times.end_s : fmax(whole->end_s, times.end_s);
    whole->worked_s += worked_s;
    whole->had_s += times.share > 0 ? times.share * worked_s : (double)NAN;
    whole_end(self, whole);
}

static void stream_unsent(struct dispatch *dispatch, const struct package *package)
{
    struct dispatch_stream *self = (struct dispatch_stream *)dispatch;
    struct whole *whole = whole_find(self, package);
    if (!whole)
        return;
    whole->sent--;
    whole_end(self, whole);
}

static void stream_late(struct dispatch *dispatch, int64_t worker, bool late)
{
    dispatch_late(((struct dispatch_stream *)dispatch)->inner, worker, late);
}

static void stream_busy(struct dispatch *dispatch, int64_t worker, double until_s, bool over)
{
    dispatch_busy(((struct dispatch_stream *)dispatch)->inner, worker, until_s, over);
}

static void stream_lost(struct dispatch *dispatch, int64_t worker)
{
    dispatch_lost(((struct dispatch_stream *)dispatch)->inner, worker);
}

/* The inner dispatch is not asked before something has arrived. */
static double stream_due(const struct dispatch *dispatch)
{
    const struct dispatch_stream *self = (const struct dispatch_stream *)dispatch;
    return self->left > 0 && self->held.count == 0 ? dispatch_due_s(self->inner) : HUGE_VAL;
}

/* What has arrived and is in no package yet. */
static int64_t stream_left(const struct dispatch *dispatch)
{
    const struct dispatch_stream *self = (const struct dispatch_stream *)dispatch;
    return self->held.count == 0 ? self->left : 0;
}

/* Gives away the last core tasks that have arrived. The inner dispatch has as many fewer, whichever
 * it takes them for. */
static bool stream_cut(struct dispatch *dispatch, int64_t tasks, struct dispatch_given *given)
{
    struct dispatch_stream *self = (struct dispatch_stream *)dispatch;
    struct dispatch_given inner = {.items = NULL};
    int64_t more = tasks < stream_left(dispatch) ? tasks : stream_left(dispatch);
    bool good = dispatch_cut(self->inner, more, &inner);
    dispatch_given_release(&inner);
    while (good && more > 0) {
        struct task_range *range = &self->ranges[self->count - 1];
        const int64_t count = more < range->count ? more : range->count;
        range->count -= count;
        self->left -= count;
        self->count -= range->count == 0;
        more -= count;
        good =
            dispatch_given_add(given, (struct task_range){range->first + range->count, count}, 0);
    }
    return good;
}

static const struct dispatch *stream_inner(const struct dispatch *dispatch)
{
    return ((const struct dispatch_stream *)dispatch)->inner;
}

static void stream_free(struct dispatch *dispatch)
{
    struct dispatch_stream *self = (struct dispatch_stream *)dispatch;
    dispatch_free(&self->inner);
    free(self->wholes);
    free(self->ranges);
    free(self);
}

struct dispatch *dispatch_new_stream(struct dispatch *inner, int64_t tasks)
{
    static const struct dispatch_kind kind = {.next = stream_next,
                                              .done = stream_done,
                                              .unsent = stream_unsent,
                                              .lost = stream_lost,
                                              .late = stream_late,
                                              .busy = stream_busy,
                                              .due = stream_due,
                                              .left = stream_left,
                                              .cut = stream_cut,
                                              .free = stream_free,
                                              .inner = stream_inner};
    struct dispatch_stream *self = calloc(1, sizeof *self);
    if (!self) {
        dispatch_free(&inner);
        return NULL;
    }
    *self = (struct dispatch_stream){
        .base = {&kind}, .inner = inner, .hears = dispatch_listens(inner), .wanted = tasks};
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
