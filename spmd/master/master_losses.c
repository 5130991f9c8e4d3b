/* Members that are lost, give up, or join. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "spmd/master/joining.h"
#include "spmd/master/master_state.h"
#include "spmd/master/masters.h"
#include "spmd/protocol/beginning.h"

/* Work is done whose report is only held back by an emulated network. */
static void pending_tell(struct master *master)
{
    struct pending_report report;
    while (pending_take(&master->pending, HUGE_VAL, &report))
        dispatch_report(master->dispatch, &report.package, report.times);
}

/* The package that the worker was working on: the one that it has noted in the output or, without
 * such a note, the oldest. NULL: there is none. */
static const struct package *package_begun(const struct package *packages, int64_t count,
                                           const struct losses_in_flight *noted)
{
    if (count == 0)
        return NULL;
    for (int64_t k = 0; k < count; k++)
        if (packages[k].first == noted->first && packages[k].count == noted->count)
            return &packages[k];
    return packages;
}

/* A core task that is given up counts as failed and as done, so that it is not begun again. */
static void task_give_up(struct master *master, const struct losses_row *row)
{
    const int64_t task = order_task(&master->run->job->order, row->first);
    struct rejection rejection = {.task = task};
    losses_tell(row, rejection.why, sizeof rejection.why);
    fprintf(stderr, "%s: core task %" PRId64 " counts as failed: %s\n",
            master->run->members->command, job_task_number(task), rejection.why);
    if (!losses_give_up(master->run->losses, row, task))
        failure_set(master->failure, FAILURE_FAILED,
                    "%s: that core task %" PRId64 " has failed could not be written: is the disk "
                    "full?",
                    master->run->members->path, job_task_number(task));
    struct summary summary;
    summary_init(&summary);
    summary.tasks = summary.failed = 1;
    summary_merge(&master->outcome->summary, &summary);
    rejection_keep(master->outcome, &rejection);
    master_relay_done(
        master, &(struct package){.first = row->first, .count = 1},
        &(struct relay_done){&summary, &rejection, NULL, comm_now(master->run->comm)});
}

/* Decides what is suspected, before the lost worker's packages come back. It was not working on
 * those that it has reported. */
static void package_blame(struct master *master, int member, const struct package *packages,
                          int64_t count)
{
    struct losses_in_flight noted;
    const int reported = master->workers[member - 1].returning;
    losses_of(master->run->losses, membership_rank(master->run->members, member), &noted);
    const struct package *package = package_begun(packages + reported, count - reported, &noted);
    if (!package)
        return;
    const struct dispatch_blame blame = dispatch_blame(master->dispatch, package);
    const struct losses_row row = {.first = package->first,
                                   .count = package->count,
                                   .losses = blame.losses,
                                   .signal = noted.signal,
                                   .given_up = blame.given_up};
    if (blame.losses == 0)
        return;
    master_loss_note(master, member, &row);
    if (blame.given_up)
        task_give_up(master, &row);
}

/* Where another worker may have written the same results, all that is written is kept: where
 * packages are copied, and below a master of whose loss this one has not heard yet. A state
 * contains a package only once. */
static void packages_disown(struct master *master, int member, const struct package *packages,
                            int64_t count)
{
    const struct run *run = master->run;
    const int rank = membership_rank(run->members, member);
    if (!run->copies && !run->above)
        store_disown(run->store, rank, packages, count);
    else if (!run->copies)
        store_disown_states(run->store, rank, packages, count);
    master_groups_lost(master, member);
}

/* The lost worker's packages come back, and are handed out again. */
static void packages_return(struct master *master, int member, bool at_work)
{
    int64_t count, tasks = 0;
    const struct package *packages = outstanding_of(&master->outstanding, member - 1, &count);
    for (int64_t k = 0; k < count; k++)
        tasks += packages[k].count;
    progress_end(master->progress);
    tasks += master_counted_lost(master, member, at_work);
    membership_note(master->run->members, member, tasks);
    if (count > 0)
        packages_disown(master, member, packages, count);
    if (at_work)
        package_blame(master, member, packages, count);
    outstanding_drop(&master->outstanding, member - 1);
    pending_tell(master);
    dispatch_lost(master->dispatch, member - 1);
}

