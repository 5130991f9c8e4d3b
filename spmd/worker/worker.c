#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"
#include "planner/base/process.h"
#include "spmd/job/complaint.h"
#include "spmd/protocol/beginning.h"
#include "spmd/protocol/counting.h"
#include "spmd/protocol/fault.h"
#include "spmd/protocol/interrupt.h"
#include "spmd/protocol/message.h"
#include "spmd/protocol/run.h"
#include "spmd/transport/wire.h"
#include "spmd/worker/context.h"
#include "spmd/worker/worker.h"

/* While a package is worked on, the results of the one before may be being written, and the report
 * of the one before that may travel. */
enum { REPORTS = 3 };

struct report {
    struct wire_result *result; /* owned; travelling while `sending` is pending */
    struct link_request sending;
};

struct worker {
    const struct run *run;
    struct worker_context context;
    struct counting counting;
    struct report reports[REPORTS]; /* used in turn */
    int64_t begun, reported;
    int64_t last;             /* the highest index of packages that have arrived; -1: none */
    bool writing;             /* the results of the next package to report are being written */
    bool counted;             /* it took packages by the counter until there were none */
    bool retired;             /* the master no longer counts on it, and takes no reports */
    struct failure unwritten; /* a failure of asynchronous writing */
    double free_s;
    struct wire_result interim; /* travelling while `telling` is pending */
    struct link_request telling, answering;
    struct scow_others others; /* may be being received */
    double told_s;             /* when counts were last sent */
};

static struct report *report_next(struct worker *worker)
{
    return &worker->reports[worker->reported % REPORTS];
}

/* The report's buffer is free after the last report in it has been sent. */
static struct wire_result *report_begin(struct worker *worker, const struct package *package)
{
    struct report *report = &worker->reports[worker->begun++ % REPORTS];
    comm_wait(worker->run->comm, &report->sending);
    memset(report->result, 0, sizeof *report->result);
    report->result->package = *package;
    summary_init(&report->result->summary);
    return report->result;
}

/* Will the master hand out again what this worker has, once it gets this report? */
static bool report_retires(const struct worker *worker, const struct wire_result *report)
{
    return report->own && worker->run->apart &&
           wire_result_told(report, worker->run->job->state_size)->failure.code != FAILURE_NONE;
}

static void report_send(struct worker *worker)
{
    struct report *report = report_next(worker);
    const size_t state_size = worker->run->job->state_size;
    const size_t size = wire_result_size(state_size, report->result->troubled);
    worker->reported++;
    if (worker->retired)
        return;
    worker->retired = report_retires(worker, report->result);
    report->result->summary.rank_peak = process_peak();
    wire_result_seal(report->result, state_size);
    link_send(worker->run->comm->link, report->result, size, 0, WIRE_RESULT, &report->sending);
    if (report->result->returned == 0 || worker->run->keeps)
        return;
    returns_send(worker->context.returns);
    worker_context_returned(&worker->context);
}

static bool reports_init(struct worker *worker, struct failure *failure)
{
    bool good = true;
    const size_t most = wire_result_size(worker->run->job->state_size, true);
    for (int k = 0; k < REPORTS; k++) {
        struct report *report = &worker->reports[k];
        *report = (struct report){.result = calloc(1, most)};
        good = report->result && good;
    }
    return good || failure_memory(failure, "preparing a worker");
}

static void reports_release(struct worker *worker)
{
    for (int k = 0; k < REPORTS; k++) {
        comm_wait(worker->run->comm, &worker->reports[k].sending);
        free(worker->reports[k].result);
    }
}

/* Has this rank been asked to stop, or did it only hear of another rank's end? */
static bool is_asked(const struct worker *worker)
{
    if (interrupt_hinted())
        interrupt_settle(!liveness_misses(worker->run->liveness));
    return interrupt_asked();
}

/* Adds the failure to the report, if there is one. */
static void trouble_tell(const struct worker *worker, struct wire_result *report,
                         const struct failure *failure)
{
    const struct package_results *results = engine_results(worker->context.engine);
    struct wire_trouble trouble = {results->rejection, *failure};
    if (failure->code == FAILURE_NONE && report->summary.failed == 0)
        return;
    if (report->summary.failed > 0)
        complaint_find(worker->run->job, results, trouble.rejection.task, trouble.rejection.output,
                       sizeof trouble.rejection.output);
    wire_result_trouble(report, worker->run->job->state_size, &trouble);
}

