#include "planner/dispatch/dispatch.h"

#include <math.h>
#include <stdlib.h>

#include "planner/base/array.h"
#include "planner/dispatch/dispatch_kind.h"

enum dispatch_answer dispatch_next(struct dispatch *dispatch, double now_s, struct package *package)
{
    return dispatch->kind->next(dispatch, now_s, package);
}

double dispatch_due_s(const struct dispatch *dispatch)
{
    while (!dispatch->kind->due && dispatch->kind->inner)
        dispatch = dispatch->kind->inner(dispatch);
    return dispatch->kind->due ? dispatch->kind->due(dispatch) : HUGE_VAL;
}

void dispatch_report(struct dispatch *dispatch, const struct package *package,
                     struct dispatch_times times)
{
    if (dispatch->kind->done)
        dispatch->kind->done(dispatch, package, times);
}

void dispatch_done(struct dispatch *dispatch, const struct package *package, double start_s,
                   double end_s)
{
    dispatch_report(dispatch, package, (struct dispatch_times){start_s, end_s, 0});
}

bool dispatch_claim(struct dispatch *dispatch, const struct package *package)
{
    return !dispatch->kind->claim || dispatch->kind->claim(dispatch, package);
}

void dispatch_unsent(struct dispatch *dispatch, const struct package *package)
{
    if (dispatch->kind->unsent)
        dispatch->kind->unsent(dispatch, package);
}

void dispatch_returned(struct dispatch *dispatch, const struct package *package)
{
    if (dispatch->kind->returned)
        dispatch->kind->returned(dispatch, package);
}

bool dispatch_listens(const struct dispatch *dispatch)
{
    while (dispatch->kind->inner)
        dispatch = dispatch->kind->inner(dispatch);
    return dispatch->kind->done != NULL;
}

bool dispatch_hears(const struct dispatch *dispatch)
{
    while (!dispatch->kind->hears && dispatch->kind->inner)
        dispatch = dispatch->kind->inner(dispatch);
    return dispatch->kind->hears ? dispatch->kind->hears(dispatch) : dispatch->kind->done != NULL;
}

bool dispatch_own(struct dispatch *dispatch, double now_s, int64_t most, struct package *package)
{
    return dispatch->kind->own && dispatch->kind->own(dispatch, now_s, most, package);
}

struct plan_master dispatch_master(const struct dispatch *dispatch)
{
    while (!dispatch->kind->master && dispatch->kind->inner)
        dispatch = dispatch->kind->inner(dispatch);
    return dispatch->kind->master ? dispatch->kind->master(dispatch) : (struct plan_master){0, 0};
}

bool dispatch_gives_more(const struct dispatch *dispatch, int64_t worker)
{
    while (!dispatch->kind->gives_more && dispatch->kind->inner)
        dispatch = dispatch->kind->inner(dispatch);
    return !dispatch->kind->gives_more || dispatch->kind->gives_more(dispatch, worker);
}

void dispatch_lost(struct dispatch *dispatch, int64_t worker)
{
    if (dispatch->kind->lost)
        dispatch->kind->lost(dispatch, worker);
}

void dispatch_joined(struct dispatch *dispatch, int64_t worker, int64_t like, double now_s)
{
    if (dispatch->kind->joined)
        dispatch->kind->joined(dispatch, worker, like, now_s);
}

void dispatch_late(struct dispatch *dispatch, int64_t worker, bool late)
{
    if (dispatch->kind->late)
        dispatch->kind->late(dispatch, worker, late);
}

void dispatch_busy(struct dispatch *dispatch, int64_t worker, double until_s, bool over)
{
    if (dispatch->kind->busy)
        dispatch->kind->busy(dispatch, worker, until_s, over);
}

bool dispatch_worth(struct dispatch *dispatch, int64_t worker, double units)
{
    if (dispatch->kind->worth)
        dispatch->kind->worth(dispatch, worker, units);
    return dispatch->kind->worth != NULL;
}

struct dispatch_blame dispatch_blame(struct dispatch *dispatch, const struct package *package)
{
    const struct dispatch_blame nothing = {0, false};
    return dispatch->kind->blame ? dispatch->kind->blame(dispatch, package) : nothing;
}

struct dispatch_run dispatch_run(const struct dispatch *dispatch)
{
    return dispatch->kind->run ? dispatch->kind->run(dispatch) : (struct dispatch_run){0};
}

void dispatch_skip(struct dispatch *dispatch, const struct dispatch_skip *skip)
{
    dispatch->kind->skip(dispatch, skip);
}

int64_t dispatch_left(const struct dispatch *dispatch)
{
    return dispatch->kind->left ? dispatch->kind->left(dispatch) : 0;
}

bool dispatch_cuts(const struct dispatch *dispatch)
{
    return dispatch->kind->cut != NULL;
}

bool dispatch_cut(struct dispatch *dispatch, int64_t tasks, struct dispatch_given *given)
{
    return !dispatch->kind->cut || dispatch->kind->cut(dispatch, tasks, given);
}

bool dispatch_given_add(struct dispatch_given *given, struct task_range range, int losses)
{
    struct dispatch_part *last = given->count > 0 ? &given->items[given->count - 1] : NULL;
    given->tasks += range.count;
    if (last && last->losses == losses && range.first + range.count == last->range.first) {
        last->range = (struct task_range){range.first, range.count + last->range.count};
        return true;
    }
    struct dispatch_part *items =
        array_reserve(given->items, &given->capacity, given->count + 1, sizeof *items);
    if (!items)
        return false;
    given->items = items;
    items[given->count++] = (struct dispatch_part){range, losses};
    return true;
}

void dispatch_given_release(struct dispatch_given *given)
{
    free(given->items);
    *given = (struct dispatch_given){.items = NULL};
}

void dispatch_free(struct dispatch **dispatch)
{
    if (*dispatch)
        (*dispatch)->kind->free(*dispatch);
    *dispatch = NULL;
}
