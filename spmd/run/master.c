#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"
#include "spmd/run/interrupt.h"
#include "spmd/run/message.h"
#include "spmd/run/pending.h"
#include "spmd/run/run.h"
#include "spmd/transport/outbox.h"
#include "spmd/transport/wire.h"

/* The most memory that packages on their way may take, and the fewest buffers that let a package
 * be packed while another travels. */
static const double outbox_bytes_most = 256e6;
static const size_t warm_bytes = 1 << 20;
/* Transfers below that are not worth waiting for: who naps is later. */
static const double paced_least_s = 1e-3;
enum { OUTBOX_LEAST = 2 };
/* Naps once everything has left: nobody waits for the master. */
enum { LAST_NAPS = 16 };

struct master {
    const struct run *run;
    struct dispatch *dispatch;
    struct progress *progress;
    struct outbox *outbox;
    struct wire_result *report; /* owned; being received, a reduction's state behind it */
    size_t report_size;
    MPI_Request receiving;
    struct run_outcome *outcome;
    struct failure *failure;
    int64_t sent, returned; /* packages */
    double origin_s;        /* the first envelope's start */
    double *sent_s;         /* owned; per package: end of its send, for its link event */
    size_t sent_capacity;
    double port_free_s;     /* of an emulated port */
    struct pending pending; /* reports on an emulated network */
    bool cancelled;         /* the workers have been told to stop */
    bool asked;             /* a worker has been asked to stop */
    bool dealt;             /* everything has been handed out */
};

/* ---- results ------------------------------------------------------------------------------- */