/* ---- results that are written behind ------------------------------------------------------- */

/* Reports the package whose results have been written by now. */
static void async_writer_look(void *self)
{
    struct worker *worker = self;
    struct wire_result *report = report_next(worker)->result;
    if (!worker->writing ||
        !worker_context_written(&worker->context, &report->times.written_s, &worker->unwritten))
        return;
    const struct wire_trouble trouble = {.failure = worker->unwritten};
    worker->writing = false;
    if (worker->unwritten.code != FAILURE_NONE)
        wire_result_trouble(report, worker->run->job->state_size, &trouble);
    report->own = worker->context.own;
    report->asked = is_asked(worker);
    report_send(worker);
}

/* How often to check a store that does not say when it will be done. */
static const double look_s = 1e-2;

/* Is called when the worker has no current package: it may leave then. */
static void between(const struct worker *worker)
{
    const struct run *run = worker->run;
    if (!run->leaves || !run->leaves(run->leaves_self))
        return;
    returns_finish(worker->context.returns);
    run->leave(run->leaves_self);
}

/* Is called while the worker has nothing else to do; returns after how many seconds to call
 * again. */
static double behind_idle(void *self)
{
    const struct worker *worker = self;
    async_writer_look(self);
    between(worker);
    const double due_s = worker->context.due_s - comm_now(worker->run->comm);
    return !worker->writing ? 0 : due_s > 0 ? due_s : look_s;
}

static void async_writer_finish(struct worker *worker, struct failure *failure)
{
    for (async_writer_look(worker); worker->writing; async_writer_look(worker))
        worker_context_await(&worker->context);
    if (worker->unwritten.code != FAILURE_NONE)
        failure_set(failure, worker->unwritten.code, "%s", worker->unwritten.text);
}

/* ---- counts --------------------------------------------------------------------------------- */

/* Seconds between two messages: longer with very many workers, because the master has other
 * messages to receive. */
static double counts_every_s(const struct worker *worker)
{
    static const double least_s = 0.5, each_s = 1e-3;
    return least_s + each_s * worker->run->comm->size;
}

/* Nothing is sent before the last answer has arrived: so each one is waited for. */
static void counts_exchange(struct worker *worker)
{
    const struct comm *comm = worker->run->comm;
    const double now_s = comm_now(comm);
    if (worker->answering.pending) {
        if (link_test(&worker->answering))
            engine_others_set(worker->context.engine, &worker->others);
        return;
    }
    if (!engine_counts_used(worker->context.engine) ||
        now_s < worker->told_s + counts_every_s(worker))
        return;
    comm_wait(comm, &worker->telling);
    memset(&worker->interim, 0, sizeof worker->interim);
    worker->interim.package.worker = worker->context.member - 1;
    summary_init(&worker->interim.summary);
    engine_counts_tell(worker->context.engine, &worker->interim.counts);
    wire_interim_seal(&worker->interim);
    link_receive(comm->link, &worker->others, sizeof worker->others, 0, WIRE_OTHERS,
                 &worker->answering);
    link_send(comm->link, &worker->interim, sizeof worker->interim, 0, WIRE_RESULT,
              &worker->telling);
    worker->told_s = now_s;
}

/* The master answers before it gets the report of this worker's last package. */
static void counts_finish(struct worker *worker)
{
    comm_wait(worker->run->comm, &worker->telling);
    comm_wait(worker->run->comm, &worker->answering);
}

/* Is called while the worker computes. */
static void meanwhile(void *self)
{
    async_writer_look(self);
    counts_exchange(self);
}

/* ---- packages ------------------------------------------------------------------------------ */

/* The processor's part is computing; afterwards the store may still be busy with earlier
 * results. */
static void results_behind(struct worker *worker, struct wire_result *report,
                           struct failure *failure)
{
    struct wire_times *times = &report->times;
    worker_context_stage(&worker->context, &report->summary, failure);
    times->computed_s = comm_now(worker->run->comm);
    async_writer_finish(worker, failure);
    if (failure->code != FAILURE_NONE)
        return;
    times->handed_s = worker_context_write(&worker->context, report->package.count);
    worker->writing = true;
}

static void results_write(struct worker *worker, struct wire_result *report,
                          struct failure *failure)
{
    struct wire_times *times = &report->times;
    times->computed_s = times->handed_s = comm_now(worker->run->comm);
    worker_context_output(&worker->context, &report->summary, failure);
    times->written_s = comm_now(worker->run->comm);
    times->stalled_s = worker->context.stalled_s;
}

