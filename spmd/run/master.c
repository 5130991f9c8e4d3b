#include <math.h>
#include <stdlib.h>

#include "spmd/run/reading.h"
#include "spmd/run/run.h"
#include "spmd/transport/outbox.h"
#include "spmd/transport/wire.h"

/* The most memory that packages on their way may take, and the fewest buffers that let a package
 * be packed while another travels. */
static const double outbox_bytes_most = 256e6;
static const size_t warm_bytes = 1 << 20;
enum { OUTBOX_LEAST = 2 };

struct master {
    const struct run *run;
    struct dispatch *dispatch;
    struct progress *progress;
    struct outbox *outbox;
    struct wire_result report; /* being received */
    MPI_Request receiving;
    struct run_outcome *outcome;
    struct failure *failure;
    int64_t sent, returned; /* packages */
    double origin_s;        /* the first envelope's start */
    double *sent_s;         /* owned; per package: end of its send, for its link event */
    int64_t sent_capacity;
};

/* ---- results ------------------------------------------------------------------------------- */

static void report_post(struct master *master)
{
    MPI_Irecv(&master->report, (int)sizeof master->report, MPI_BYTE, MPI_ANY_SOURCE, WIRE_RESULT,
              master->run->comm->mpi, &master->receiving);
}

static void event_add(struct master *master, int rank, enum operation operation,
                      const struct package *package, double start_s, double end_s)
{
    struct trace_event event = {
        .rank = rank,
        .operation = (int32_t)operation,
        .round = package->round,
        .package = package->index,
        .first = package->first,
        .tasks = package->count,
        .start_s = start_s - master->origin_s,
        .end_s = end_s - master->origin_s,
    };
    if (!trace_add(&master->outcome->trace, &event))
        failure_memory(master->failure, "keeping the trace of the run");
}

/* A worker's share of the trace. Time inside MPI while computing is shown before computing. */
static void report_trace(struct master *master, const struct wire_result *report)
{
    const struct package *package = &report->package;
    const struct wire_times *times = &report->times;
    int rank = (int)package->worker + 1;
    double left = fmax(master->sent_s[package->index], times->transit_s);
    double needed = fmax(times->free_s, master->origin_s);
    event_add(master, rank, OPERATION_LINK, package, left, fmax(left, times->arrived_s));
    event_add(master, rank, OPERATION_IDLE, package, needed, fmax(needed, times->start_s));
    double computing = times->start_s + times->receive_s;
    event_add(master, rank, OPERATION_RECEIVE, package, times->start_s, computing);
    event_add(master, rank, OPERATION_COMPUTE, package, computing, times->computed_s);
    event_add(master, rank, OPERATION_OUTPUT, package, times->computed_s, times->written_s);
    master->outcome->makespan_s =
        fmax(master->outcome->makespan_s, times->written_s - master->origin_s);
}

static void report_take(struct master *master)
{
    const struct wire_result *report = &master->report;
    master->returned++;
    if (report->failure.code != FAILURE_NONE) {
        failure_set(master->failure, report->failure.code, "%s", report->failure.text);
        return;
    }
    report_trace(master, report);
    summary_merge(&master->outcome->summary, &report->summary);
    dispatch_done(master->dispatch, &report->package, report->times.start_s - master->origin_s,
                  report->times.written_s - master->origin_s);
}

/* Take in every result that has come; never waits. */
static void results_take(struct master *master)
{
    for (;;) {
        int done = 0;
        MPI_Test(&master->receiving, &done, MPI_STATUS_IGNORE);
        if (!done)
            break;
        report_take(master);
        report_post(master);
    }
    progress_show(master->progress, master->outcome->summary.tasks,
                  comm_now(master->run->comm) - master->origin_s);
}

static void idle_take(void *self)
{
    results_take(self);
}

/* ---- packages ------------------------------------------------------------------------------ */

static bool sent_reserve(struct master *master, int64_t index)
{
    if (index < master->sent_capacity)
        return true;
    int64_t capacity = 2 * index + 64;
    double *more = realloc(master->sent_s, (size_t)capacity * sizeof *more);
    if (!more)
        return failure_memory(master->failure, "keeping the times of sending");
    master->sent_s = more;
    master->sent_capacity = capacity;
    return true;
}

