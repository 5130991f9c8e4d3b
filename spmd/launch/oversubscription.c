#define _GNU_SOURCE /* sched_getaffinity, cpu_set_t */
#include "spmd/launch/oversubscription.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "spmd/launch/cores.h"

/* What a rank may use. */
struct place_of {
    int rank;
    cpu_set_t threads, cores;
};

/* Workers are each alone, or two of them have no core each: those, by rank. A master that computes
 * nothing mostly waits and is left out. */
static void pair_find(struct oversubscription *here, const struct place_of *places, int count,
                      bool master)
{
    cpu_set_t *workers = calloc((size_t)count, sizeof *workers);
    int first = 0, second = 0;
    if (!workers)
        return;
    for (int k = 0; k < count; k++)
        if (master || places[k].rank != 0)
            workers[k] = places[k].cores;
    if (cores_shared(workers, count, &first, &second)) {
        here->first = places[first].rank;
        here->second = places[second].rank;
    }
    free(workers);
}

/* The sets of all ranks on the node, united: each may be bound to cores of its own. */
static void cores_count(struct oversubscription *here, const struct place_of *places, int count)
{
    cpu_set_t cores, threads;
    CPU_ZERO(&cores);
    CPU_ZERO(&threads);
    for (int k = 0; k < count; k++) {
        CPU_OR(&cores, &cores, &places[k].cores);
        CPU_OR(&threads, &threads, &places[k].threads);
    }
    here->cores = CPU_COUNT(&cores) > 0 ? CPU_COUNT(&cores) : 1;
    here->hardware_threads = CPU_COUNT(&threads) > 0 ? CPU_COUNT(&threads) : 1;
}

/* Collective. Of this rank's node; without memory, of this rank. */
static void node_look(const struct comm *comm, bool master, struct oversubscription *here)
{
    struct place_of mine = {.rank = comm->rank};
    struct link node;
    struct link_request request;
    CPU_ZERO(&mine.threads);
    sched_getaffinity(0, sizeof mine.threads, &mine.threads);
    cores_of(&mine.threads, &mine.cores);
    node = link_node(comm->link);
    const int count = link_size(node);
    struct place_of *places = calloc((size_t)count, sizeof *places);
    const int room = places != NULL;
    int good = 0;
    link_least(node, &room, &good, &request);
    comm_wait(comm, &request);
    if (good && places) {
        link_gather_all(node, &mine, sizeof mine, places, &request);
        comm_wait(comm, &request);
        pair_find(here, places, count, master);
    }
    const bool all = good && places;
    cores_count(here, all ? places : &mine, all ? count : 1);
    free(places);
    link_end(&node);
}

/* Collective. The first rank with the largest number; without memory, the first one. */
static int most_find(const struct comm *comm, double mine)
{
    double *all = calloc((size_t)comm->size, sizeof *all);
    const int room = all != NULL;
    int good = 0, most = 0;
    struct link_request request;
    link_least(comm->link, &room, &good, &request);
    comm_wait(comm, &request);
    if (good && all) {
        link_gather_all(comm->link, &mine, sizeof mine, all, &request);
        comm_wait(comm, &request);
        for (int rank = 1; rank < comm->size; rank++)
            most = all[rank] > all[most] ? rank : most;
    }
    free(all);
    return most;
}

struct oversubscription oversubscription_find(const struct comm *comm, bool master)
{
    struct oversubscription here = {.workers =
                                        comm_workers_on_node(comm) + (master && comm->rank == 0)};
    node_look(comm, master, &here);
    char name[LINK_NAME_SIZE];
    link_machine(name);
    snprintf(here.node, sizeof here.node, "%.63s", name);
    const double mine = (double)here.workers / here.cores + (here.second > 0);
    struct link_request request;
    link_broadcast(comm->link, &here, sizeof here, most_find(comm, mine), &request);
    comm_wait(comm, &request);
    return here;
}

static void cores_describe(const struct oversubscription *oversubscription, struct text *text)
{
    text_add(text, "%d core%s", oversubscription->cores, oversubscription->cores == 1 ? "" : "s");
    if (oversubscription->hardware_threads > oversubscription->cores)
        text_add(text, " (%d hardware threads)", oversubscription->hardware_threads);
}

void oversubscription_describe(const struct oversubscription *oversubscription, int threads,
                               struct text *text)
{
    const bool many = (long)oversubscription->workers * threads > oversubscription->cores;
    if (!many && oversubscription->second == 0)
        return;
    if (many) {
        text_add(text, "on %s, %d worker%s of %d thread%s share%s ", oversubscription->node,
                 oversubscription->workers, oversubscription->workers == 1 ? "" : "s", threads,
                 threads == 1 ? "" : "s", oversubscription->workers == 1 ? "s" : "");
        cores_describe(oversubscription, text);
    } else {
        text_add(text, "on %s, ranks %d and %d are bound to one core of ", oversubscription->node,
                 oversubscription->first, oversubscription->second);
        cores_describe(oversubscription, text);
    }
    text_add(text,
             ": core tasks that compute then slow each other down, which a plan cannot predict; ");
    if (many)
        text_add(text, "start fewer workers there, or give each fewer threads (OMP_NUM_THREADS)\n");
    else
        text_add(text, "bind each to a core of its own (mpiexec --bind-to core, srun "
                       "--cpu-bind=cores)\n");
}
