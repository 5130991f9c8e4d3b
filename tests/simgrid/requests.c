/*
 * SimGrid's requests, mended.
 *
 * Tests that leave nothing behind: SimGrid 3.32 puts every transfer on a list of its sender and on
 * one of its receiver (ActorImpl::activities_), and CommImpl::finish takes it off the list of who
 * then waits for it. What MPI_Test finds complete nobody waits for, so it stays there until the
 * program ends, and whatever its rank awaits later, transfers and computations, walks the whole
 * list to get off it: time goes with the square of the messages. So a test here looks at the
 * transfer's state, and where that is final, waits for it: that returns at once and takes it off
 * the list.
 *
 * Receives from anybody, of what arrives first: SimGrid gives them what was sent first, and what
 * has arrived meanwhile waits for that. So such a receive is one from each, of which the others
 * stay for those that follow.
 */
#include <mpi.h>
#include <simgrid/actor.h>
#include <simgrid/version.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_NEVER = 32000 };

/* A receive from anybody; its address is the request. */
struct any {
    struct any *next;
    MPI_Comm comm;
    int tag, bytes, ranks;
    void *to;          /* borrowed, of who receives */
    char *room;        /* owned; a message from each */
    MPI_Request *each; /* owned; a receive from each */
};

/* What a rank remembers, which has no variables of its own; until the program ends. */
struct memory {
    bool looks; /* transfers are where they are looked for */
    struct any *anys;
};

/* Where a request of SimGrid 3.32 has its transfer, on machines of 64 bits. */
enum { TRANSFER_OFFSET = 136 };

/* simgrid::kernel::activity::ActivityImpl::get_state_str() const */
extern const char *state_name(const void *transfer) __asm__(
    "_ZNK7simgrid6kernel8activity12ActivityImpl13get_state_strEv");

/* Is it in that state? What has left at once is in none. */
static bool is_in(MPI_Request request, const char *state)
{
    const void *transfer;
    memcpy(&transfer, (const char *)request + TRANSFER_OFFSET, sizeof transfer);
    return transfer && strcmp(state_name(transfer), state) == 0;
}

/* Is the transfer where we think it is? Nobody sends this one. */
static bool is_found(void)
{
    MPI_Request request;
    if (SIMGRID_VERSION_MAJOR != 3 || SIMGRID_VERSION_MINOR != 32 || sizeof(void *) != 8)
        return false;
    PMPI_Irecv(NULL, 0, MPI_BYTE, 0, TAG_NEVER, MPI_COMM_WORLD, &request);
    bool found = is_in(request, "WAITING");
    PMPI_Cancel(&request);
    found = found && is_in(request, "CANCELED");
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    return found;
}

static void *room_for(size_t count, size_t size)
{
    void *room = calloc(count, size);
    if (!room)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return room;
}

/* The first time is the time to find out. */
static struct memory *memory_get(void)
{
    struct memory *memory = smpi_process_get_user_data();
    if (!memory) {
        memory = room_for(1, sizeof *memory);
        memory->looks = is_found();
        smpi_process_set_user_data(memory);
    }
    return memory;
}

static int request_test(MPI_Request *request, int *done, MPI_Status *status)
{
    if (!memory_get()->looks)
        return PMPI_Test(request, done, status);
    *done = !is_in(*request, "WAITING") && !is_in(*request, "RUNNING");
    return *done ? PMPI_Wait(request, status) : MPI_SUCCESS;
}

/* ---- from anybody -------------------------------------------------------------------------- */

static struct any *any_of(MPI_Request request)
{
    struct any *any = memory_get()->anys;
    while (any && (MPI_Request)any != request)
        any = any->next;
    return any;
}

static void any_post(struct any *any, int rank)
{
    PMPI_Irecv(any->room + (size_t)rank * (size_t)any->bytes, any->bytes, MPI_BYTE, rank, any->tag,
               any->comm, &any->each[rank]);
}

static struct any *any_new(int bytes, int tag, MPI_Comm comm)
{
    struct any *any = room_for(1, sizeof *any);
    *any = (struct any){.next = memory_get()->anys, .comm = comm, .tag = tag, .bytes = bytes};
    MPI_Comm_size(comm, &any->ranks);
    any->room = room_for((size_t)any->ranks, (size_t)bytes);
    any->each = room_for((size_t)any->ranks, sizeof *any->each);
    for (int rank = 0; rank < any->ranks; rank++)
        any_post(any, rank);
    memory_get()->anys = any;
    return any;
}

