/* Core tasks that the master computes itself: those that its plan leaves to it (dispatch_own), one
 * at a time whenever it would wait, with an engine of its own. Between two of them, and whenever
 * the engine calls its pulse, the master receives messages and lets packages leave. A package is
 * made, or a worker told to stop, only at the end of the current core task. */
#include <math.h>
#include <stdlib.h>

#include "spmd/job/complaint.h"
#include "spmd/master/master_state.h"
#include "spmd/protocol/fault.h"

enum { ALIGNMENT = 64 };

struct master_own {
    struct engine *engine; /* owned */
    char *package;         /* owned; of one core task */
    double task_s;         /* of one core task, by the plan */
    int64_t left;
    bool over; /* the decision object gives no more core tasks */
};

static bool own_make(struct master *master, struct failure *failure)
{
    const struct run *run = master->run;
    struct master_own *own = master->own;
    const size_t size = job_package_most(run->job, 1) + JOB_GUARD;
    own->package = aligned_alloc(ALIGNMENT, (size / ALIGNMENT + 1) * ALIGNMENT);
    if (!own->package)
        return failure_memory(failure, "making room for a core task");
    own->engine = engine_new(run->job, 1, run->threads, run->comm->rank, failure);
    if (!own->engine)
        return false;
    engine_counts_begin(own->engine);
    if (run->losses)
        fault_watch(run->losses->file, losses_signal_place(run->losses, run->comm->rank));
    return true;
}

bool master_own_init(struct master *master, struct failure *failure)
{
    const struct plan_master share = dispatch_master(master->dispatch);
    if (!(share.tasks > 0))
        return true;
    master->own = calloc(1, sizeof *master->own);
    if (!master->own)
        return failure_memory(failure, "preparing the master");
    master->own->task_s = share.task_s;
    master->own->left = (int64_t)share.tasks;
    return own_make(master, failure);
}

void master_own_release(struct master *master)
{
    if (!master->own)
        return;
    fault_unwatch();
    engine_free(&master->own->engine);
    free(master->own->package);
    free(master->own);
    master->own = NULL;
}

bool master_own_left(const struct master *master)
{
    return master->own && master->own->left > 0;
}

/* Is called while the master computes. */
static bool own_pulse(void *self)
{
    struct master *master = self;
    comm_look(master->run->comm);
    master_hear(master);
    outbox_progress(master->outbox);
    return master->failure->code != FAILURE_NONE;
}

/* Stores and counts what the master has computed, like a worker's report. */
static bool own_store(struct master *master, const struct package_results *results)
{
    const struct run *run = master->run;
    struct counts counts = {.finished = 0};
    struct summary summary;
    summary_init(&summary);
    if (!summary_add(&summary, run->job, results, master->failure) ||
        !store_write(run->store, results, master->failure))
        return false;
    struct rejection rejection = results->rejection;
    if (summary.failed > 0)
        complaint_find(run->job, results, rejection.task, rejection.output,
                       sizeof rejection.output);
    engine_counts_tell(master->own->engine, &counts);
    counts_add(&master->counts, &counts);
    master_done_take(master, &summary, &rejection, results->state);
    return true;
}

/* A core task that was stopped by another failure is not reported as failed. */
static bool own_compute(struct master *master, const struct package *package)
{
    const struct run *run = master->run;
    const struct engine_pulse pulse = {own_pulse, master};
    const double start_s = comm_now(run->comm);
    size_t size = 0;
    if (!job_pack(run->job, run->input, package->first, package->count, master->own->package, &size,
                  master->failure) ||
        !engine_compute(master->own->engine, package->first, package->count, master->own->package,
                        size, pulse, master->failure))
        return false;
    if (run->emulation)
        emulation_await(run->comm, start_s + master->own->task_s, pulse);
    if (master->failure->code != FAILURE_NONE ||
        !own_store(master, engine_results(master->own->engine)))
        return false;
    const double end_s = comm_now(run->comm);
    master_event(master, 0, OPERATION_COMPUTE, package, start_s, end_s);
    master->outcome->makespan_s = fmax(master->outcome->makespan_s, end_s - master->origin_s);
    return true;
}

bool master_own_work(struct master *master)
{
    struct master_own *own = master->own;
    struct package package;
    if (!own || own->over || master->failure->code != FAILURE_NONE || master_asked(master))
        return false;
    if (!dispatch_own(master->dispatch, comm_now(master->run->comm) - master->origin_s, 1,
                      &package)) {
        own->over = true;
        return false;
    }
    losses_begin(master->run->losses, package.first, package.count);
    own->left -= own_compute(master, &package);
    losses_begin(master->run->losses, 0, 0);
    return true;
}
