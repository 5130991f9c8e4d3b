#include "spmd/transport/fetch.h"

#include <stdlib.h>

enum { TURNS_MOST = 64, WARM = 3, FETCHES = 31 };

int fetch_turn(int ranks, int turn)
{
    const int others = ranks - 1, turns = others < TURNS_MOST ? others : TURNS_MOST;
    return turn < turns ? 1 + (int)((int64_t)turn * others / turns) : -1;
}

static double fetch_seconds(const struct comm *comm, struct link_counter *counter)
{
    struct link_request adding;
    int64_t number;
    const double start_s = clock_now();
    link_counter_add(counter, 1, &number, &adding);
    comm_wait(comm, &adding);
    return clock_now() - start_s;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double rank_probe(const struct comm *comm, struct link_counter *counter)
{
    double seconds[FETCHES];
    for (int k = 0; k < WARM; k++)
        fetch_seconds(comm, counter);
    for (int k = 0; k < FETCHES; k++)
        seconds[k] = fetch_seconds(comm, counter);
    qsort(seconds, FETCHES, sizeof *seconds, ascending);
    return seconds[FETCHES / 2];
}

bool fetch_probe(const struct comm *comm, double *found, struct failure *failure)
{
    struct link_counter counter;
    double mine = 0;
    if (!link_counter_begin(comm->link, &counter))
        failure_set(failure, FAILURE_FAILED, "workers share no counter here: leave --dca out");
    if (!comm_agree(comm, failure))
        return false;
    int rank;
    for (int turn = 0; (rank = fetch_turn(comm->size, turn)) > 0; turn++) {
        if (rank == comm->rank)
            mine = rank_probe(comm, &counter);
        comm_barrier(comm); /* in it, the master waits as it does in a run */
    }
    link_counter_end(&counter, true);
    comm_gather(comm, &mine, sizeof mine, found);
    return true;
}
