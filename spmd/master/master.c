/* The master of a run: what it sends, and how it begins and ends. */
#include <math.h>
#include <stdlib.h>

#include "planner/base/process.h"
#include "planner/model/platform.h"
#include "spmd/master/master.h"
#include "spmd/master/master_state.h"
#include "spmd/master/masters.h"
#include "spmd/protocol/beginning.h"
#include "spmd/transport/wire.h"

/* Bytes of the first message to every worker that gets large ones: see workers_warm. */
static const size_t warm_bytes = 1 << 20;
/* Transfers that take less than so many times the usual delay of a nap are not waited for. */
static const double paced_least = 10;
/* LEAST: the fewest buffers with which a package can be packed while another one travels. AHEAD: so
 * many that a master that only emulates hardly ever fills them. */
enum { OUTBOX_LEAST = 2, OUTBOX_AHEAD = 256 };
/* How often the master naps once everything has been sent: then nobody waits for it. */
enum { LAST_NAPS = 16 };
/* At the end, a worker that computes what others have done is waited for so many seconds, or this
 * share of the run's time: one that is in a long core task then still ends well, and one that is
 * stopped costs no more. */
static const double late_least_s = 3, late_share = 0.1;
/* At most so many packages are sent to a worker that has not reported them. MPI accepts any number
 * of small messages at once, and keeps them in memory at the worker, where otherwise all of a
 * plan's packages could lie. */
enum { UNDER_WAY_MOST = 256 };
/* Larger messages may stay in the outbox until their worker receives them. */
enum { TAKEN_IN_BYTES = 4096 };
/* Where copies are made, at most so many of these wait for a worker that receives nothing. */
enum { WAITING_MOST = 2 };

/* ---- packages ------------------------------------------------------------------------------ */

/* The package travels from now on; over an emulated port, since that has begun to carry it. */
static void package_left(void *self, const struct wire_package *header, double left_s)
{
    struct master *master = self;
    if (header->kind == WIRE_WORK && !master->run->emulation)
        outstanding_left(&master->outstanding, &header->package, left_s);
}

/* When the package is to leave. Transfers that begin together share the master's link and arrive
 * together; sent one after the other, as the plan has them, the first ones arrive long before. So
 * each leaves when, by the profile, the one before has arrived, if that takes long enough to be
 * timed, or when the link has sent that one: where a link is faster than the profile says it must
 * not be slowed down. An emulated port lets a package leave when it has carried it. */
static double departure_of(struct master *master, const struct package *package)
{
    const struct run *run = master->run;
    if (run->emulation)
        return master_ports_departure(master, package);
    const double link_s =
        run->costs ? emulation_cost(run->costs, OPERATION_LINK, package->worker, package->count)
                   : 0;
    if (link_s < paced_least * clock_late_s)
        return 0;
    const double start_s = fmax(comm_now(run->comm), master->port_free_s);
    master->port_free_s = start_s + link_s;
    return start_s;
}

/* While there is no room for a package, the master computes its own core tasks. */
static void room_await(struct master *master)
{
    while (!outbox_has_room(master->outbox) && master_own_work(master))
        master_idle(master);
}

void master_begin(struct master *master)
{
    if (master->begun)
        return;
    const double start_s = comm_now(master->run->comm);
    master->begun = true;
    if (!master->run
             ->whole) /* else the origin is that of all masters, so that times can be compared */
        master->origin_s = start_s;
    master->outcome->begun_s = start_s - master->origin_s;
    master->outcome->startup_s = process_age_s();
    master_ports_begin(master);
    membership_origin(master->run->members, master->origin_s);
}

/* Packs the package into the outbox's next buffer, unless the worker reads its input itself. */
static bool package_pack(struct master *master, const struct package *package, size_t *size)
{
    const struct run *run = master->run;
    room_await(master);
    void *bytes = master_claim(master);
    *size = 0;
    master_begin(master);
    const double start = comm_now(run->comm);
    if (!run->heads && !run->job->values.staged &&
        !job_pack(run->job, run->input, package->first, package->count, bytes, size,
                  master->failure))
        return false;
    master_sleep(master, OPERATION_ENVELOPE, package, start);
    master_event(master, 0, OPERATION_ENVELOPE, package, start, comm_now(run->comm));
    return true;
}

/* Notes that the worker has the package. False: its worker was lost meanwhile, so that the package
 * has come back, or *failure is set. */
