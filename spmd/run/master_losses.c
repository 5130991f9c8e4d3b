#include <math.h>

#include "spmd/run/master.h"
#include "spmd/transport/wire.h"

bool master_counts_on(const struct master *master, int rank)
{
    return !master->run->members || membership_lives(master->run->members, rank);
}

bool master_reaches(const struct master *master, int rank)
{
    return !master->run->members || !membership_lost(master->run->members, rank);
}

/* Reports that an emulated network still holds back are of work that is done. */
static void pending_tell(struct master *master)
{
    struct pending_report report;
    while (pending_take(&master->pending, HUGE_VAL, &report))
        dispatch_done(master->dispatch, &report.package, report.start_s, report.end_s);
}

/* What it had comes back to be handed out again. */
static void packages_return(struct master *master, int rank)
{
    int64_t count, tasks = 0;
    const struct package *packages = outstanding_of(&master->outstanding, rank - 1, &count);
    for (int64_t k = 0; k < count; k++)
        tasks += packages[k].count;
    progress_end(master->progress);
    membership_note(master->run->members, rank, tasks);
    store_disown(master->run->store, rank, packages, count);
    outstanding_drop(&master->outstanding, rank - 1);
    pending_tell(master);
    dispatch_lost(master->dispatch, rank - 1);
}

static void loss_survive(struct master *master, int rank, enum member_state state, const char *why)
{
    membership_lose(master->run->members, rank, state, why);
    packages_return(master, rank);
    if (state == MEMBER_LOST) {
        comm_tell(master->run->comm, rank, WIRE_LOST);
        outbox_abandon(master->outbox, rank, master->failure);
    }
}

void master_lose(struct master *master, int rank, const char *why)
{
    if (!master->run->members) {
        outstanding_drop(&master->outstanding, rank - 1);
        failure_set(master->failure, FAILURE_FAILED, "rank %d is lost: %s", rank, why);
        return;
    }
    loss_survive(master, rank, MEMBER_LOST, why);
    if (membership_living(master->run->members) == 0)
        failure_set(master->failure, FAILURE_STOPPED,
                    "%s: no worker is left; what is done is kept: run the same again with --resume "
                    "to go on",
                    master->run->members->path);
}

void master_retire(struct master *master, int rank, const struct failure *trouble)
{
    loss_survive(master, rank, MEMBER_FAILED, trouble->text);
    if (membership_living(master->run->members) == 0)
        failure_set(master->failure, trouble->code, "%s", trouble->text);
}

void master_losses(struct master *master)
{
    if (!master->run->members)
        return;
    for (int rank; (rank = membership_find(master->run->members)) > 0;)
        master_lose(master, rank, membership_why(master->run->members, rank));
}
