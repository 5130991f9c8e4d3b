/* A fixed plan as a dispatch: packages in the order of activation, round after round. */
#include <math.h>
#include <stdlib.h>

#include "planner/dispatch/dispatch_kind.h"
#include "planner/model/plan_cursor.h"

struct dispatch_plan {
    struct dispatch base;
    struct plan_cursor cursor;
    int64_t own; /* core tasks that the master has still to compute */
    double end;  /* nothing is handed out from this core task on; 0: the plan's end is its own */
};

static bool is_cut(const struct dispatch_plan *self)
{
    return self->end > 0 && self->cursor.first + self->cursor.load >= self->end;
}

static enum dispatch_answer plan_next(struct dispatch *dispatch, double now_s,
                                      struct package *package)
{
    struct dispatch_plan *self = (struct dispatch_plan *)dispatch;
    const struct plan_cursor *at = &self->cursor;
    (void)now_s;
    if (is_cut(self) || !plan_cursor_next(&self->cursor))
        return DISPATCH_FINISHED;
    if (self->end > 0 && at->first + at->load > self->end)
        self->cursor.load = self->end - at->first;
    *package = (struct package){.index = at->index,
                                .round = at->round,
                                .worker = at->plan->workers[at->slot],
                                .first = (int64_t)at->first,
                                .count = (int64_t)at->load};
    return DISPATCH_SEND;
}

/* Is the next package the first one of a round? */
static bool round_over(const struct plan_cursor *at)
{
    for (int64_t slot = at->slot + 1; at->loads && slot < at->plan->worker_count; slot++)
        if (at->loads[slot] > 0)
            return false;
    return true;
}

static struct dispatch_run plan_run(const struct dispatch *dispatch)
{
    const struct dispatch_plan *self = (const struct dispatch_plan *)dispatch;
    const struct plan_cursor *at = &self->cursor;
    struct dispatch_run run = {.turns = at->repeats, .series = (int64_t)at->entry + 1};
    if (self->end > 0 || at->repeats == 0 || !round_over(at))
        return (struct dispatch_run){0};
    for (int64_t slot = 0; slot < at->plan->worker_count; slot++) {
        run.packages += at->loads[slot] > 0;
        run.tasks += (int64_t)at->loads[slot];
    }
    return run;
}

static void plan_skip(struct dispatch *dispatch, const struct dispatch_skip *skip)
{
    struct plan_cursor *at = &((struct dispatch_plan *)dispatch)->cursor;
    at->repeats -= skip->turns;
    at->round += skip->turns;
    at->index += skip->packages;
    at->first += (double)skip->tasks;
}

static bool plan_own(struct dispatch *dispatch, double now_s, int64_t most, struct package *package)
{
    struct dispatch_plan *self = (struct dispatch_plan *)dispatch;
    const int64_t tasks = (int64_t)self->cursor.plan->tasks;
    (void)now_s;
    if (self->own == 0)
        return false;
    *package = (struct package){.index = -1,
                                .round = -1,
                                .worker = -1,
                                .first = tasks - self->own,
                                .count = most < self->own ? most : self->own};
    self->own -= package->count;
    return true;
}

/* Has a later round than the current one a package for the worker? */
static bool plan_gives_more(const struct dispatch *dispatch, int64_t worker)
{
    const struct plan_cursor *at = &((const struct dispatch_plan *)dispatch)->cursor;
    int64_t slot = 0;
    while (slot < at->plan->worker_count && at->plan->workers[slot] != worker)
        slot++;
    if (slot == at->plan->worker_count || is_cut((const struct dispatch_plan *)dispatch))
        return false;
    if (at->loads && at->loads[slot] > 0 && (slot > at->slot || at->repeats > 0))
        return true;
    for (size_t r = at->loads ? at->entry + 1 : 0; r < at->plan->round_count; r++)
        if (at->plan->rounds[r].loads[slot] > 0)
            return true;
    return false;
}

static struct plan_master plan_master(const struct dispatch *dispatch)
{
    return ((const struct dispatch_plan *)dispatch)->cursor.plan->own;
}

/* The core tasks behind the current package. */
static int64_t plan_left(const struct dispatch *dispatch)
{
    const struct dispatch_plan *self = (const struct dispatch_plan *)dispatch;
    const struct plan_cursor *at = &self->cursor;
    const struct plan *plan = at->plan;
    const double end = self->end > 0 ? self->end : plan->first + plan->tasks - plan->own.tasks;
    return (int64_t)fmax(0, end - (at->first + at->load));
}

static bool plan_cut(struct dispatch *dispatch, int64_t tasks, struct dispatch_given *given)
{
    struct dispatch_plan *self = (struct dispatch_plan *)dispatch;
    const int64_t left = plan_left(dispatch), count = tasks < left ? tasks : left;
    if (count <= 0)
        return true;
    self->end = self->cursor.first + self->cursor.load + (double)(left - count);
    return dispatch_given_add(given, (struct task_range){(int64_t)self->end, count}, 0);
}

static void plan_free(struct dispatch *dispatch)
{
    free(dispatch);
}

struct dispatch *dispatch_new_plan(const struct plan *plan)
{
    static const struct dispatch_kind kind = {.next = plan_next,
                                              .free = plan_free,
                                              .run = plan_run,
                                              .skip = plan_skip,
                                              .gives_more = plan_gives_more,
                                              .own = plan_own,
                                              .master = plan_master,
                                              .left = plan_left,
                                              .cut = plan_cut};
    struct dispatch_plan *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->base.kind = &kind;
    self->cursor = (struct plan_cursor)PLAN_CURSOR(plan);
    self->own = (int64_t)plan->own.tasks;
    return &self->base;
}