static bool package_assign(struct master *master, const struct package *package)
{
    const int member = (int)package->worker + 1;
    if (!master_counts_on(master, member))
        return false;
    if (!outstanding_add(&master->outstanding, package))
        return failure_memory(master->failure, "keeping what is under way");
    master_flight_note(master, member);
    membership_await(master->run->members, member, true);
    return true;
}

/* Waits until a worker that has more packages than it needs has reported some, or is lost. */
static void worker_catch_up(struct master *master, int64_t worker)
{
    struct pause pause = {.longer = OUTBOX_NAPS};
    while (master_returns_unreported(master, (int)worker + 1) >= UNDER_WAY_MOST &&
           master->failure->code == FAILURE_NONE && !master_asked(master)) {
        master_idle(master);
        outbox_progress(master->outbox);
        if (!master_own_work(master))
            master_pause(master, &pause, HUGE_VAL);
    }
}

static bool package_send(struct master *master, const struct package *package)
{
    const struct comm *comm = master->run->comm;
    size_t size;
    worker_catch_up(master, package->worker);
    if (!package_pack(master, package, &size))
        return false;
    const double packed = comm_now(comm);
    struct wire_package header = {.kind = WIRE_WORK, .package = *package, .size = (int64_t)size};
    master_sleep(master, OPERATION_SEND, package, packed);
    const double sent_s = master->run->emulation ? master->busy_s : 0;
    if (!master_ports_carry(master, package))
        return false;
    if (!package_assign(master, package))
        return master->failure->code == FAILURE_NONE;
    outbox_post(master->outbox, master_peer(master, (int)package->worker + 1), &header, size,
                departure_of(master, package));
    master->sent++;
    master_event(master, 0, OPERATION_SEND, package, packed, sent_s > 0 ? sent_s : comm_now(comm));
    master_returns_sent(master, (int)package->worker + 1);
    master_ports_move(master);
    return true;
}

/* Waits while workers take packages by the counter, and nothing is to be decided. */
static void counted_await(struct master *master, struct pause *pause)
{
    outbox_progress(master->outbox);
    master_counted_watch(master);
    master_pause(master, pause, HUGE_VAL);
}

/* Asks the decision object, and does what it says. False: there is nothing more to send. */
static bool decision_take(struct master *master, struct pause *pause)
{
    struct package package;
    if (master_counts(master, 0)) {
        counted_await(master, pause);
        return true;
    }
    const double now = comm_now(master->run->comm) - master->origin_s;
    const enum dispatch_answer answer = dispatch_next(master->dispatch, now, &package);
    master_returns_ask(master, answer);
    switch (answer) {
    case DISPATCH_SEND:
        *pause = (struct pause){.longer = OUTBOX_NAPS};
        return package_send(master, &package);
    case DISPATCH_WAIT:
        pause->longer = OUTBOX_NAPS;
        outbox_progress(master->outbox);
        if (!master_own_work(master))
            master_pause(master, pause, dispatch_due_s(master->dispatch));
        return true;
    case DISPATCH_HANDED_OUT:
        pause->longer = outbox_progress(master->outbox) ? LAST_NAPS : OUTBOX_NAPS;
        if (!master_own_work(master))
            master_pause(master, pause, dispatch_due_s(master->dispatch));
        return true;
    case DISPATCH_OUT_OF_MEMORY:
        return failure_memory(master->failure, "deciding what to send");
    case DISPATCH_FINISHED:
        master->handed_out = true;
        break;
    }
    return false;
}

/* In a job that sleeps: receives the reports that have arrived, each for as long as that takes. */
static void reports_answer(struct master *master)
{
    const struct comm *comm = master->run->comm;
    struct pending_report report;
    while (pending_take(&master->pending, comm_now(comm) - master->origin_s, &report)) {
        master_sleep(master, OPERATION_ANSWER, &report.package, comm_now(comm));
        dispatch_report(master->dispatch, &report.package, report.times);
    }
}

/* Are there packages, or core tasks of the master's own, that have not been begun? One of several
 * masters may only have waited for others. */
static bool is_left(const struct master *master)
{
    const struct masters *masters = master->run->masters;
    const bool waited = masters_share_work(masters) && masters_idle(masters);
    return (!master->handed_out && !waited) || master_own_left(master);
}

