#include "spmd/run/presence.h"

#include <math.h>
#include <unistd.h>

#include "spmd/output/hold.h"

/* The longest package of the plan, as it is predicted; 0: nothing is. */
static double longest_predicted(const struct presence_setup *setup)
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

bool presence_begin(struct presence *presence, const struct presence_setup *setup,
                    struct failure *failure)
{
    struct comm *comm = &presence->comm;
    *presence = (struct presence){.comm = *setup->comm, .hold = -1, .begun = true};
    if (setup->patience_s > 0)
        presence->hold = hold_together(setup->path);
    if (presence->hold >= 0)
        hold_place(presence->hold, comm->rank);
    comm_barrier(comm);
    const struct membership_setup membership = {.comm = comm,
                                                .path = setup->path,
                                                .hold = presence->hold,
                                                .workers = setup->workers,
                                                .least_s = setup->patience_s,
                                                .predicted_s = longest_predicted(setup)};
    if (!membership_init(&presence->members, &membership, failure))
        return false;
    if (setup->assembly)
        assembly_end(setup->assembly);
    comm->vigil = NULL;
    if (setup->patience_s > 0 && comm->rank == 0)
        comm->vigil = &presence->members.gate;
    else if (setup->patience_s > 0)
        vigil_begin(&presence->vigil, comm, setup->path, presence->hold);
    return true;
}

struct membership *presence_members(struct presence *presence)
{
    return presence->comm.rank == 0 ? &presence->members : NULL;
}

struct vigil *presence_vigil(struct presence *presence)
{
    return presence->vigil.comm ? &presence->vigil : NULL;
}

void presence_end(struct presence *presence)
{
    if (!presence->begun)
        return;
    if (presence->vigil.comm)
        vigil_end(&presence->vigil);
    membership_release(&presence->members);
    if (presence->hold >= 0)
        close(presence->hold);
    presence->begun = false;
}
