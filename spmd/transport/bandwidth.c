#include "spmd/transport/bandwidth.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/transport/wire.h"

/* The first message opens the connection, and is not timed. After one that takes long_s seconds no
 * more are sent. */
enum { WARM = 1, REPEATS = 5 };
static const double long_s = 0.05;

static bool same(const char *names, size_t size, int a, int b)
{
    return strcmp(names + (size_t)a * size, names + (size_t)b * size) == 0;
}

void bandwidth_stands(const char *names, size_t size, int ranks, int *stands)
{
    assert(names && stands);
    stands[0] = 0;
    for (int rank = 1; rank < ranks; rank++) {
        int other = 1;
        if (rank > 1 &&
            same(names, size, rank, rank - 1)) /* ranks of a node mostly follow each other */
            other = stands[rank - 1];
        while (other < rank && !(stands[other] == other && same(names, size, rank, other)))
            other++;
        stands[rank] = other;
    }
}

/* Tells the rank how many messages will follow. */
static void order(const struct comm *comm, int rank, int64_t messages)
{
    comm_send(comm, &messages, sizeof messages, rank, WIRE_BANDWIDTH);
}

static void messages_answer(const struct comm *comm, char *message)
{
    int64_t messages;
    do {
        comm_receive(comm, &messages, sizeof messages, 0, WIRE_BANDWIDTH);
        for (int64_t k = 0; k < messages; k++) {
            comm_receive(comm, message, BANDWIDTH_BYTES, 0, WIRE_BANDWIDTH);
            comm_send(comm, message, 1, 0, WIRE_BANDWIDTH);
        }
    } while (messages > 0);
}

static double message_seconds(const struct comm *comm, int rank, char *message)
{
    char answer;
    const double begun_s = clock_now();
    comm_send(comm, message, BANDWIDTH_BYTES, rank, WIRE_BANDWIDTH);
    comm_receive(comm, &answer, sizeof answer, rank, WIRE_BANDWIDTH);
    return clock_now() - begun_s;
}

static int ascending(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Bytes per second. */
static double rank_probe(const struct comm *comm, int rank, char *message)
{
    double seconds[REPEATS];
    int count = 1;
    order(comm, rank, WARM + 1);
    for (int k = 0; k < WARM; k++)
        message_seconds(comm, rank, message);
    seconds[0] = message_seconds(comm, rank, message);
    if (seconds[0] < long_s)
        order(comm, rank, REPEATS - 1);
    for (; seconds[0] < long_s && count < REPEATS; count++)
        seconds[count] = message_seconds(comm, rank, message);
    qsort(seconds, (size_t)count, sizeof *seconds, ascending);
    return BANDWIDTH_BYTES / seconds[count / 2];
}

static void ranks_probe(const struct comm *comm, double most_s, const int *stands, char *message,
                        struct bandwidth *found)
{
    const double until_s = clock_now() + most_s;
    found[0] = (struct bandwidth){0, false};
    for (int rank = 1; rank < comm->size; rank++) {
        const bool first = stands[rank] == rank;
        double bytes_s = first ? 0 : found[stands[rank]].bytes_s;
        if (first && clock_now() < until_s)
            bytes_s = rank_probe(comm, rank, message);
        if (first)
            order(comm, rank, 0);
        found[rank] = (struct bandwidth){bytes_s, first};
    }
}

static bool probe(const struct comm *comm, double most_s, char *names, int *stands, char *message,
                  struct bandwidth *found, struct failure *failure)
{
    char name[LINK_NAME_SIZE] = "";
    if (!stands || !message || (comm_leads(comm) && !names))
        failure_memory(failure, "looking at the network");
    if (!comm_agree(comm, failure))
        return false;
    link_machine(name);
    comm_gather(comm, name, sizeof name, names);
    if (comm_leads(comm))
        bandwidth_stands(names, sizeof name, comm->size, stands);
    comm_broadcast(comm, stands, (size_t)comm->size * sizeof *stands);
    if (comm_leads(comm))
        ranks_probe(comm, most_s, stands, message, found);
    else if (stands[comm->rank] == comm->rank)
        messages_answer(comm, message);
    return true;
}

bool bandwidth_probe(const struct comm *comm, double most_s, struct bandwidth *found,
                     struct failure *failure)
{
    char *names = comm_leads(comm) ? calloc((size_t)comm->size, LINK_NAME_SIZE) : NULL;
    int *stands = calloc((size_t)comm->size, sizeof *stands);
    char *message = calloc(1, BANDWIDTH_BYTES);
    const bool good = probe(comm, most_s, names, stands, message, found, failure);
    free(names);
    free(stands);
    free(message);
    return good;
}
