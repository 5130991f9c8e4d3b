/*
 * A group's master towards the master above it: there it is a worker, which is done with a package
 * when all of its core tasks are reported. Packages that come are handed out by this master's own
 * dispatch (planner/dispatch/stream.h); what its workers report of them is summed up and goes
 * upwards as one report, in the order of the packages. A reduction over a package's core tasks
 * merges here, in the order of the workers' reports, and goes upwards with it.
 *
 * Where the group ends before its packages are done, because a core task ends the run or it has
 * been asked to stop, those that are left are only acknowledged, as a worker does. Where it has no
 * worker left, that is its own trouble: others get what it had.
 */
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"
#include "planner/base/process.h"
#include "planner/dispatch/stream.h"
#include "spmd/job/summary.h"
#include "spmd/master/master_state.h"
#include "spmd/transport/inbox.h"
#include "spmd/transport/wire.h"

/* A package of the master above that is not reported yet. */
struct relayed {
    struct package package;
    int64_t left; /* core tasks that are not done */
    struct wire_times times;
    struct summary summary;
    struct rejection rejection; /* of the first core task that failed, if any */
    void *state;                /* owned; of a reduction; NULL: no reduction */
};

struct master_relay {
    const struct run *above; /* borrowed */
    struct inbox *inbox;     /* owned */
    struct link_request cancelling;
    struct relayed *packages; /* owned; from `first` on, in the order of arrival */
    size_t first, count, capacity;
    struct wire_result *report; /* owned; travelling while `sending` is pending */
    struct link_request sending;
    int64_t last; /* the highest index that has arrived */
    double free_s;
    bool stopped;   /* no more packages come */
    bool cancelled; /* what is being computed shall stop */
    bool retired;   /* the master above no longer counts on this group */
};

/* ---- beginning and end ---------------------------------------------------------------------- */

bool master_relay_init(struct master *master, struct failure *failure)
{
    const struct run *above = master->run->above;
    if (!above)
        return true;
    struct master_relay *relay = calloc(1, sizeof *relay);
    master->relay = relay;
    if (relay)
        relay->report = calloc(1, wire_result_size(above->job->state_size, true));
    if (!relay || !relay->report)
        return failure_memory(failure, "preparing a group's master");
    relay->above = above;
    relay->last = -1;
    relay->inbox = inbox_new(above->comm, above->buffers, JOB_GUARD, failure);
    if (!relay->inbox)
        return false;
    link_receive(above->comm->link, NULL, 0, 0, WIRE_CANCEL, &relay->cancelling);
    return true;
}

static void state_release(struct relayed *relayed)
{
    free(relayed->state);
    relayed->state = NULL;
}

void master_relay_release(struct master *master)
{
    struct master_relay *relay = master->relay;
    if (!relay)
        return;
    link_cancel(&relay->cancelling);
    if (relay->report)
        comm_wait(master->run->above->comm, &relay->sending);
    inbox_free(&relay->inbox);
    for (size_t k = relay->first; k < relay->count; k++)
        state_release(&relay->packages[k]);
    free(relay->packages);
    free(relay->report);
    free(relay);
    master->relay = NULL;
}

/* ---- reports ------------------------------------------------------------------------------- */

/* The failure to report, if there is one; a group without workers says that itself. */
static struct wire_trouble trouble_of(const struct master *master, const struct relayed *relayed,
                                      const struct failure *failure)
{
    struct wire_trouble trouble = {relayed->rejection, *failure};
    if (failure->code == FAILURE_NONE || membership_living(master->run->members) > 0)
        return trouble;
    trouble.failure = (struct failure)FAILURE_INIT;
    failure_set(&trouble.failure, failure->code, "its group has no worker left");
    return trouble;
}