static void any_deliver(struct any *any, int rank, const MPI_Status *status, MPI_Request *request)
{
    int got = 0;
    MPI_Get_count(status, MPI_BYTE, &got);
    memcpy(any->to, any->room + (size_t)rank * (size_t)any->bytes, (size_t)got);
    any_post(any, rank);
    *request = MPI_REQUEST_NULL;
}

static int any_test(struct any *any, MPI_Request *request, int *done, MPI_Status *status)
{
    MPI_Status arrived;
    *done = 0;
    for (int rank = 0; rank < any->ranks && !*done; rank++) {
        request_test(&any->each[rank], done, &arrived);
        if (*done)
            any_deliver(any, rank, &arrived, request);
    }
    if (*done && status != MPI_STATUS_IGNORE)
        *status = arrived;
    return MPI_SUCCESS;
}

/* Receives from anybody are as many requests as there are ranks, any other is one. */
static int flat_count(int count, MPI_Request *requests)
{
    int all = 0;
    for (int k = 0; k < count; k++)
        all += any_of(requests[k]) ? any_of(requests[k])->ranks : 1;
    return all;
}

static void flat_fill(int count, MPI_Request *requests, MPI_Request *all)
{
    for (int k = 0; k < count; k++) {
        const struct any *any = any_of(requests[k]);
        const int ranks = any ? any->ranks : 1;
        memcpy(all, any ? any->each : &requests[k], (size_t)ranks * sizeof *all);
        all += ranks;
    }
}

/* The flat request `done` is over: of which, and of which rank, if it is from anybody. */
static void flat_take(int count, MPI_Request *requests, int done, int *first,
                      const MPI_Status *status)
{
    int k = 0;
    for (; k < count; k++) {
        const int ranks = any_of(requests[k]) ? any_of(requests[k])->ranks : 1;
        if (done < ranks)
            break;
        done -= ranks;
    }
    *first = k;
    if (any_of(requests[k]))
        any_deliver(any_of(requests[k]), done, status, &requests[k]);
    else
        requests[k] = MPI_REQUEST_NULL;
}

static int flat_waitany(int count, MPI_Request *requests, int *first, MPI_Status *status)
{
    const int all_count = flat_count(count, requests);
    MPI_Request *all = room_for((size_t)all_count, sizeof *all);
    MPI_Status arrived;
    int done = 0;
    flat_fill(count, requests, all);
    sg_actor_yield();
    PMPI_Waitany(all_count, all, &done, &arrived);
    flat_take(count, requests, done, first, &arrived);
    free(all);
    if (status != MPI_STATUS_IGNORE)
        *status = arrived;
    return MPI_SUCCESS;
}

static void any_cancel(struct any *any)
{
    struct any **link = &memory_get()->anys;
    for (int rank = 0; rank < any->ranks; rank++) {
        PMPI_Cancel(&any->each[rank]);
        PMPI_Wait(&any->each[rank], MPI_STATUS_IGNORE);
    }
    while (*link != any)
        link = &(*link)->next;
    *link = any->next;
    free(any->room);
    free(any->each);
    free(any);
}

/* ---- what stands in MPI's place ------------------------------------------------------------ */

int simulated_irecv(void *data, int bytes, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                    MPI_Request *request)
{
    if (source != MPI_ANY_SOURCE || bytes == 0)
        return PMPI_Irecv(data, bytes, type, source, tag, comm, request);
    struct any *any = memory_get()->anys;
    while (any && (any->comm != comm || any->tag != tag || any->bytes != bytes))
        any = any->next;
    if (!any)
        any = any_new(bytes, tag, comm);
    any->to = data;
    *request = (MPI_Request)any;
    return MPI_SUCCESS;
}

int simulated_test(MPI_Request *request, int *done, MPI_Status *status)
{
    struct any *any = any_of(*request);
    *done = *request == MPI_REQUEST_NULL;
    if (*done)
        return MPI_SUCCESS;
    return any ? any_test(any, request, done, status) : request_test(request, done, status);
}

/* SimGrid looks at what this rank did before, which may be where by now something else is: yielding
 * leaves nothing to look at. */
int simulated_waitany(int count, MPI_Request *requests, int *first, MPI_Status *status)
{
    for (int k = 0; k < count; k++)
        if (any_of(requests[k]))
            return flat_waitany(count, requests, first, status);
    sg_actor_yield();
    return PMPI_Waitany(count, requests, first, status);
}

int simulated_wait(MPI_Request *request, MPI_Status *status)
{
    int first;
    return any_of(*request) ? simulated_waitany(1, request, &first, status)
                            : PMPI_Wait(request, status);
}

int simulated_cancel(MPI_Request *request)
{
    struct any *any = any_of(*request);
    if (!any)
        return PMPI_Cancel(request);
    any_cancel(any);
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}
