#include "spmd/transport/link_mpi.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/failure.h"
#include "spmd/transport/clock.h"

/* MPI's handles are integers or pointers, depending on the implementation. */
_Static_assert(sizeof(MPI_Comm) <= sizeof(intptr_t) && sizeof(MPI_Request) <= sizeof(intptr_t),
               "a handle of MPI's must fit in a link's");

static struct link link_of(MPI_Comm mpi)
{
    struct link link = {0};
    memcpy(&link.handle, &mpi, sizeof mpi);
    return link;
}

struct link link_mpi(MPI_Comm mpi)
{
    MPI_Comm_set_errhandler(mpi, MPI_ERRORS_RETURN);
    return link_of(mpi);
}

static MPI_Comm comm_of(struct link link)
{
    MPI_Comm mpi;
    memcpy(&mpi, &link.handle, sizeof mpi);
    return mpi;
}

MPI_Request link_mpi_request(const struct link_request *request)
{
    MPI_Request mpi = MPI_REQUEST_NULL;
    if (request->pending)
        memcpy(&mpi, &request->handle, sizeof mpi);
    return mpi;
}

static _Noreturn void broken(int error)
{
    char said[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(error, said, &length);
    fprintf(stderr, "scow: MPI is broken: %s\n", said);
    MPI_Abort(MPI_COMM_WORLD, FAILURE_FAILED);
    abort();
}

/* Did MPI carry it out? It may have noticed that the other rank is gone, for which networks have no
 * error class of their own; any other error ends the job. */
static bool carried(int error)
{
    int class = MPI_SUCCESS;
    if (error == MPI_SUCCESS)
        return true;
    MPI_Error_class(error, &class);
    if (class != MPI_ERR_OTHER)
        broken(error);
    return false;
}

/* For calls that every rank needs: a failure ends the job. */
static void must(int error)
{
    if (error != MPI_SUCCESS)
        broken(error);
}

/* A message that cannot be sent or received stays pending forever, without an MPI request: whether
 * the other rank is gone is decided by those who watch it. */
static void request_set(struct link_request *request, int error, const MPI_Request *mpi)
{
    const MPI_Request carries = carried(error) ? *mpi : MPI_REQUEST_NULL;
    *request =
        (struct link_request){.pending = error != MPI_SUCCESS || carries != MPI_REQUEST_NULL};
    memcpy(&request->handle, &carries, sizeof carries);
}

void link_mpi_complete(struct link_request *request, const MPI_Status *status)
{
    int size = 0;
    MPI_Get_count(status, MPI_BYTE, &size);
    *request =
        (struct link_request){.peer = status->MPI_SOURCE, .size = size > 0 ? (size_t)size : 0};
}

int link_rank(struct link link)
{
    int rank;
    MPI_Comm_rank(comm_of(link), &rank);
    return rank;
}

int link_size(struct link link)
{
    int size;
    MPI_Comm_size(comm_of(link), &size);
    return size;
}

/* ---- messages ------------------------------------------------------------------------------ */

void link_send(struct link link, const void *data, size_t bytes, int peer, int tag,
               struct link_request *request)
{
    MPI_Request mpi = MPI_REQUEST_NULL;
    assert(bytes <= LINK_MOST);
    const int error = MPI_Isend(data, (int)bytes, MPI_BYTE, peer, tag, comm_of(link), &mpi);
    request_set(request, error, &mpi);
}

void link_send_taken(struct link link, const void *data, size_t bytes, int peer, int tag,
                     struct link_request *request)
{
    MPI_Request mpi = MPI_REQUEST_NULL;
    assert(bytes <= LINK_MOST);
    const int error = MPI_Issend(data, (int)bytes, MPI_BYTE, peer, tag, comm_of(link), &mpi);
    request_set(request, error, &mpi);
}

void link_receive(struct link link, void *data, size_t bytes, int peer, int tag,
                  struct link_request *request)
{
    MPI_Request mpi = MPI_REQUEST_NULL;
    assert(bytes <= LINK_MOST);
    const int error =
        MPI_Irecv(data, (int)bytes, MPI_BYTE, peer == LINK_ANYBODY ? MPI_ANY_SOURCE : peer, tag,
                  comm_of(link), &mpi);
    request_set(request, error, &mpi);
}

bool link_test(struct link_request *request)
{
    int done = 0;
    MPI_Status status;
    if (!request->pending)
        return true;
    memset(&status, 0, sizeof status); /* for what is sent, MPI sets nothing */
    MPI_Request mpi = link_mpi_request(request);
    if (mpi == MPI_REQUEST_NULL)
        return false;
    const int error = MPI_Test(&mpi, &done, &status);
    if (!carried(error))
        request_set(request, error, &mpi);
    else if (done)
        link_mpi_complete(request, &status);
    return !request->pending;
}

void link_cancel(struct link_request *request)
{
    MPI_Request mpi = link_mpi_request(request);
    if (mpi != MPI_REQUEST_NULL) {
        must(MPI_Cancel(&mpi));
        carried(MPI_Wait(&mpi, MPI_STATUS_IGNORE));
    }
    request->pending = false;
}

void link_forget(struct link_request *request)
{
    MPI_Request mpi = link_mpi_request(request);
    if (mpi != MPI_REQUEST_NULL)
        must(MPI_Request_free(&mpi));
    request->pending = false;
}

void link_progress(struct link link)
{
    int flag = 0;
    carried(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_of(link), &flag, MPI_STATUS_IGNORE));
}

bool link_rest(struct link link, double most_s)
{
    (void)link, (void)most_s;
    return false;
}

