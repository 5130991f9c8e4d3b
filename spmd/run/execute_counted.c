#include <stdlib.h>
#include <string.h>

#include "spmd/run/execution_state.h"

void execution_counted_check(const struct execution_state *state, struct failure *failure)
{
    const struct execution *execution = state->execution;
    const struct scow_task *task = execution->kernel->task;
    if (!execution->counted || failure->code != FAILURE_NONE)
        return;
    if (task->pack && !state->making.job.values.staged)
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: has the master send what is in packages, and with --dca workers ask no "
                    "master: calibrate with --staged and plan again, or leave --dca out",
                    execution->plan_name);
    else if (execution->collects)
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: has results return to the master, and with --dca no master takes them: "
                    "plan from a calibration without --collect, or leave --dca out",
                    execution->plan_name);
    else if (execution_sleeps(state) && execution->plan->operating != OPERATING_SINGLE_PORT)
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: is for the operating model %s, and with --dca nothing leaves the master's "
                    "port: plan again with --model single-port, or leave --dca out",
                    execution->plan_name, operating_traits(execution->plan->operating)->name);
}

bool execution_counted_begin(struct execution_state *state, struct failure *failure)
{
    const struct execution *execution = state->execution;
    const struct resume *resume = &state->resume;
    if (!execution->counted || (resume->on && resume->by_plan == 0))
        return true;
    if (!link_counter_begin(execution->comm->link, &state->counter))
        return failure_set(failure, FAILURE_FAILED,
                           "workers share no counter here: leave --dca out");
    state->counted = (struct counted){.counter = &state->counter, .setup = &state->decider.setup};
    comm_barrier(execution->comm);
    return true;
}

/* Local. Makes room for so many ranges. */
static bool ranges_make(struct execution_state *state, int64_t count, struct failure *failure)
{
    state->left = calloc((size_t)count + 1, sizeof *state->left);
    state->counted.ranges = state->left;
    state->counted.range_count = state->left ? count : 0;
    return state->left || failure_memory(failure, "counting packages");
}

void execution_counted_tell(struct execution_state *state, struct bundle *bundle,
                            struct failure *failure)
{
    const struct resume *resume = &state->resume;
    const struct task_range whole = {0, (int64_t)state->plan->tasks};
    const struct task_range *ranges = resume->on ? resume->remaining.ranges : &whole;
    const int64_t count = resume->on ? resume->remaining.range_count : 1;
    if (!state->counted.counter || !ranges_make(state, count, failure))
        return;
    memcpy(state->left, ranges, (size_t)count * sizeof *ranges);
    bundle_put(bundle, &count, sizeof count);
    bundle_put(bundle, ranges, (size_t)count * sizeof *ranges);
}

void execution_counted_hear(struct execution_state *state, struct bundle *bundle,
                            struct failure *failure)
{
    int64_t count;
    if (!state->counted.counter)
        return;
    bundle_take(bundle, &count, sizeof count);
    if (ranges_make(state, count, failure))
        bundle_take(bundle, state->left, (size_t)count * sizeof *state->left);
}

void execution_counted_end(struct execution_state *state, bool broken)
{
    if (state->counted.counter)
        link_counter_end(&state->counter, !broken);
    free(state->left);
    state->left = NULL;
}
