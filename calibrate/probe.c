#include "calibrate/probe.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "calibrate/labels.h"
#include "planner/base/process.h"
#include "planner/model/platform.h"
#include "spmd/job/engine.h"
#include "spmd/master/master.h"
#include "spmd/output/outputfile.h"
#include "spmd/output/store.h"
#include "spmd/transport/wire.h"
#include "spmd/worker/worker.h"

/* ---- patience -------------------------------------------------------------------------------- */

/*
 * How long workers may be silent while they are probed: as in a run, by the longest package, and by
 * what the next one will take. Local to the master.
 */

/* Is it work, and has it been seen how long that takes? */
static bool is_work(const struct trace_event *event)
{
    return event->operation == OPERATION_RECEIVE || event->operation == OPERATION_COMPUTE ||
           event->operation == OPERATION_OUTPUT;
}

/* Packages of so many core tasks are to come. */
static void patience_expect(const struct patience *patience, int64_t largest)
{
    const double expected_s = fmax(patience->longest_s, patience->s_per_task * (double)largest);
    liveness_patience(patience->liveness, liveness_deadline(patience->least_s, expected_s));
}

static void patience_learn(struct patience *patience, const struct trace *trace)
{
    for (size_t i = 0; i < trace->count; i++) {
        const struct trace_event *event = &trace->events[i];
        const double took_s = event->end_s - event->start_s;
        if (is_work(event) || event->operation == OPERATION_START)
            patience->longest_s = fmax(patience->longest_s, took_s);
        if (is_work(event) && event->tasks > 0)
            patience->s_per_task = fmax(patience->s_per_task, took_s / (double)event->tasks);
    }
}

/* No worker works on packages any more. */
static void patience_end(const struct patience *patience)
{
    liveness_patience(patience->liveness, 0);
}

/* What the master says to every worker before a probe. */
struct probe_order {
    int64_t largest; /* core tasks in a package; 0: no more probes */
    int64_t afresh;  /* with an engine of its own */
};

/* The package being worked on, and those that wait or travel. */
enum { PACKAGES_AHEAD = PLATFORM_BUFFERS + 1 };

static void order_all(const struct comm *comm, int64_t largest, bool afresh)
{
    const struct probe_order order = {largest, afresh};
    for (int rank = 1; rank < comm->size; rank++)
        comm_send(comm, &order, sizeof order, rank, WIRE_CONTROL);
}

/* Does the master write? */
static bool collects(const struct probe_setup *setup)
{
    return results_return(setup->job->values.results);
}

/* Collective. Where results go: a file that is gone with those who have it open. */
static struct store *scratch_open(const struct probe_setup *setup, struct failure *failure)
{
    const struct comm *comm = setup->comm;
    const struct store_setup store = {.path = setup->scratch,
                                      .emitted = setup->scratch,
                                      .temporary = true,
                                      .collected = collects(setup),
                                      .leads = comm_leads(comm),
                                      .collects_as = STORE_COLLECTOR,
                                      .master_as = setup->master_computes ? comm->size : 0};
    const struct output_info info = {.plan = "{}",
                                     .emitted = setup->scratch,
                                     .conditions.isa = "",
                                     .events = 1,
                                     .workers = comm->size - 1 + setup->master_computes};
    struct output_places places = {0};
    const bool created =
        comm->rank == 0 && outputfile_create(setup->scratch, setup->job, &info, &places, failure);
    struct store *opened = NULL;
    if (comm_agree(comm, failure))
        opened = store_open_together(&store, &places, comm, setup->job, failure);
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
                        .collects = collects(setup),
                        .one_by_one = one_by_one,
                        .weighs_output = setup->weighs_output,
                        .senses = true,
                        .largest_package = largest,
                        .threads = setup->threads,
                        .buffers = PLATFORM_BUFFERS};
}

/* A probe under way. */
struct lead {
    const struct comm *comm;
    const struct probe_work *work;
    struct dispatch *dispatch;
};

static void lead_tick(void *self)
{
    const struct lead *lead = self;
    if (lead->dispatch && comm_now(lead->comm) > lead->work->until_s)
        dispatch_list_end(lead->dispatch);
    if (lead->work->tick.tell)
        lead->work->tick.tell(lead->work->tick.self);
}

/* What workers had at most beside packages and their results, and the master beside messages. */
static struct profile_peaks peaks_beside(const struct run *run, const struct probe_work *work,
                                         const struct summary *summary)
{
    const struct memory held = labels_memory(run->job, work->held, run->threads);
    const double largest = (double)work->held;
    return (struct profile_peaks){
        .rank = fmax(0, (double)summary->rank_peak - held.bytes - held.bytes_per_task * largest),
        .command = (double)summary->command_peak,
        .master = fmax(0, (double)process_peak() - memory_messages(&held, (double)work->largest,
                                                                   run->comm->size - 1,
                                                                   PLATFORM_BUFFERS))};
}

