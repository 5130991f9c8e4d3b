#include "planner/dispatch/dispatch.h"

#include <math.h>
#include <stddef.h>

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

void dispatch_done(struct dispatch *dispatch, const struct package *package, double start_s,
                   double end_s)
{
    if (dispatch->kind->done)
        dispatch->kind->done(dispatch, package, start_s, end_s);
}

bool dispatch_listens(const struct dispatch *dispatch)
{
    while (dispatch->kind->inner)
        dispatch = dispatch->kind->inner(dispatch);
    return dispatch->kind->done != NULL;
}

void dispatch_lost(struct dispatch *dispatch, int64_t worker)
{
    if (dispatch->kind->lost)
        dispatch->kind->lost(dispatch, worker);
}

void dispatch_free(struct dispatch **dispatch)
{
    if (*dispatch)
        (*dispatch)->kind->free(*dispatch);
    *dispatch = NULL;
}
