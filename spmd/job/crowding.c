#define _GNU_SOURCE /* sched_getaffinity */
#include "spmd/job/crowding.h"

#include <mpi.h>
#include <sched.h>
#include <stdio.h>

/* Collective. The sets of all ranks on this rank's node, united: each may be bound to cores of its
 * own. */
static int cores_on_node(const struct comm *comm)
{
    MPI_Comm node;
    MPI_Request request;
    cpu_set_t mine, all;
    CPU_ZERO(&mine);
    CPU_ZERO(&all);
    sched_getaffinity(0, sizeof mine, &mine);
    MPI_Comm_split_type(comm->mpi, MPI_COMM_TYPE_SHARED, comm->rank, MPI_INFO_NULL, &node);
    MPI_Iallreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, node, &request);
    comm_wait(comm, &request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&node);
    return CPU_COUNT(&all) > 0 ? CPU_COUNT(&all) : 1;
}

struct crowding crowding_find(const struct comm *comm)
{
    struct crowding here = {.workers = comm_workers_on_node(comm), .cores = cores_on_node(comm)};
    struct {
        double workers_per_core;
        int rank;
    } mine = {(double)here.workers / here.cores, comm->rank}, worst;
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length = 0;
    MPI_Request request;
    MPI_Get_processor_name(name, &length);
    snprintf(here.node, sizeof here.node, "%.63s", name);
    MPI_Iallreduce(&mine, &worst, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm->mpi, &request);
    comm_wait(comm, &request, MPI_STATUS_IGNORE);
    MPI_Ibcast(&here, sizeof here, MPI_BYTE, worst.rank, comm->mpi, &request);
    comm_wait(comm, &request, MPI_STATUS_IGNORE);
    return here;
}

void crowding_describe(const struct crowding *crowding, int threads, struct text *text)
{
    if ((long)crowding->workers * threads <= crowding->cores)
        return;
    text_add(text, "on %s, %d worker%s of %d thread%s share%s %d core%s: ", crowding->node,
             crowding->workers, crowding->workers == 1 ? "" : "s", threads, threads == 1 ? "" : "s",
             crowding->workers == 1 ? "s" : "", crowding->cores, crowding->cores == 1 ? "" : "s");
    text_add(text, "where core tasks compute, a package takes as long as the others let it, which "
                   "a plan cannot foresee\n");
}