/* Sends packages until everything is handed out, something fails, or the run is asked to stop. */
static void packages_send(struct master *master)
{
    struct pause pause = {.longer = OUTBOX_NAPS};
    while (master->failure->code == FAILURE_NONE && !master_asked(master) && !master->handed_out &&
           decision_take(master, &pause)) {
        master_idle(master);
        master_relay_take(master);
        reports_answer(master);
    }
    while (master->handed_out && master_own_work(master))
        master_idle(master);
    if (master_asked(master))
        losses_asked(master->run->losses);
    if (!master->handed_out)
        master_counted_close(master);
    if (is_left(master) && master->failure->code == FAILURE_NONE)
        master->outcome->stopped = true;
}

static void workers_await(struct master *master, int member, bool awaited)
{
    if (master_counts_on(master, member))
        membership_await(master->run->members, member, awaited);
}

static void members_take(void *self)
{
    master_members(self);
}

/* The first large message between two ranks takes some milliseconds more, once: sends one
 * beforehand. */
static void workers_warm(struct master *master, size_t bytes)
{
    struct outbox_idle idle = {members_take, master, NULL};
    struct wire_package header = {.kind = WIRE_WARM};
    for (int member = 1; member <= master->run->members->count; member++) {
        outbox_claim(master->outbox, idle);
        if (!master_counts_on(master, member))
            continue;
        workers_await(master, member, true);
        outbox_post(master->outbox, master_peer(master, member), &header,
                    bytes < warm_bytes ? bytes : warm_bytes, 0);
    }
    outbox_drain(master->outbox, idle);
    for (int member = 1; member <= master->run->members->count; member++)
        workers_await(master, member, false);
}

/* Masters of groups are only told which core tasks they get. */
static size_t job_bytes(const struct run *run)
{
    return run->heads ? 0 : job_message_most(run->job, run->largest_package);
}

/* Workers that take packages by a counter need no first message. */
static void workers_begin(struct master *master)
{
    if (!master->counted) {
        workers_warm(master, job_bytes(master->run));
        master->origin_s =
            master->run->whole ? master->run->members->origin_s : comm_now(master->run->comm);
        return;
    }
    struct outbox_idle idle = {members_take, master, NULL};
    struct wire_package header = {.kind = WIRE_COUNT};
    master_begin(master);
    master_counted_begin(master);
    master_counted_watch(master);
    for (int member = 1; member <= master->run->members->count; member++) {
        outbox_claim(master->outbox, idle);
        if (!master_counts_on(master, member))
            continue;
        workers_await(master, member, true);
        outbox_post(master->outbox, master_peer(master, member), &header, 0, 0);
    }
}

/* Tells the worker to stop computing, and only to acknowledge what waits. It may be gone without
 * anybody knowing it yet. */
static void worker_cancel(struct master *master, int member)
{
    struct master_counts *worker = &master->workers[member - 1];
    if (!worker->cancelled && master_reaches(master, member))
        comm_tell(master->run->comm, master_peer(master, member), WIRE_CANCEL);
    worker->cancelled = true;
}

/* Cancels all workers, because something failed or everything is done. */
static void workers_cancel(struct master *master)
{
    for (int member = 1; member <= master->run->members->count; member++)
        worker_cancel(master, member);
}

static bool is_late(const struct master *master, int member)
{
    int64_t count;
    outstanding_of(&master->outstanding, member - 1, &count);
    return count > 0 && master_counts_on(master, member);
}

/* When everything is done, workers that still have packages compute them in vain, because others
 * were first. One that does not soon say that it has stopped is not waited for. */
static void late_stop(struct master *master)
{
    const struct run *run = master->run;
    const double now_s = comm_now(run->comm) - master->origin_s;
    const double until_s = now_s + fmin(fmax(late_least_s, late_share * now_s), run->patience_s);
    struct pause pause = {.longer = OUTBOX_NAPS};
    for (int member = 1; member <= run->members->count; member++)
        if (is_late(master, member))
            worker_cancel(master, member);
    while (master->outstanding.count > 0 && master->failure->code == FAILURE_NONE &&
           comm_now(run->comm) - master->origin_s < until_s) {
        master_idle(master);
        outbox_progress(master->outbox);
        if (master->outstanding.count > 0)
            master_pause(master, &pause, until_s);
    }
    for (int member = 1; member <= run->members->count; member++)
        if (is_late(master, member))
            master_lose(master, member, "others have done what it had, and it does not answer",
                        false);
}

/* Is anything still to be reported, or to come back? */
static bool is_under_way(const struct master *master)
{
    return master->outstanding.count > 0 || master_returns_wait(master) || master_counts(master, 0);
}

