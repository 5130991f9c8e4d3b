/* A fixed plan as a dispatch: packages in activation order, round after round. */
#include <stdlib.h>

#include "planner/dispatch/dispatch_kind.h"
#include "planner/model/plan_cursor.h"

struct dispatch_plan {
    struct dispatch base;
    struct plan_cursor cursor;
};

static enum dispatch_answer plan_next(struct dispatch *dispatch, double now_s,
                                      struct package *package)
{
    struct dispatch_plan *self = (struct dispatch_plan *)dispatch;
    const struct plan_cursor *at = &self->cursor;
    (void)now_s;
    if (!plan_cursor_next(&self->cursor))
        return DISPATCH_FINISHED;
    *package = (struct package){.index = at->index,
                                .round = at->round,
                                .worker = at->plan->workers[at->slot],
                                .first = (int64_t)at->first,
                                .count = (int64_t)at->load};
    return DISPATCH_SEND;
}

static void plan_free(struct dispatch *dispatch)
{
    free(dispatch);
}

struct dispatch *dispatch_new_plan(const struct plan *plan)
{
    static const struct dispatch_kind kind = {plan_next, NULL, NULL, plan_free, NULL, NULL};
    struct dispatch_plan *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->base.kind = &kind;
    self->cursor = (struct plan_cursor)PLAN_CURSOR(plan);
    return &self->base;
}
