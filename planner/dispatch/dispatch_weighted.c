/* Units of work as a dispatch of core tasks: a package of the units [a, b) is the core tasks
 * between the places of a and b in the job, so that all packages together have every core task
 * once. */
#include "planner/dispatch/weighted.h"

#include <math.h>
#include <stdlib.h>

#include "planner/base/array.h"
#include "planner/dispatch/dispatch_kind.h"

/* A package as the inner dispatch sent it. */
struct sent {
    struct package package;
    int64_t index; /* as which it was handed on */
    double scale;  /* the time that the inner dispatch is told is divided by this */
};

struct dispatch_weighted {
    struct dispatch base;
    struct dispatch *inner; /* owned */
    struct work work;       /* owned */
    int64_t units;          /* that all core tasks are worth */
    int64_t first;          /* core tasks of the job before it */
    int64_t next;           /* the first unit that is not handed out */
    struct sent *sent;      /* owned; those that are not reported */
    size_t sent_count, sent_capacity;
    int64_t index; /* of the next package */
};

/* The core task at which this unit begins: the nearest one, so that errors do not add up. The last
 * unit ends with the job, whatever was rounded. */
static int64_t task_at(const struct dispatch_weighted *self, int64_t unit)
{
    const int64_t tasks = self->work.tasks;
    const double each = (double)tasks / (double)self->units;
    return unit >= self->units ? tasks : work_nearest(&self->work, tasks, (double)unit * each, 0);
}

/* The units before that core task. */
static double units_before(const struct dispatch_weighted *self, int64_t task)
{
    return work_before(&self->work, (double)task) * (double)self->units / (double)self->work.tasks;
}

/* The core tasks of these units. */
static struct task_range tasks_of(const struct dispatch_weighted *self, int64_t first,
                                  int64_t count)
{
    const int64_t task = task_at(self, first);
    return (struct task_range){task, task_at(self, first + count) - task};
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
        const struct task_range tasks = tasks_of(self, units.first, units.count);
        const double worth =
            units_before(self, tasks.first + tasks.count) - units_before(self, tasks.first);
        self->next = units.first + units.count;
        package->first = self->first + tasks.first;
        package->count = tasks.count;
        package->index = self->index;
        const bool told = dispatch_worth(self->inner, units.worker, worth);
        if (package->count == 0) {
            dispatch_done(self->inner, &units, now_s, now_s);
            continue;
        }
        room[self->sent_count++] =
            (struct sent){units, self->index++, told ? 1 : worth / (double)units.count};
        return DISPATCH_SEND;
    }
}

/* False: it is not among those that wait for a report. */
static bool sent_take(struct dispatch_weighted *self, int64_t index, struct sent *taken)
{
    for (size_t k = 0; k < self->sent_count; k++)
        if (self->sent[k].index == index) {
            *taken = self->sent[k];
            self->sent[k] = self->sent[--self->sent_count];
            return true;
        }
    return false;
}

/* Reports the package's time: for the units that the inner dispatch counted it would have been
 * another one, so it is scaled, with the same end. */
static void weighted_done(struct dispatch *dispatch, const struct package *package,
                          struct dispatch_times times)
{
    struct dispatch_weighted *self = (struct dispatch_weighted *)dispatch;
    struct sent sent;
    if (!sent_take(self, package->index, &sent))
        return;
    if (sent.scale > 0)
        times.start_s = times.end_s - (times.end_s - times.start_s) / sent.scale;
    dispatch_report(self->inner, &sent.package, times);
}

static void weighted_unsent(struct dispatch *dispatch, const struct package *package)
{
    struct dispatch_weighted *self = (struct dispatch_weighted *)dispatch;
    struct sent sent;
    if (sent_take(self, package->index, &sent))
        dispatch_unsent(self->inner, &sent.package);
}

static void weighted_lost(struct dispatch *dispatch, int64_t worker)
{
    dispatch_lost(((struct dispatch_weighted *)dispatch)->inner, worker);
}

