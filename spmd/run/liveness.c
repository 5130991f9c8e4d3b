#include "spmd/run/liveness.h"

#include <math.h>
#include <unistd.h>

#include "spmd/output/file_lock.h"
#include "spmd/transport/wire.h"

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

/* Local to the master. Each worker is told that it is here, and answers; then all begin, or none.
 */
static bool all_join(struct liveness *liveness, const struct liveness_setup *setup,
                     struct failure *failure)
{
    const struct comm *comm = &liveness->comm;
    const struct process self = process_self();
    const struct membership_setup membership = {.comm = comm,
                                                .path = setup->path,
                                                .command = setup->command,
                                                .lock = liveness->lock,
                                                .workers = setup->workers,
                                                .least_s = setup->patience_s,
                                                .predicted_s = longest_predicted(setup)};
    const bool good = membership_init(&liveness->members, &membership, failure);
    for (int rank = 1; rank < comm->size; rank++)
        comm_send(comm, &self, sizeof self, rank, WIRE_HERE);
    for (int rank = 1; rank < comm->size; rank++) {
        struct process process;
        comm_receive(comm, &process, sizeof process, rank, WIRE_READY);
        if (good)
            membership_join(&liveness->members, rank, &process);
    }
    for (int rank = 1; rank < comm->size; rank++)
        comm_send(comm, failure, sizeof *failure, rank, WIRE_BEGIN);
    return good;
}

/* Local to a worker, the other side of it. It looks for the master's place while the master waits
 * for its answer. Later that one may be gone already, and its free place would be taken for a file
 * system that shows nobody's. */
static bool join(struct liveness *liveness, struct heartbeat_sight *sight, struct failure *failure)
{
    const struct comm *comm = &liveness->comm;
    const struct process self = process_self();
    *sight = (struct heartbeat_sight){.lock = liveness->lock};
    comm_receive(comm, &sight->master, sizeof sight->master, 0, WIRE_HERE);
    sight->sees = liveness->lock >= 0 && file_lock_taken(liveness->lock, 0);
    comm_send(comm, &self, sizeof self, 0, WIRE_READY);
    comm_receive(comm, failure, sizeof *failure, 0, WIRE_BEGIN);
    return failure->code == FAILURE_NONE;
}

bool liveness_begin(struct liveness *liveness, const struct liveness_setup *setup,
                    struct failure *failure)
{
    struct comm *comm = &liveness->comm;
    struct heartbeat_sight sight = {.lock = -1};
    *liveness = (struct liveness){.comm = *setup->comm, .lock = -1, .begun = true};
    if (setup->patience_s > 0 && (comm->rank == 0 || !setup->collects))
        liveness->lock = file_lock_together(setup->path);
    if (liveness->lock >= 0)
        file_lock_place(liveness->lock, comm->rank);
    if (comm->rank == 0 ? !all_join(liveness, setup, failure) : !join(liveness, &sight, failure))
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