static void report_post(struct master *master)
{
    MPI_Irecv(master->report, (int)master->report_size, MPI_BYTE, MPI_ANY_SOURCE, WIRE_RESULT,
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

/* The few with the lowest numbers, sorted. */
static void rejection_keep(struct run_outcome *outcome, const struct rejection *rejection)
{
    int at = outcome->rejection_count;
    if (at == RUN_REJECTIONS && rejection->task >= outcome->rejections[at - 1].task)
        return;
    if (at == RUN_REJECTIONS)
        at--;
    else
        outcome->rejection_count++;
    for (; at > 0 && outcome->rejections[at - 1].task > rejection->task; at--)
        outcome->rejections[at] = outcome->rejections[at - 1];
    outcome->rejections[at] = *rejection;
}

/* At once, or where a job sleeps when the report's way is over: reports_answer. */
static void report_tell(struct master *master, const struct package *package, double start_s,
                        double end_s)
{
    const struct emulation *emulation = master->run->emulation;
    struct pending_report report = {*package, start_s, end_s, end_s};
    if (!emulation || !dispatch_listens(master->dispatch)) {
        dispatch_done(master->dispatch, package, start_s, end_s);
        return;
    }
    report.there_s +=
        fmax(emulation_cost(emulation, OPERATION_REQUEST, package->worker, package->count) -
                 emulation_cost(emulation, OPERATION_ANSWER, package->worker, package->count),
             0);
    if (!pending_add(&master->pending, &report))
        failure_memory(master->failure, "keeping reports");
}

/* Beside what the profile expects, for who waits. */
static void pace_tell(struct master *master, const struct wire_result *report)
{
    static const enum operation operations[] = {OPERATION_RECEIVE, OPERATION_COMPUTE,
                                                OPERATION_OUTPUT};
    const struct package *package = &report->package;
    double expected_s = 0;
    if (!master->run->costs)
        return;
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++)
        expected_s +=
            emulation_cost(master->run->costs, operations[k], package->worker, package->count);
    progress_worker(master->progress, package->worker, expected_s,
                    report->times.written_s - report->times.start_s);
}

static void report_take(struct master *master)
{
    const struct wire_result *report = master->report;
    const struct job *job = master->run->job;
    master->returned++;
    if (report->failure.code != FAILURE_NONE) {
        failure_set(master->failure, report->failure.code, "%s", report->failure.text);
        return;
    }
    master->asked = master->asked || report->asked;
    if (report->skipped) {
        master->outcome->stopped = true;
        return;
    }
    report_trace(master, report);
    pace_tell(master, report);
    summary_merge(&master->outcome->summary, &report->summary);
    if (report->summary.failed > 0)
        rejection_keep(master->outcome, &report->rejection);
    if (master->outcome->state)
        job->task->merge(job->opened, master->outcome->state, report + 1);
    report_tell(master, &report->package, report->times.start_s - master->origin_s,
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
    double *room =
        array_reserve(master->sent_s, &master->sent_capacity, (size_t)index + 1, sizeof *room);
    if (!room)
        return failure_memory(master->failure, "keeping the times of sending");
    master->sent_s = room;
    return true;
}

/* Lets results come in and packages leave, for who waits. */
static bool idle_pulse(void *self)
{
    struct master *master = self;
    results_take(master);
    outbox_progress(master->outbox);
    return false;
}

/* Of a job that sleeps: the master's own part of an operation that began then. */
static void sleep_here(struct master *master, enum operation operation,
                       const struct package *package, double start_s)
{
    const struct run *run = master->run;
    if (run->emulation)
        emulation_sleep(run->emulation, run->comm, operation, package->worker, package->count,
                        start_s, (struct engine_pulse){idle_pulse, master});
}

/* It travels from now on; over an emulated link, since that has begun to carry it. */
static void package_left(void *self, const struct wire_package *header, double left_s)
{
    const struct master *master = self;
    if (header->kind == WIRE_WORK && !master->run->emulation)
        master->sent_s[header->package.index] = left_s;
}

/* When the package is to leave. Transfers that begin together share the master's link and arrive
 * together; one after the other, as the plan has them, the first arrive long before. So each leaves
 * when by the profile the one before has arrived, where that takes long enough to be timed, or when
 * MPI is done with that one: a link that the profile takes for slow must not be made so. An
 * emulated port lets it go when it has carried it. */
static double departure_of(struct master *master, const struct package *package)
{
    const struct run *run = master->run;
    const double link_s =
        run->costs ? emulation_cost(run->costs, OPERATION_LINK, package->worker, package->count)
                   : 0;
    if (!run->emulation && link_s < paced_least_s)
        return 0;
    const double start_s = fmax(comm_now(run->comm), master->port_free_s);
    master->port_free_s = start_s + link_s;
    if (!run->emulation)
        return start_s;
    master->sent_s[package->index] = start_s;
    return master->port_free_s;
}

/* Into the outbox's next buffer, unless the worker reads by itself. */
static bool package_pack(struct master *master, const struct package *package, size_t *size)
{
    const struct run *run = master->run;
    void *bytes =
        outbox_claim(master->outbox, (struct outbox_idle){idle_take, master, &master->receiving});
    *size = 0;
    const double start = comm_now(run->comm);
    if (master->sent == 0)
        master->origin_s = start;
    if (!run->job->values.staged && !job_pack(run->job, run->input, package->first, package->count,
                                              bytes, size, master->failure))
        return false;
    sleep_here(master, OPERATION_ENVELOPE, package, start);
    event_add(master, 0, OPERATION_ENVELOPE, package, start, comm_now(run->comm));
    return true;
}

static bool package_send(struct master *master, const struct package *package)
{
    const struct comm *comm = master->run->comm;
    size_t size;
    if (!sent_reserve(master, package->index) || !package_pack(master, package, &size))
        return false;
    const double packed = comm_now(comm);
    struct wire_package header = {.kind = WIRE_WORK, .package = *package, .size = (int64_t)size};
    sleep_here(master, OPERATION_SEND, package, packed);
    const double departure_s = departure_of(master, package);
    outbox_post(master->outbox, (int)package->worker + 1, &header, size, departure_s);
    master->sent++;
    event_add(master, 0, OPERATION_SEND, package, packed, comm_now(comm));
    return true;
}

/* Nothing to do before a result comes or a package may leave. */
static void master_pause(struct master *master, struct pause *pause)
{
    struct awaited awaited = {.requests = {&master->receiving}};
    outbox_await(master->outbox, &awaited);
    clock_pause(pause, &awaited);
}

/* What the decision object says now. False: there is nothing more to send. */
static bool decision_take(struct master *master, struct pause *pause)
{
    struct package package;
    double now = comm_now(master->run->comm) - master->origin_s;
    switch (dispatch_next(master->dispatch, now, &package)) {
    case DISPATCH_SEND:
        *pause = (struct pause){.longer = OUTBOX_NAPS};
        return package_send(master, &package);
    case DISPATCH_WAIT:
    case DISPATCH_DEALT:
        outbox_progress(master->outbox);
        master_pause(master, pause);
        return true;
    case DISPATCH_OUT_OF_MEMORY:
        return failure_memory(master->failure, "deciding what to send");
    case DISPATCH_FINISHED:
        master->dealt = true;
        break;
    }
    return false;
}

/* Of a job that sleeps: take in the reports that are there, each for as long as that takes. */
static void reports_answer(struct master *master)
{
    const struct comm *comm = master->run->comm;
    struct pending_report report;
    while (pending_take(&master->pending, comm_now(comm) - master->origin_s, &report)) {
        sleep_here(master, OPERATION_ANSWER, &report.package, comm_now(comm));
        dispatch_done(master->dispatch, &report.package, report.start_s, report.end_s);
    }
}

/* Until everything is handed out, something failed, or somebody wants the run to stop. */
static void packages_send(struct master *master)
{
    struct pause pause = {.longer = OUTBOX_NAPS};
    while (master->failure->code == FAILURE_NONE && !master->asked && !interrupt_asked() &&
           decision_take(master, &pause)) {
        results_take(master);
        reports_answer(master);
    }
    if (!master->dealt && master->failure->code == FAILURE_NONE)
        master->outcome->stopped = true;
}

/* The first large message between two ranks takes milliseconds once. */
static void workers_warm(struct master *master, size_t bytes)
{
    struct outbox_idle idle = {NULL, NULL, NULL};
    struct wire_package header = {.kind = WIRE_WARM};
    for (int rank = 1; rank < master->run->comm->size; rank++) {
        outbox_claim(master->outbox, idle);
        outbox_post(master->outbox, rank, &header, bytes < warm_bytes ? bytes : warm_bytes, 0);
    }
    outbox_drain(master->outbox, idle);
}

/* Something failed, or everything is done: what computes shall stop, what waits is only
 * acknowledged. */
static void workers_cancel(struct master *master)
{
    const struct comm *comm = master->run->comm;
    for (int rank = 1; !master->cancelled && rank < comm->size; rank++)
        comm_send(comm, NULL, 0, rank, WIRE_CANCEL);
    master->cancelled = true;
}

static void workers_stop(struct master *master)
{
    struct outbox_idle idle = {idle_take, master, &master->receiving};
    struct wire_package header = {.kind = WIRE_STOP};
    for (int rank = 1; rank < master->run->comm->size; rank++) {
        outbox_claim(master->outbox, idle);
        outbox_post(master->outbox, rank, &header, 0, master->port_free_s);
    }
    struct pause pause = {0};
    while (master->returned < master->sent) {
        results_take(master);
        pause.longer = outbox_progress(master->outbox) ? LAST_NAPS : OUTBOX_NAPS;
        if (master->failure->code != FAILURE_NONE)
            workers_cancel(master);
        if (master->returned < master->sent)
            master_pause(master, &pause);
    }
    workers_cancel(master);
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

static bool state_make(struct master *master)
{
    const struct job *job = master->run->job;
    struct run_outcome *outcome = master->outcome;
    if (job->state_size == 0)
        return true;
    outcome->state = calloc(1, job->state_size);
    if (outcome->state)
        job->task->reset(job->opened, outcome->state);
    return outcome->state != NULL;
}

static bool master_init(struct master *master, const struct run *run, struct failure *failure)
{
    summary_init(&master->outcome->summary);
    master->receiving = MPI_REQUEST_NULL;
    master->report_size = sizeof *master->report + run->job->state_size;
    master->report = calloc(1, master->report_size);
    if (!master->report || !state_make(master))
        return failure_memory(failure, "preparing the master");
    size_t bytes = job_message_most(run->job, run->largest_package) + JOB_GUARD;
    const struct outbox_setup setup = {.buffers = outbox_size(run, bytes),
                                       .bytes = bytes,
                                       .one_by_one = run->one_by_one,
                                       .early = !run->emulation,
                                       .left = package_left,
                                       .self = master};
    master->outbox = outbox_new(run->comm, &setup, failure);
    return master->outbox != NULL;
}

static void master_release(struct master *master)
{
    if (master->receiving != MPI_REQUEST_NULL) {
        MPI_Cancel(&master->receiving);
        comm_wait(&master->receiving, MPI_STATUS_IGNORE);
    }
    outbox_free(&master->outbox);
    free(master->report);
    free(master->sent_s);
    pending_release(&master->pending);
}

bool master_run(const struct run *run, struct dispatch *dispatch, struct progress *progress,
                struct run_outcome *outcome, struct failure *failure)
{
    struct master master = {.run = run,
                            .dispatch = dispatch,
                            .progress = progress,
                            .outcome = outcome,
                            .failure = failure};
    master_init(&master, run, failure);
    if (comm_agree(run->comm, failure)) {
        report_post(&master);
        workers_warm(&master, job_message_most(run->job, run->largest_package));
        master.origin_s = comm_now(run->comm);
        packages_send(&master);
        workers_stop(&master);
    }
    master_release(&master);
    return failure->code == FAILURE_NONE;
}

void run_outcome_release(struct run_outcome *outcome)
{
    trace_release(&outcome->trace);
    free(outcome->state);
    free(outcome->json);
    free(outcome->told);
    free(outcome->replanned);
    outcome->state = NULL;
    outcome->json = outcome->told = outcome->replanned = NULL;
}
