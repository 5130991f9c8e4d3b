/*
 * SimGrid's MPI (3.32), mended. Its MPI_Test says nothing of a null request, which is complete. Its
 * collectives that do not block send from every rank to every other, and take the time of
 * simulating that: those that block take their place, for scow waits for them at once.
 */
#ifndef TESTS_SIMGRID_INCLUDE_MPI_H
#define TESTS_SIMGRID_INCLUDE_MPI_H

#include <smpi/mpi.h>

static inline int simulated_test(MPI_Request *request, int *done, MPI_Status *status)
{
    *done = *request == MPI_REQUEST_NULL;
    return *done ? MPI_SUCCESS : MPI_Test(request, done, status);
}

static inline int simulated_barrier(MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return MPI_Barrier(comm);
}

static inline int simulated_bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm,
                                  MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return MPI_Bcast(data, count, type, root, comm);
}

static inline int simulated_gather(const void *mine, int count, MPI_Datatype type, void *all,
                                   int each, MPI_Datatype each_type, int root, MPI_Comm comm,
                                   MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return MPI_Gather(mine, count, type, all, each, each_type, root, comm);
}

static inline int simulated_allreduce(const void *mine, void *all, int count, MPI_Datatype type,
                                      MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return MPI_Allreduce(mine, all, count, type, op, comm);
}

#define MPI_Test simulated_test
#define MPI_Ibarrier simulated_barrier
#define MPI_Ibcast simulated_bcast
#define MPI_Igather simulated_gather
#define MPI_Iallreduce simulated_allreduce

#endif
