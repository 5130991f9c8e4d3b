#include "planner/simulate/decision.h"

static struct dispatch *dispatch_new(const struct decision *decision, struct failure *failure)
{
    if (!decision->plan)
        return dispatch_new_rule(decision->setup, failure);
    struct dispatch *dispatch =
        decision->watch ? dispatch_new_watch(decision->watch) : dispatch_new_plan(decision->plan);
    const struct plan_tail *tail = decision->tail;
    return dispatch && tail && tail->setup.tasks > 0
               ? dispatch_new_tail(dispatch, &tail->setup, failure)
               : dispatch;
}

struct dispatch *decision_dispatch(const struct decision *decision, const struct platform *platform,
                                   const struct scenario *scenario, struct failure *failure)
{
    struct dispatch *dispatch = dispatch_new(decision, failure);
    if (failure->code != FAILURE_NONE)
        return NULL; /* the rule has said why */
    if (dispatch && scenario->lost_worker >= 0)
        dispatch = dispatch_new_recovery(dispatch, platform->worker_count);
    if (dispatch && scenario->lost_worker >= 0 && platform->results == RESULTS_END)
        dispatch_recovery_keep(dispatch);
    if (!dispatch)
        failure_memory(failure, "simulating");
    return dispatch;
}