static void weighted_late(struct dispatch *dispatch, int64_t worker, bool late)
{
    dispatch_late(((struct dispatch_weighted *)dispatch)->inner, worker, late);
}

static void weighted_joined(struct dispatch *dispatch, int64_t worker, int64_t like, double now_s)
{
    dispatch_joined(((struct dispatch_weighted *)dispatch)->inner, worker, like, now_s);
}

static void weighted_busy(struct dispatch *dispatch, int64_t worker, double until_s, bool over)
{
    dispatch_busy(((struct dispatch_weighted *)dispatch)->inner, worker, until_s, over);
}

/* What the inner dispatch has left follows what it has handed out. */
static int64_t weighted_left(const struct dispatch *dispatch)
{
    const struct dispatch_weighted *self = (const struct dispatch_weighted *)dispatch;
    return tasks_of(self, self->next, dispatch_left(self->inner)).count;
}

/* Translates units to core tasks of the job. */
static bool units_give(const struct dispatch_weighted *self, const struct dispatch_given *units,
                       struct dispatch_given *given)
{
    bool good = true;
    for (size_t k = 0; good && k < units->count; k++) {
        const struct task_range of = units->items[k].range;
        struct task_range range = tasks_of(self, of.first, of.count);
        range.first += self->first;
        good = range.count == 0 || dispatch_given_add(given, range, units->items[k].losses);
    }
    return good;
}

/* Of the units that are left, the fewest that hold so many of the last core tasks, or all: where
 * these are light, one unit holds many. */
static int64_t units_last(const struct dispatch_weighted *self, int64_t tasks)
{
    const int64_t end = self->next + dispatch_left(self->inner), task = task_at(self, end);
    const int64_t least = task > tasks ? task - tasks : 0;
    int64_t from = (int64_t)fmin(round(units_before(self, least)), (double)end);
    while (from > self->next && task_at(self, from) > least)
        from--;
    return end - (from > self->next ? from : self->next);
}

static bool weighted_cut(struct dispatch *dispatch, int64_t tasks, struct dispatch_given *given)
{
    struct dispatch_weighted *self = (struct dispatch_weighted *)dispatch;
    const int64_t gone = units_last(self, tasks);
    struct dispatch_given units = {.items = NULL};
    const bool good =
        gone <= 0 || (dispatch_cut(self->inner, gone, &units) && units_give(self, &units, given));
    dispatch_given_release(&units);
    return good;
}

static const struct dispatch *weighted_inner(const struct dispatch *dispatch)
{
    return ((const struct dispatch_weighted *)dispatch)->inner;
}

static void weighted_free(struct dispatch *dispatch)
{
    struct dispatch_weighted *self = (struct dispatch_weighted *)dispatch;
    dispatch_free(&self->inner);
    work_release(&self->work);
    free(self->sent);
    free(self);
}

static const struct dispatch_kind kind = {.next = weighted_next,
                                          .done = weighted_done,
                                          .unsent = weighted_unsent,
                                          .lost = weighted_lost,
                                          .late = weighted_late,
                                          .joined = weighted_joined,
                                          .free = weighted_free,
                                          .inner = weighted_inner,
                                          .busy = weighted_busy,
                                          .left = weighted_left,
                                          .cut = weighted_cut};

struct dispatch *dispatch_new_weighted(struct dispatch *inner, struct work *work, int64_t units,
                                       int64_t first)
{
    struct dispatch_weighted *self = calloc(1, sizeof *self);
    if (!self) {
        dispatch_free(&inner);
        work_release(work);
        return NULL;
    }
    *self = (struct dispatch_weighted){
        .base = {&kind}, .inner = inner, .work = *work, .units = units, .first = first};
    return &self->base;
}

const struct dispatch *dispatch_weighted_inner(const struct dispatch *dispatch)
{
    return dispatch->kind == &kind ? weighted_inner(dispatch) : dispatch;
}
