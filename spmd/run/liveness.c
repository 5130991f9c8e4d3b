#include "spmd/run/liveness.h"

#include <math.h>
#include <unistd.h>

#include "spmd/output/file_lock.h"

/* The longest package of the plan, as it is predicted; 0: nothing is. */
static double longest_predicted(const struct liveness_setup *setup)
{
    static const enum operation work[] = {OPERATION_RECEIVE, OPERATION_COMPUTE, OPERATION_OUTPUT};
    const struct plan_prediction *predicted = &setup->plan->predicted;
    double longest_s = 0;
    for (int worker = 0; setup->costs && worker < setup->workers; worker++) {
        double package_s = 0;
        for (size_t k = 0; k < sizeof work / sizeof *work; k++)
            package_s += emulation_cost(setup->costs, work[k], worker, setup->largest_package);
        longest_s = fmax(longest_s, package_s);
    }
    if (!setup->costs && predicted->known && setup->plan->tasks > 0)
        longest_s = predicted->makespan_s * (double)setup->largest_package * setup->workers /
                    setup->plan->tasks;
    return longest_s;
}

bool liveness_begin(struct liveness *liveness, const struct liveness_setup *setup,
                    struct failure *failure)
{
    struct comm *comm = &liveness->comm;
    *liveness = (struct liveness){.comm = *setup->comm, .lock = -1, .begun = true};
    struct process master = process_self();
    if (setup->patience_s > 0 && (comm->rank == 0 || !setup->collects))
        liveness->lock = file_lock_together(setup->path);
    if (liveness->lock >= 0)
        file_lock_place(liveness->lock, comm->rank);
    comm_barrier(comm);
    comm_broadcast(comm, &master, sizeof master);
    /* Now the master waits for this rank. Later it may be gone already, and its free place would be
     * taken for a file system that shows nobody's. */
    const struct heartbeat_sight sight = {
        liveness->lock, liveness->lock >= 0 && file_lock_taken(liveness->lock, 0), master};
    const struct membership_setup membership = {.comm = comm,
                                                .path = setup->path,
                                                .command = setup->command,
                                                .lock = liveness->lock,
                                                .workers = setup->workers,
                                                .least_s = setup->patience_s,
                                                .predicted_s = longest_predicted(setup)};
    if (!membership_init(&liveness->members, &membership, failure))
        return false;
    if (setup->detector)
        failure_detector_end(setup->detector);
    comm->watch = NULL;
    if (setup->patience_s > 0 && comm->rank == 0)
        comm->watch = &liveness->members.gate;
    else if (setup->patience_s > 0)
        heartbeat_begin(&liveness->heartbeat, comm,
                        &(struct heartbeat_words){setup->path, setup->command, setup->again},
                        &sight);
    return true;
}

struct membership *liveness_members(struct liveness *liveness)
{
    return liveness->comm.rank == 0 ? &liveness->members : NULL;
}

struct heartbeat *liveness_heartbeat(struct liveness *liveness)
{
    return liveness->heartbeat.comm ? &liveness->heartbeat : NULL;
}

void liveness_end(struct liveness *liveness)
{
    if (!liveness->begun)
        return;
    if (liveness->heartbeat.comm)
        heartbeat_end(&liveness->heartbeat);
    membership_release(&liveness->members);
    if (liveness->lock >= 0)
        close(liveness->lock);
    liveness->begun = false;
}