/* Takes the trace over. */
static void outcome_take(const struct run *run, const struct probe_work *work,
                         struct run_outcome *from, struct probe_outcome *probed)
{
    *probed = (struct probe_outcome){.trace = from->trace,
                                     .worked_s = from->worked_s,
                                     .stalled_s = from->stalled_s,
                                     .tasks = from->summary.tasks,
                                     .failed = from->summary.failed,
                                     .peaks = peaks_beside(run, work, &from->summary),
                                     .rejection_count = from->rejection_count};
    memcpy(probed->rejections, from->rejections, sizeof probed->rejections);
    from->trace = (struct trace){.count = 0};
}

/* Of the whole output, as runs do it: every worker with a part, or the master alone. Seconds, from
 * the probe's first package. */
static double normalize_time(const struct run *run, const struct probe_work *work,
                             const struct summary *summary, struct failure *failure)
{
    const struct package *package = &work->packages[0];
    const double begun_s = comm_now(run->comm);
    const double workers = run->collects ? 1 : run->comm->size - 1;
    store_normalize(run->store, package->first, package->count, summary, run->threads, failure);
    return (comm_now(run->comm) - begun_s) / (double)package->count *
           (double)run->job->setup.tasks / workers;
}

/* The first part of it; the other one is closing the file. */
static void seal_begin(const struct run *run, const struct probe_work *work,
                       const struct summary *summary, struct probe_outcome *probed,
                       struct failure *failure)
{
    if (!work->seals || failure->code != FAILURE_NONE || summary->tasks == 0)
        return;
    probed->seal_s = normalize_time(run, work, summary, failure);
    probed->seal_tasks = work->packages[0].count;
}

/* Local to the master. */
static void lead(const struct probe_setup *setup, const struct run *run,
                 const struct probe_work *work, struct probe_outcome *probed,
                 struct failure *failure)
{
    struct run_outcome outcome = {.json = NULL};
    struct progress silent;
    struct lead lead = {run->comm, work,
                        dispatch_new_list(work->packages, work->count, run->comm->size - 1,
                                          work->ahead ? PACKAGES_AHEAD : 1)};
    progress_init(&silent, NULL, run->job->setup.tasks, 0);
    silent.tick = (struct progress_tick){lead_tick, &lead};
    if (!lead.dispatch)
        failure_memory(failure, "starting a probe"); /* which master_run tells all ranks */
    else if (work->master_computes)
        dispatch_list_own(lead.dispatch, run->job->setup.tasks);
    master_run(run, lead.dispatch, &silent, &outcome, failure);
    outcome_take(run, work, &outcome, probed);
    if (setup->had && !run_had_merge(setup->had, &outcome.had))
        failure_memory(failure, "keeping what workers had of their processors");
    seal_begin(run, work, &outcome.summary, probed, failure);
    run_outcome_release(&outcome);
    dispatch_free(&lead.dispatch);
}

void probe_outcome_release(struct probe_outcome *outcome)
{
    trace_release(&outcome->trace);
}

static bool executor_run(void *self, const struct probe_work *work, struct probe_outcome *outcome,
                         struct failure *failure)
{
    const struct probe_setup *setup = self;
    *outcome = (struct probe_outcome){.worked_s = 0};
    if (setup->patience)
        patience_expect(setup->patience, work->largest);
    order_all(setup->comm, work->largest, work->afresh);
    struct store *store = scratch_open(setup, failure);
    if (store) {
        struct run run = run_of(setup, store, work->largest, !work->ahead);
        struct membership members;
        const struct membership_setup all = {.comm = setup->comm,
                                             .path = setup->scratch,
                                             .command = "scow calibrate",
                                             .workers = setup->comm->size - 1};
        membership_init(&members, &all);
        run.members = &members;
        lead(setup, &run, work, outcome, failure);
        membership_release(&members);
        if (setup->patience)
            patience_learn(setup->patience, &outcome->trace);
        comm_agree(setup->comm, failure);
    }
    const double closing_s = comm_now(setup->comm);
    store_close(&store, failure);
    const bool good = comm_agree(setup->comm, failure);
    outcome->seal_s += comm_now(setup->comm) - closing_s;
    return good;
}

void probe_end(const struct probe_setup *setup)
{
    order_all(setup->comm, 0, true);
    if (setup->patience)
        patience_end(setup->patience);
}

static double executor_now(void *self)
{
    const struct probe_setup *setup = self;
    return comm_now(setup->comm);
}

struct prober probe_prober(struct probe_setup *setup)
{
    return (struct prober){executor_run, executor_now, setup};
}

/* Collective with executor_run. */
static void serve(const struct probe_setup *setup, int64_t largest, struct engine **engine,
                  struct failure *failure)
{
    struct store *store = scratch_open(setup, failure);
    if (store) {
        struct run run = run_of(setup, store, largest, false);
        run.kept = engine;
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
    struct engine *engine = NULL;
    struct probe_order order;
    int64_t largest = 0;
    do {
        comm_receive(setup->comm, &order, sizeof order, 0, WIRE_CONTROL);
        if (order.afresh)
            engine_free(&engine);
        if (order.afresh || order.largest > largest) /* a run has no pieces of smaller ones, too */
            process_trim();
        largest = order.largest > largest ? order.largest : largest;
        process_peak_begin();
        if (order.largest > 0)
            serve(setup, order.largest, &engine, failure);
    } while (order.largest > 0);
    return failure->code == FAILURE_NONE;
}
