/*
 * SimGrid's MPI (3.32), mended. Its MPI_Test says nothing of a null request, which is complete, and
 * makes all that comes later slower, and its receives from anybody take what was sent first, not
 * what arrives first (../requests.c). Its collectives that do not block send from every rank to
 * every other, and take the time of simulating that: those that block take their place, for scow
 * waits for them at once.
 */
#ifndef TESTS_SIMGRID_INCLUDE_MPI_H
#define TESTS_SIMGRID_INCLUDE_MPI_H

#include <smpi/mpi.h>

/* Takes no simulated time. */
int simulated_irecv(void *data, int bytes, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                    MPI_Request *request);
int simulated_test(MPI_Request *request, int *done, MPI_Status *status);
int simulated_waitany(int count, MPI_Request *requests, int *first, MPI_Status *status);
int simulated_wait(MPI_Request *request, MPI_Status *status);
/* The request is null afterwards where it was from anybody. */
int simulated_cancel(MPI_Request *request);

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

#define MPI_Irecv simulated_irecv
#define MPI_Test simulated_test
#define MPI_Wait simulated_wait
#define MPI_Cancel simulated_cancel
#define MPI_Waitany simulated_waitany
#define MPI_Ibarrier simulated_barrier
#define MPI_Ibcast simulated_bcast
#define MPI_Igather simulated_gather
#define MPI_Iallreduce simulated_allreduce

#endif