static void loss_survive(struct master *master, int member, enum member_state state,
                         const char *why, bool at_work)
{
    membership_lose(master->run->members, member, state, why);
    packages_return(master, member, at_work);
    master_returns_drop(master, member);
    master_ports_drop(master, member);
    if (state == MEMBER_LOST)
        outbox_abandon(master->outbox, master_peer(master, member), master->failure);
    if (state == MEMBER_LOST && master->run->heads)
        masters_lose(master->run->masters, membership_rank(master->run->members, member), why);
}

void master_lose(struct master *master, int member, const char *why, bool at_work)
{
    if (!master->run->apart) {
        master_returns_drop(master, member);
        outstanding_drop(&master->outstanding, member - 1);
        failure_set(master->failure, FAILURE_FAILED, "worker %d is lost: %s",
                    membership_rank(master->run->members, member), why);
        return;
    }
    loss_survive(master, member, MEMBER_LOST, why, at_work);
    if (membership_living(master->run->members) > 0)
        return;
    if (masters_share_work(master->run->masters))
        return; /* others do the packages that it had */
    if (master->outcome->summary.tasks == master->run->tasks)
        master->handed_out = true; /* the core task that was given up was the last one */
    else if (!master->run->joins)
        failure_set(master->failure, FAILURE_STOPPED,
                    "%s: no worker is left; what is done is kept: %s to go on",
                    master->run->members->path, master->run->again);
}

void master_retire(struct master *master, int member, const struct failure *trouble)
{
    loss_survive(master, member, MEMBER_FAILED, trouble->text, false);
    /* Waits until the worker has received what is on its way, or is lost. */
    membership_await(master->run->members, member, true);
    if (membership_living(master->run->members) == 0 && !master->run->joins &&
        !masters_share_work(master->run->masters))
        failure_set(master->failure, trouble->code, "%s", trouble->text);
}

/* Tells a worker that joined whether it begins, or cannot because memory is lacking. */
static void joined_take(struct master *master, const struct member_event *event)
{
    const struct run *run = master->run;
    struct failure failure = FAILURE_INIT;
    if (event->member == 0)
        failure_memory(&failure, "letting a worker in");
    beginning_admit(run->comm, event->peer, event->member, &failure);
    if (event->member == 0)
        return;
    const int64_t like = joining_like(run->joining, event->peer, event->member);
    const double now_s = comm_now(run->comm);
    progress_end(master->progress);
    if (!run->joining->quiet)
        fprintf(stderr, "%s: worker %d joins%s\n", run->members->command, event->member,
                like == DISPATCH_UNKNOWN ? ", a machine that the profile does not know" : "");
    if (!master->begun && membership_living(run->members) == 1)
        master->origin_s =
            now_s; /* where the run has not begun, time begins with the first worker */
    membership_come(run->members, event->member, joining_host(run->joining, event->peer),
                    now_s - master->origin_s);
    dispatch_joined(master->dispatch, event->member - 1, like, now_s - master->origin_s);
}

void master_members(struct master *master)
{
    struct membership *members = master->run->members;
    struct member_event event;
    if (master->run->joining)
        joining_see(master->run->joining, master->run->tasks - master->outcome->summary.tasks);
    while (membership_poll(members, &event)) {
        if (event.news == COMM_JOINED && master->run->joining)
            joined_take(master, &event);
        else if (event.news != COMM_JOINED)
            /* The master of a group works on nothing that could be the cause; neither does a worker
             * that leaves as it has announced. */
            master_lose(master, event.member, membership_why(members, event.member),
                        !master->run->heads && event.news == COMM_LOST);
    }
}