/* Reports the package. If it is skipped, that ends the run, as when a worker is asked to stop. */
static void report_send(struct master *master, const struct relayed *relayed,
                        const struct failure *failure)
{
    struct master_relay *relay = master->relay;
    struct wire_result *report = relay->report;
    const size_t state_size = relay->above->job->state_size;
    const struct wire_trouble trouble = trouble_of(master, relayed, failure);
    if (relay->retired)
        return;
    comm_wait(relay->above->comm, &relay->sending);
    memset(report, 0, wire_result_size(state_size, true));
    report->package = relayed->package;
    report->times = relayed->times;
    report->summary = relayed->summary;
    report->summary.rank_peak = process_peak();
    report->skipped = relayed->left > 0 && failure->code == FAILURE_NONE;
    report->asked = master_asked(master) || report->skipped;
    report->own = failure->code != FAILURE_NONE && membership_living(master->run->members) == 0;
    if (failure->code != FAILURE_NONE || relayed->summary.failed > 0)
        wire_result_trouble(report, state_size, &trouble);
    if (relayed->state)
        memcpy(report + 1, relayed->state, state_size);
    wire_result_seal(report, state_size);
    relay->retired = report->own;
    link_send(relay->above->comm->link, report, wire_result_size(state_size, report->troubled), 0,
              WIRE_RESULT, &relay->sending);
}

/* Reports the oldest package, and forgets it. */
static void first_send(struct master *master, const struct failure *failure)
{
    struct relayed *relayed = &master->relay->packages[master->relay->first++];
    report_send(master, relayed, failure);
    state_release(relayed);
}

/* Reports the packages that are done, in their order. */
static void reports_send(struct master *master)
{
    struct master_relay *relay = master->relay;
    const struct failure none = FAILURE_INIT;
    while (relay->first < relay->count && relay->packages[relay->first].left == 0)
        first_send(master, &none);
    if (relay->first == relay->count)
        relay->first = relay->count = 0;
}

/* The unreported package that contains this core task; NULL: none does. */
static struct relayed *relayed_find(const struct master_relay *relay, int64_t task)
{
    for (size_t k = relay->first; k < relay->count; k++) {
        struct relayed *relayed = &relay->packages[k];
        if (relayed->left > 0 && task >= relayed->package.first &&
            task < relayed->package.first + relayed->package.count)
            return relayed;
    }
    return NULL;
}

void master_relay_done(struct master *master, const struct package *package,
                       const struct relay_done *done)
{
    struct relayed *relayed = master->relay ? relayed_find(master->relay, package->first) : NULL;
    const struct job *job = master->run->job;
    if (!relayed)
        return;
    const struct summary *summary = done->summary;
    const bool first_failed =
        summary->failed > 0 &&
        (relayed->summary.failed == 0 || done->rejection->task < relayed->rejection.task);
    if (first_failed)
        relayed->rejection = *done->rejection;
    summary_merge(&relayed->summary, summary);
    if (relayed->state && done->state)
        job->task->merge(job->opened, relayed->state, done->state);
    relayed->left -= package->count;
    if (done->end_s > relayed->times.written_s)
        relayed->times.handed_s = relayed->times.written_s = done->end_s;
    reports_send(master);
}

/* ---- packages ------------------------------------------------------------------------------ */

/* Makes the state of an empty reduction; false: out of memory. */
static bool state_make(const struct job *job, void **state)
{
    *state = job->state_size > 0 ? calloc(1, job->state_size) : NULL;
    if (*state)
        job->task->reset(job->opened, *state);
    return *state || job->state_size == 0;
}