/* Packing is a part of computing; afterwards the master may not have taken earlier results yet,
 * unless these are kept. */
static void results_give(struct worker *worker, struct wire_result *report, struct failure *failure)
{
    struct wire_times *times = &report->times;
    const bool packed = worker_context_return(&worker->context, report, failure);
    times->computed_s = times->handed_s = comm_now(worker->run->comm);
    if (packed && !worker->run->keeps && returns_await(worker->context.returns))
        times->handed_s = comm_now(worker->run->comm);
    times->written_s = times->handed_s;
}

/* False: the package must be computed. */
static bool package_given(struct worker *worker, const struct package *package,
                          struct wire_result *report, struct failure *failure)
{
    const struct run *run = worker->run;
    struct wire_times *times = &report->times;
    struct run_given given;
    if (!run->given || !run->given(run->given_self, package, &given))
        return false;
    const struct wire_result mine = *report;
    memcpy(report, given.report, given.report_size);
    report->package = *package;
    *times = mine.times;
    times->start_s = times->computed_s = comm_now(run->comm);
    if (returns_put(worker->context.returns, given.packed, given.packed_size, report, failure))
        returns_await(worker->context.returns);
    times->handed_s = times->written_s = comm_now(run->comm);
    return true;
}

static void package_done(struct worker *worker, const struct inbox_package *in,
                         struct wire_result *report, struct failure *failure)
{
    const struct comm *comm = worker->run->comm;
    const struct package_results *results = engine_results(worker->context.engine);
    struct wire_times *times = &report->times;
    struct compute_times within = {0};
    times->start_s = comm_now(comm);
    if (!worker_context_compute(&worker->context, in, &within, failure)) {
        failure_set(failure, FAILURE_FAILED, "worker %d was told to stop", worker->context.member);
        return;
    }
    times->receive_s = within.receive_s;
    times->worked_s = within.worked_s;
    times->queued_s = within.queued_s;
    times->prepared_s = worker_context_prepared(&worker->context);
    times->start_s = fmax(times->start_s, fmin(times->prepared_s, comm_now(comm)));
    engine_counts_tell(worker->context.engine, &report->counts);
    if (results->state)
        memcpy(report + 1, results->state, worker->run->job->state_size);
    if (worker->run->collects)
        results_give(worker, report, failure);
    else if (worker->run->job->values.write_behind)
        results_behind(worker, report, failure);
    else
        results_write(worker, report, failure);
}

/* After a failure, or when asked to stop, packages are only acknowledged, so that the master can
 * count them; if it has retired this worker, it counts none. */
static void package_work(struct worker *worker, const struct inbox_package *in,
                         struct failure *failure)
{
    const struct package *package = &in->header.package;
    struct wire_result *report = report_begin(worker, package);
    report->times.free_s = worker->free_s;
    report->times.transit_s = in->transit_s;
    report->times.arrived_s = in->arrived_s;
    report->skipped = is_asked(worker);
    if (failure->code == FAILURE_NONE && !report->skipped) {
        losses_begin(worker->run->losses, package->first, package->count);
        if (package_given(worker, package, report, failure)) {
            if (failure->code != FAILURE_NONE)
                trouble_tell(worker, report, failure);
            report_send(worker);
            return;
        }
        package_done(worker, in, report, failure);
        if (report->summary.failed > 0)
            between(worker); /* a stop ends commands, too, which others then do again */
    }
    if (worker->writing && report->times.handed_s > 0) {
        trouble_tell(worker, report, failure);
        return; /* async_writer_look sends it once it is written */
    }
    async_writer_finish(worker, failure);
    trouble_tell(worker, report, failure);
    report->asked = is_asked(worker);
    report->own = worker->context.own;
    report_send(worker);
}

static bool done_add(struct done_packages *done, const struct package *package)
{
    struct task_range *last = done->count > 0 ? &done->items[done->count - 1] : NULL;
    if (done->count == DONE_MOST)
        return true;
    if (last && last->first + last->count == package->first) {
        last->count += package->count;
        return true;
    }
    struct task_range *room =
        array_reserve(done->items, &done->capacity, (size_t)done->count + 1, sizeof *room);
    if (!room)
        return false;
    done->items = room;
    done->items[done->count++] = package_range(package);
    return true;
}