static bool package_send(struct master *master, struct image *image, const struct package *package)
{
    const struct job *job = master->run->job;
    const struct comm *comm = master->run->comm;
    if (!sent_reserve(master, package->index))
        return false;
    void *bytes = outbox_claim(master->outbox, (struct outbox_idle){idle_take, master});
    double start = comm_now(comm);
    if (master->sent == 0)
        master->origin_s = start;
    struct reading reading = {image, master->outbox, master->failure};
    struct kernel_source source = reading_source(&reading);
    if (!job->kernel->pack(job->made, package->first, package->count, &source, bytes))
        return false;
    double packed = comm_now(comm);
    struct wire_package header = {.kind = WIRE_WORK, .package = *package};
    size_t size = job->kernel->package_bytes(job->made, package->first, package->count);
    outbox_post(master->outbox, (int)package->worker + 1, &header, size);
    double left = comm_now(comm);
    master->sent_s[package->index] = left;
    master->sent++;
    event_add(master, 0, OPERATION_ENVELOPE, package, start, packed);
    event_add(master, 0, OPERATION_SEND, package, packed, left);
    return true;
}

/* What the decision object says now. False: there is nothing more to send. */
static bool decision_take(struct master *master, struct image *image, struct pause *pause)
{
    struct package package;
    double now = comm_now(master->run->comm) - master->origin_s;
    switch (dispatch_next(master->dispatch, now, &package)) {
    case DISPATCH_SEND:
        *pause = (struct pause){0};
        return package_send(master, image, &package);
    case DISPATCH_WAIT:
        comm_pause(pause);
        return true;
    case DISPATCH_OUT_OF_MEMORY:
        return failure_memory(master->failure, "deciding what to send");
    case DISPATCH_FINISHED:
        break;
    }
    return false;
}

/* Until everything is handed out or something failed. */
static void packages_send(struct master *master, struct image *image)
{
    struct pause pause = {0};
    while (master->failure->code == FAILURE_NONE && decision_take(master, image, &pause))
        results_take(master);
}

/* The first large message between two ranks takes milliseconds once. */
static void workers_warm(struct master *master, size_t bytes)
{
    struct outbox_idle idle = {NULL, NULL};
    struct wire_package header = {.kind = WIRE_WARM};
    for (int rank = 1; rank < master->run->comm->size; rank++) {
        outbox_claim(master->outbox, idle);
        outbox_post(master->outbox, rank, &header, bytes < warm_bytes ? bytes : warm_bytes);
    }
    outbox_drain(master->outbox, idle);
}

static void workers_stop(struct master *master)
{
    struct outbox_idle idle = {idle_take, master};
    struct wire_package header = {.kind = WIRE_STOP};
    for (int rank = 1; rank < master->run->comm->size; rank++) {
        outbox_claim(master->outbox, idle);
        outbox_post(master->outbox, rank, &header, 0);
    }
    struct pause pause = {0};
    while (master->returned < master->sent) {
        int64_t before = master->returned;
        results_take(master);
        outbox_progress(master->outbox);
        if (master->returned > before)
            pause = (struct pause){0};
        comm_pause(&pause);
    }
    outbox_drain(master->outbox, idle);
}

/* ---- whole --------------------------------------------------------------------------------- */

static int outbox_size(const struct run *run, size_t bytes)
{
    double affordable = outbox_bytes_most / (double)(bytes + 1);
    int wanted = run->comm->size; /* one for every worker, and one being packed */
    if (affordable < wanted)
        wanted = (int)affordable;
    return wanted > OUTBOX_LEAST ? wanted : OUTBOX_LEAST;
}

static bool master_init(struct master *master, const struct run *run, struct failure *failure)
{
    summary_init(&master->outcome->summary);
    master->receiving = MPI_REQUEST_NULL;
    size_t bytes = run->job->kernel->package_bytes_most(run->job->made, run->largest_package);
    master->outbox = outbox_new(run->comm, outbox_size(run, bytes), bytes, failure);
    return master->outbox != NULL;
}

static void master_release(struct master *master)
{
    if (master->receiving != MPI_REQUEST_NULL) {
        MPI_Cancel(&master->receiving);
        comm_wait(&master->receiving, MPI_STATUS_IGNORE);
    }
    outbox_free(&master->outbox);
    free(master->sent_s);
}

bool master_run(const struct run *run, struct dispatch *dispatch, struct image *image,
                struct progress *progress, struct run_outcome *outcome, struct failure *failure)
{
    struct master master = {.run = run,
                            .dispatch = dispatch,
                            .progress = progress,
                            .outcome = outcome,
                            .failure = failure};
    const struct job *job = run->job;
    master_init(&master, run, failure);
    if (comm_agree(run->comm, failure)) {
        report_post(&master);
        workers_warm(&master, job->kernel->package_bytes_most(job->made, run->largest_package));
        master.origin_s = comm_now(run->comm);
        packages_send(&master, image);
        workers_stop(&master);
    }
    master_release(&master);
    return failure->code == FAILURE_NONE;
}

void run_outcome_release(struct run_outcome *outcome)
{
    trace_release(&outcome->trace);
}
