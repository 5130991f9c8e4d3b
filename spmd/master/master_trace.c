/* The trace of a run, as its master keeps it. */
#include "spmd/master/master_state.h"

/* Adds the event to the trace; events of a worker's first package are also kept, as they may be
 * corrected later. */
static void event_keep(struct master *master, int member, const struct trace_event *event)
{
    const struct run *run = master->run;
    struct master_start *start = member > 0 ? &master->starts[member - 1] : NULL;
    const int64_t number = master->events++;
    if (run->tracing)
        trace_writer_add(run->tracing, event);
    if ((!run->tracing || number < run->remembered) && !trace_add(&master->outcome->trace, event))
        failure_memory(master->failure, "keeping the trace of the run");
    if (start && !start->reported && start->count < TRACE_CORRECTIONS_MOST)
        start->first[start->count++] = (struct trace_correction){number, *event};
}

void master_event(struct master *master, int member, enum operation operation,
                  const struct package *package, double start_s, double end_s)
{
    struct trace_event event = {
        .rank = membership_rank(master->run->members, member),
        .operation = (int32_t)operation,
        .round = package->round,
        .package = package->index,
        .first = package->first,
        .tasks = package->count,
        .start_s = start_s - master->origin_s,
        .end_s = end_s - master->origin_s,
    };
    event_keep(master, member, &event);
}