/* Has it arrived before? Then it is done and reported, once. */
static bool is_again(struct worker *worker, const struct package *package)
{
    if (package->index <= worker->last)
        return true;
    worker->last = package->index;
    return false;
}

static void package_do(struct worker *worker, const struct inbox_package *in,
                       struct done_packages *done, struct failure *failure)
{
    if (worker->run->job->results.grid_picture && !done_add(done, &in->header.package))
        failure_memory(failure, "keeping the list of packages done");
    package_work(worker, in, failure);
}

/* ---- packages by a counter ------------------------------------------------------------------- */

/* Is sent after the reports of all packages that this worker has taken; not if the master has
 * retired it, which then expects nothing. */
static void counted_tell(struct worker *worker)
{
    comm_wait(worker->run->comm, &worker->telling);
    memset(&worker->interim, 0, sizeof worker->interim);
    worker->interim.package.worker = worker->context.member - 1;
    worker->interim.asked = is_asked(worker);
    summary_init(&worker->interim.summary);
    engine_counts_tell(worker->context.engine, &worker->interim.counts);
    wire_counted_seal(&worker->interim);
    if (!worker->retired)
        link_send(worker->run->comm->link, &worker->interim, sizeof worker->interim, 0, WIRE_RESULT,
                  &worker->telling);
}

/* After a failure, or when asked to stop, no package is taken only to be acknowledged. */
static bool takes_more(const struct worker *worker, const struct failure *failure)
{
    return failure->code == FAILURE_NONE && !worker->retired && !worker->context.cancelled &&
           !is_asked(worker);
}

static void packages_count(struct worker *worker, struct done_packages *done,
                           struct failure *failure)
{
    struct inbox_package in;
    counting_worker(&worker->counting, worker->context.member - 1);
    while (takes_more(worker, failure)) {
        between(worker);
        if (!counting_take(&worker->counting, (struct inbox_idle){behind_idle, worker}, &in))
            break;
        package_do(worker, &in, done, failure);
        worker->free_s = comm_now(worker->run->comm);
    }
    async_writer_finish(worker, failure);
    counted_tell(worker);
    worker->counted = true;
}

/* ---- whole ----------------------------------------------------------------------------------- */

static void worker_loop(struct worker *worker, struct done_packages *done, struct failure *failure)
{
    worker->free_s = comm_now(worker->run->comm);
    worker_context_start(&worker->context);
    for (;;) {
        struct inbox_package in;
        between(worker);
        inbox_take(worker->context.inbox, (struct inbox_idle){behind_idle, worker}, &in);
        if (in.header.kind == WIRE_STOP)
            break;
        if (in.header.kind == WIRE_GIVE)
            worker_context_give(&worker->context, in.header.package.index);
        if (in.header.kind == WIRE_COUNT && !worker->counted)
            packages_count(worker, done, failure);
        if (in.header.kind != WIRE_WORK || is_again(worker, &in.header.package)) {
            inbox_done(worker->context.inbox);
            continue;
        }
        package_do(worker, &in, done, failure);
        inbox_done(worker->context.inbox);
        worker->free_s = comm_now(worker->run->comm);
    }
    async_writer_finish(worker, failure);
    worker_context_give(&worker->context, INT64_MAX);
}

bool worker_run(const struct run *run, struct done_packages *done, struct failure *failure)
{
    struct worker worker = {.run = run, .last = -1, .unwritten = FAILURE_INIT};
    if (run->losses)
        fault_watch(run->losses->file, losses_signal_place(run->losses, run->comm->rank));
    bool ready =
        worker_context_init(&worker.context, run, failure); /* *failure may be set already */
    worker.context.meanwhile = meanwhile;
    worker.context.self = &worker;
    reports_init(&worker, failure);
    if (run->counted)
        counting_begin(&worker.counting, run, failure);
    worker.context.member = beginning_follow(run, failure);
    if (worker.context.member > 0) {
        engine_counts_begin(worker.context.engine);
        worker_loop(&worker, done, failure);
        counts_finish(&worker);
        losses_begin(run->losses, 0, 0);
        worker_context_finish(&worker.context);
    } else {
        ready = false;
    }
    reports_release(&worker);
    counting_end(&worker.counting);
    worker_context_release(&worker.context);
    fault_unwatch();
    return ready && failure->code == FAILURE_NONE;
}

void done_packages_release(struct done_packages *done)
{
    free(done->items);
    *done = (struct done_packages){0};
}