/* Waits until the worker has received what is on its way, or is lost, even if nothing is to come
 * from it. */
static void taking_await(struct master *master, int member)
{
    if (master_reaches(master, member))
        membership_await(master->run->members, member, true);
}

static void workers_stop(struct master *master)
{
    if (master->handed_out && master->run->copies && master->outstanding.count > 0)
        late_stop(master);
    struct outbox_idle idle = master_outbox_idle(master);
    struct wire_package header = {.kind = WIRE_STOP};
    for (int member = 1; member <= master->run->members->count; member++) {
        outbox_claim(master->outbox, idle);
        taking_await(master, member);
        if (master_reaches(master, member))
            outbox_post(master->outbox, master_peer(master, member), &header, 0, 0);
        master_returns_stop(master, member);
    }
    struct pause pause = {0};
    while (is_under_way(master)) {
        master_idle(master);
        pause.longer = outbox_progress(master->outbox) ? LAST_NAPS : OUTBOX_NAPS;
        if (master->failure->code != FAILURE_NONE)
            workers_cancel(master);
        if (is_under_way(master))
            master_pause(master, &pause, HUGE_VAL);
    }
    workers_cancel(master);
    for (int member = 1; member <= master->run->members->count; member++)
        taking_await(master, member);
    outbox_drain(master->outbox, idle);
}

/* ---- whole --------------------------------------------------------------------------------- */

static size_t message_bytes(const struct run *run)
{
    return job_bytes(run) + JOB_GUARD;
}

int64_t master_ahead(const struct run *run)
{
    return message_bytes(run) > TAKEN_IN_BYTES ? run->buffers + WAITING_MOST : UNDER_WAY_MOST;
}

/* One buffer for the package that is being packed, and others for those that wait. For a plan, one
 * for each worker is enough. A rule decides by reports, so its packages must not wait for buffers:
 * there is one for each that it may have handed out at a time. A master that only emulates runs
 * ahead of its ports, as the simulation does. Messages that wait for a worker that receives nothing
 * leave room for others. */
static int outbox_size(const struct run *run, bool listens, size_t bytes)
{
    double affordable = PLATFORM_MESSAGES_MOST / (double)(bytes + 1);
    int wanted = run->members->expected * (listens ? run->buffers : 1) + 1 +
                 (run->copies ? WAITING_MOST : 0);
    if (run->emulation && wanted < OUTBOX_AHEAD)
        wanted = OUTBOX_AHEAD;
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
    master->report_size = wire_result_size(run->job->state_size, true);
    master->report = calloc(1, master->report_size);
    const int members = run->members->expected;
    master->starts = calloc((size_t)members, sizeof *master->starts);
    master->workers = calloc((size_t)members, sizeof *master->workers);
    if (!outstanding_init(&master->outstanding, members) || !master->report || !master->starts ||
        !master->workers || !state_make(master) || !master_returns_init(master) ||
        !master_ports_init(master))
        return failure_memory(failure, "preparing the master");
    if (!master_own_init(master, failure) || !master_counted_init(master, failure) ||
        !master_relay_init(master, failure) || !master_groups_init(master, failure))
        return false;
    const size_t bytes = message_bytes(run);
    const struct outbox_setup setup = {
        .buffers = outbox_size(run, dispatch_listens(master->dispatch), bytes),
        .bytes = bytes,
        .one_by_one = run->one_by_one,
        .overtaking = emulation_traits(run->emulation)->port_each,
        .early = !run->emulation,
        .left = package_left,
        .self = master};
    master->outbox = outbox_new(run->comm, &setup, failure);
    return master->outbox != NULL;
}

static void master_release(struct master *master)
{
    link_cancel(&master->receiving);
    outbox_free(&master->outbox);
    master_returns_release(master);
    master_own_release(master);
    master_counted_release(master);
    master_relay_release(master);
    master_groups_release(master);
    ports_free(&master->ports);
    free(master->report);
    free(master->starts);
    master_others_release(master);
    free(master->workers);
    pending_release(&master->pending);
    outstanding_release(&master->outstanding);
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
    if (beginning_lead(run, failure)) {
        master_listen(&master);
        workers_begin(&master);
        liveness_work(run->liveness, true);
        packages_send(&master);
        workers_stop(&master);
        master_relay_finish(&master);
        master_starts_settle(&master);
    }
    master_release(&master);
    return failure->code == FAILURE_NONE;
}
