#include "spmd/run/execution_state.h"

bool execution_is_starred(const struct execution_state *state)
{
    return state->star.size > 0;
}

const struct plan *execution_plan(const struct execution_state *state)
{
    return execution_is_starred(state) ? &state->star.plan : state->plan;
}

const struct comm *execution_comm(const struct execution_state *state)
{
    return execution_is_starred(state) ? &state->star.comm : state->execution->comm;
}

struct liveness *execution_liveness(struct execution_state *state)
{
    struct liveness *whole = state->execution->liveness;
    return whole && execution_is_starred(state) ? &state->star.liveness : whole;
}

bool execution_leads(const struct execution_state *state)
{
    return state->execution->comm->rank == state->star.before;
}

bool execution_sees(const struct execution_state *state)
{
    return execution_leads(state) || !state->execution->collects;
}

bool execution_is_group(const struct execution_state *state)
{
    return state->star.tree && state->star.number > 0;
}

int execution_masters(const struct execution_state *state)
{
    return execution_is_starred(state) ? state->star.count : 1;
}

int execution_workers(const struct execution_state *state)
{
    const struct resume *resume = &state->resume;
    if (execution_is_starred(state))
        return state->star.size - 1;
    return resume->on ? resume->workers : state->execution->comm->size - 1;
}

int execution_peers(const struct execution_state *state)
{
    return state->execution->joins ? 0 : state->execution->comm->size - 1;
}

int execution_workers_all(const struct execution_state *state)
{
    return execution_is_starred(state) ? state->execution->comm->size - state->star.count
                                       : execution_workers(state);
}

int execution_workers_expected(const struct execution_state *state)
{
    const int most = execution_workers_all(state);
    const int64_t planned = plan_workers_needed(state->execution->plan);
    return state->execution->joins && planned < most ? (int)planned : most;
}

bool execution_sleeps(const struct execution_state *state)
{
    return state->execution->kernel->task->flags & SCOW_SLEEP;
}

bool execution_computes(const struct execution_state *state)
{
    const struct execution *execution = state->execution;
    return state->plan->own.tasks > 0 && !execution->rule && !execution->pilot;
}

struct conditions execution_conditions(const struct execution_state *state)
{
    return (struct conditions){.processor = state->processor,
                               .isa = state->execution->isa,
                               .method = state->method,
                               .threads = state->execution->threads,
                               /* Where workers join, this is not known. */
                               .workers_per_node =
                                   state->execution->joins ? 0 : state->workers_per_node};
}