static struct relayed *package_add(struct master *master, const struct inbox_package *in)
{
    struct master_relay *relay = master->relay;
    void *state = NULL;
    struct relayed *packages =
        array_reserve(relay->packages, &relay->capacity, relay->count + 1, sizeof *packages);
    if (packages)
        relay->packages = packages;
    if (!packages || !state_make(relay->above->job, &state)) {
        failure_memory(master->failure, "keeping a group's packages");
        return NULL;
    }
    relay->last = in->header.package.index;
    struct relayed *relayed = &packages[relay->count++];
    const double now_s = comm_now(master->run->comm);
    *relayed = (struct relayed){.package = in->header.package,
                                .left = in->header.package.count,
                                .state = state,
                                .times = {.free_s = relay->free_s,
                                          .transit_s = in->transit_s,
                                          .arrived_s = in->arrived_s,
                                          .start_s = now_s,
                                          .computed_s = now_s,
                                          .handed_s = now_s,
                                          .written_s = now_s}};
    summary_init(&relayed->summary);
    return relayed;
}

/* Hands the package on to the group's workers: as planned, or, beyond the plan, as core tasks that
 * others left. */
static void package_hand_on(struct master *master, const struct package *package)
{
    const struct task_range range = package_range(package);
    const int64_t planned = dispatch_stream_add(master->run->stream, range);
    if (planned < 0 || (planned < range.count &&
                        !dispatch_recovery_add(
                            master->dispatch,
                            (struct task_range){range.first + planned, range.count - planned}, 0)))
        failure_memory(master->failure, "keeping a group's packages");
}

static void package_take(struct master *master, const struct inbox_package *in)
{
    const struct package package = in->header.package;
    if (package_add(master, in))
        package_hand_on(master, &package);
}

/* Is it a new package with core tasks, and not one that was sent twice? */
static bool is_work(const struct master_relay *relay, const struct inbox_package *in)
{
    return in->header.kind == WIRE_WORK && in->header.package.index > relay->last;
}

/* Looks whether the master above has said that something failed, so that current work is
 * useless. */
static void cancel_look(struct master *master)
{
    struct master_relay *relay = master->relay;
    if (!relay->cancelled && relay->cancelling.pending)
        relay->cancelled = link_test(&relay->cancelling);
    if (relay->cancelled && relay->first < relay->count)
        failure_set(master->failure, FAILURE_FAILED, "the group of rank %d was told to stop",
                    comm_place(master->run->comm, 0));
}

/* May another package be taken? */
static bool is_open(const struct master *master)
{
    return !master->relay->stopped && dispatch_stream_left(master->run->stream) == 0;
}

/* Each package is handed out before the next one is taken, so that while they wait in the inbox
 * their data are received in the order of the plan. */
void master_relay_take(struct master *master)
{
    struct master_relay *relay = master->relay;
    struct inbox_package in;
    if (!relay || relay->stopped)
        return;
    inbox_progress(relay->inbox);
    cancel_look(master);
    while (is_open(master) && inbox_look(relay->inbox, &in)) {
        if (is_work(relay, &in))
            package_take(master, &in);
        relay->stopped = in.header.kind == WIRE_STOP;
        if (relay->stopped)
            dispatch_stream_end(master->run->stream);
        relay->free_s = comm_now(master->run->comm);
        inbox_done(relay->inbox);
    }
}

void master_relay_await(const struct master *master, struct awaited *awaited)
{
    if (master->relay && is_open(master))
        awaited->requests[3] = inbox_awaited(master->relay->inbox);
}

/* ---- the end ------------------------------------------------------------------------------- */

/* Acknowledges the packages that are left, and those that still arrive. */
static void packages_acknowledge(struct master *master)
{
    struct master_relay *relay = master->relay;
    while (relay->first < relay->count)
        first_send(master, master->failure);
    relay->first = relay->count = 0;
}

void master_relay_finish(struct master *master)
{
    struct master_relay *relay = master->relay;
    if (!relay)
        return;
    packages_acknowledge(master);
    while (!relay->stopped) {
        struct inbox_package in;
        inbox_take(relay->inbox, (struct inbox_idle){NULL, NULL}, &in);
        relay->stopped = in.header.kind == WIRE_STOP;
        if (is_work(relay, &in) && package_add(master, &in))
            packages_acknowledge(master);
        inbox_done(relay->inbox);
    }
    comm_wait(relay->above->comm, &relay->cancelling);
}
