#include "calibrate/probe.h"

#include <unistd.h>

#include "planner/model/platform.h"
#include "spmd/output/outputfile.h"
#include "spmd/output/store.h"
#include "spmd/run/run.h"
#include "spmd/transport/wire.h"

/* What the master says to every worker before a probe. */
struct probe_order {
    int64_t largest; /* core tasks in a package; 0: no more probes */
};

/* The package being worked on, and those that wait or travel. */
enum { PACKAGES_AHEAD = PLATFORM_BUFFERS + 1 };

static void order_all(const struct comm *comm, int64_t largest)
{
    const struct probe_order order = {largest};
    for (int rank = 1; rank < comm->size; rank++)
        comm_send(comm, &order, sizeof order, rank, WIRE_CONTROL);
}

/* Collective. Where results go: a file that is gone with those who have it open. */
static struct store *scratch_open(const struct probe_setup *setup, struct failure *failure)
{
    const struct comm *comm = setup->comm;
    const struct store_setup store = {
        .path = setup->scratch, .emitted = setup->scratch, .temporary = true};
    const struct output_info info = {.plan = "{}",
                                     .emitted = setup->scratch,
                                     .conditions.isa = "",
                                     .events = 1,
                                     .workers = comm->size - 1};
    struct output_places places = {0};
    const bool created =
        comm->rank == 0 && outputfile_create(setup->scratch, setup->job, &info, &places, failure);
    struct store *opened = NULL;
    if (comm_agree(comm, failure))
        opened = store_open(&store, &places, comm, setup->job, failure);
    if (created)
        unlink(setup->scratch);
    return opened;
}

static struct run run_of(const struct probe_setup *setup, struct store *store, int64_t largest,
                         bool one_by_one)
{
    return (struct run){.comm = setup->comm,
                        .job = setup->job,
                        .input = setup->input,
                        .store = store,
                        .one_by_one = one_by_one,
                        .weighs_output = setup->weighs_output,
                        .largest_package = largest,
                        .threads = setup->threads,
                        .buffers = PLATFORM_BUFFERS};
}

/* Local to the master. */
static void lead(const struct run *run, const struct probe_work *work, struct probe_outcome *probed,
                 struct failure *failure)
{
    struct run_outcome outcome = {.json = NULL};
    struct progress silent;
    struct dispatch *dispatch = dispatch_new_list(work->packages, work->count, run->comm->size - 1,
                                                  work->ahead ? PACKAGES_AHEAD : 1);
    progress_init(&silent, NULL, run->job->setup.tasks, 0);
    silent.tick = work->tick;
    if (!dispatch)
        failure_memory(failure, "starting a probe"); /* which master_run tells all ranks */
    master_run(run, dispatch, &silent, &outcome, failure);
    *probed = (struct probe_outcome){outcome.trace, outcome.worked_s, outcome.stalled_s};
    outcome.trace = (struct trace){NULL, 0, 0};
    run_outcome_release(&outcome);
    dispatch_free(&dispatch);
}

void probe_outcome_release(struct probe_outcome *outcome)
{
    trace_release(&outcome->trace);
}

bool probe_run(const struct probe_setup *setup, const struct probe_work *work,
               struct probe_outcome *outcome, struct failure *failure)
{
    *outcome = (struct probe_outcome){.worked_s = 0};
    order_all(setup->comm, work->largest);
    struct store *store = scratch_open(setup, failure);
    if (store) {
        const struct run run = run_of(setup, store, work->largest, !work->ahead);
        lead(&run, work, outcome, failure);
        comm_agree(setup->comm, failure);
    }
    store_close(&store, failure);
    return comm_agree(setup->comm, failure);
}

void probe_end(const struct probe_setup *setup)
{
    order_all(setup->comm, 0);
}

/* Collective with probe_run. */
static void serve(const struct probe_setup *setup, int64_t largest, struct failure *failure)
{
    struct store *store = scratch_open(setup, failure);
    if (store) {
        const struct run run = run_of(setup, store, largest, false);
        struct done_packages done = {0};
        worker_run(&run, &done, failure);
        done_packages_release(&done);
        comm_agree(setup->comm, failure);
    }
    store_close(&store, failure);
    comm_agree(setup->comm, failure);
}

bool probe_serve(const struct probe_setup *setup, struct failure *failure)
{
    for (;;) {
        struct probe_order order;
        comm_receive(setup->comm, &order, sizeof order, 0, WIRE_CONTROL);
        if (order.largest == 0)
            return failure->code == FAILURE_NONE;
        serve(setup, order.largest, failure);
    }
}