bool link_left(struct link link, int peer)
{
    (void)link, (void)peer;
    return false;
}

/* ---- all ranks together -------------------------------------------------------------------- */

void link_barrier(struct link link, struct link_request *request)
{
    MPI_Request mpi = MPI_REQUEST_NULL;
    const int error = MPI_Ibarrier(comm_of(link), &mpi);
    request_set(request, error, &mpi);
}

void link_broadcast(struct link link, void *data, size_t bytes, int from,
                    struct link_request *request)
{
    MPI_Request mpi = MPI_REQUEST_NULL;
    assert(bytes <= LINK_MOST);
    const int error = MPI_Ibcast(data, (int)bytes, MPI_BYTE, from, comm_of(link), &mpi);
    request_set(request, error, &mpi);
}

void link_gather(struct link link, const void *mine, size_t bytes, void *all,
                 struct link_request *request)
{
    MPI_Request mpi = MPI_REQUEST_NULL;
    const int error =
        MPI_Igather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, 0, comm_of(link), &mpi);
    request_set(request, error, &mpi);
}

void link_gather_all(struct link link, const void *mine, size_t bytes, void *all,
                     struct link_request *request)
{
    MPI_Request mpi = MPI_REQUEST_NULL;
    const int error =
        MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, comm_of(link), &mpi);
    request_set(request, error, &mpi);
}

static void reduce(struct link link, const int *mine, int *all, MPI_Op operation,
                   struct link_request *request)
{
    MPI_Request mpi = MPI_REQUEST_NULL;
    const int error = MPI_Iallreduce(mine, all, 1, MPI_INT, operation, comm_of(link), &mpi);
    request_set(request, error, &mpi);
}

void link_least(struct link link, const int *mine, int *least, struct link_request *request)
{
    reduce(link, mine, least, MPI_MIN, request);
}

void link_sum(struct link link, const int *mine, int *sum, struct link_request *request)
{
    reduce(link, mine, sum, MPI_SUM, request);
}

/* ---- a number that all share ----------------------------------------------------------------- */

/* A window in the memory of rank 0. Each rank has access to it all the time, and adds by a single
 * operation, which is atomic. */
struct counter {
    MPI_Win window;
    int64_t more; /* the number that is being added */
};

static struct counter *counter_of(const struct link_counter *counter)
{
    struct counter *pointed;
    memcpy(&pointed, &counter->handle, sizeof(struct counter *));
    return pointed;
}

bool link_counter_begin(struct link link, struct link_counter *counter)
{
    int64_t *value = NULL;
    struct counter *made = malloc(sizeof *made);
    const bool has = link_rank(link) == 0;
    if (!made)
        link_abort(link, FAILURE_FAILED);
    must(MPI_Win_allocate(has ? (MPI_Aint)sizeof *value : 0, sizeof *value, MPI_INFO_NULL,
                          comm_of(link), &value, &made->window));
    MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, made->window);
    if (has) {
        *value = 0;
        MPI_Win_sync(made->window);
    }
    memcpy(&counter->handle, &made, sizeof(struct counter *));
    return true;
}

void link_counter_add(struct link_counter *counter, int64_t more, int64_t *before,
                      struct link_request *request)
{
    struct counter *at = counter_of(counter);
    MPI_Request mpi = MPI_REQUEST_NULL;
    at->more = more;
    const int error = MPI_Rget_accumulate(&at->more, 1, MPI_INT64_T, before, 1, MPI_INT64_T, 0, 0,
                                          1, MPI_INT64_T, MPI_SUM, at->window, &mpi);
    request_set(request, error, &mpi);
}

void link_counter_end(struct link_counter *counter, bool all)
{
    struct counter *at = counter_of(counter);
    if (all && at) {
        MPI_Win_unlock(0, at->window);
        MPI_Win_free(&at->window);
    }
    free(at);
    *counter = (struct link_counter){0};
}

struct link link_node(struct link link)
{
    MPI_Comm node;
    must(MPI_Comm_split_type(comm_of(link), MPI_COMM_TYPE_SHARED, link_rank(link), MPI_INFO_NULL,
                             &node));
    return link_of(node);
}

/* MPI_Comm_create_group is the only call of MPI that makes a communicator without the ranks that do
 * not belong to it. */
struct link link_among(struct link link, const int *ranks, int count)
{
    enum { TAG = 901 };
    MPI_Group all, some;
    MPI_Comm among;
    MPI_Comm_group(comm_of(link), &all);
    MPI_Group_incl(all, count, ranks, &some);
    must(MPI_Comm_create_group(comm_of(link), some, TAG, &among));
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    return link_of(among);
}

void link_end(struct link *link)
{
    MPI_Comm mpi = comm_of(*link);
    MPI_Comm_free(&mpi);
    *link = (struct link){0};
}

/* ---- the machine --------------------------------------------------------------------------- */

_Static_assert((int)LINK_NAME_SIZE >= (int)MPI_MAX_PROCESSOR_NAME &&
                   (int)LINK_VERSION_SIZE >= (int)MPI_MAX_LIBRARY_VERSION_STRING,
               "MPI's names must fit");

void link_machine(char name[LINK_NAME_SIZE])
{
    int length = 0;
    memset(name, 0, LINK_NAME_SIZE);
    MPI_Get_processor_name(name, &length);
}

void link_version(char version[LINK_VERSION_SIZE])
{
    int length = 0;
    memset(version, 0, LINK_VERSION_SIZE);
    MPI_Get_library_version(version, &length);
}

void link_abort(struct link link, int status)
{
    MPI_Abort(comm_of(link), status);
    abort();
}
