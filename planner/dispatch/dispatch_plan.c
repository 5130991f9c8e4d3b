/* A fixed plan as a dispatch: packages in activation order, round after round. */
#include <stdlib.h>

#include "planner/dispatch/dispatch_kind.h"

struct dispatch_plan {
    struct dispatch base;
    const struct plan *plan;
    size_t entry;         /* of plan->rounds */
    int64_t repeats;      /* of that entry, done */
    int64_t slot;         /* of plan->workers: the next one to look at */
    struct package after; /* index, round and first of the package after the last one sent */
};

/* Go on to the next slot with a load; false: the plan is over. */
static bool slot_find(struct dispatch_plan *self)
{
    const struct plan *plan = self->plan;
    while (self->entry < plan->round_count) {
        const struct plan_round *round = &plan->rounds[self->entry];
        for (; self->slot < plan->worker_count; self->slot++)
            if (round->loads[self->slot] > 0)
                return true;
        self->slot = 0;
        self->after.round++;
        if (++self->repeats == round->repeat) {
            self->repeats = 0;
            self->entry++;
        }
    }
    return false;
}

static enum dispatch_answer plan_next(struct dispatch *dispatch, double now_s,
                                      struct package *package)
{
    struct dispatch_plan *self = (struct dispatch_plan *)dispatch;
    (void)now_s;
    if (!slot_find(self))
        return DISPATCH_FINISHED;
    int64_t count = (int64_t)self->plan->rounds[self->entry].loads[self->slot];
    *package = self->after;
    package->worker = self->plan->workers[self->slot];
    package->count = count;
    self->after.index++;
    self->after.first += count;
    self->slot++;
    return DISPATCH_SEND;
}

static void plan_free(struct dispatch *dispatch)
{
    free(dispatch);
}

struct dispatch *dispatch_new_plan(const struct plan *plan)
{
    static const struct dispatch_kind kind = {plan_next, NULL, NULL, plan_free};
    struct dispatch_plan *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->base.kind = &kind;
    self->plan = plan;
    return &self->base;
}
