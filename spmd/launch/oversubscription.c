#define _GNU_SOURCE /* sched_getaffinity, cpu_set_t */
#include "spmd/launch/oversubscription.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/launch/cores.h"

/* Where a rank runs, and which cores it may use there. */
struct seat {
    int rank;
    bool works;       /* false: it mostly waits */
    uint64_t machine; /* 0: not known */
    char node[OVERSUBSCRIPTION_NODE];
    cpu_set_t threads, cores;
};

/* Finds the first two workers, by rank, that have no core each. */
static void pair_find(struct oversubscription *here, const struct seat *seats, int count)
{
    cpu_set_t *workers = calloc((size_t)count, sizeof *workers);
    int first = 0, second = 0;
    if (!workers)
        return;
    for (int k = 0; k < count; k++)
        if (seats[k].works)
            workers[k] = seats[k].cores;
    if (cores_shared(workers, count, &first, &second)) {
        here->first = seats[first].rank;
        here->second = seats[second].rank;
    }
    free(workers);
}

/* Joins the sets of cores of all ranks on the node: each rank may be bound to cores of its own. */
static void cores_count(struct oversubscription *here, const struct seat *seats, int count)
{
    cpu_set_t cores, threads;
    CPU_ZERO(&cores);
    CPU_ZERO(&threads);
    for (int k = 0; k < count; k++) {
        CPU_OR(&cores, &cores, &seats[k].cores);
        CPU_OR(&threads, &threads, &seats[k].threads);
    }
    here->cores = CPU_COUNT(&cores) > 0 ? CPU_COUNT(&cores) : 1;
    here->hardware_threads = CPU_COUNT(&threads) > 0 ? CPU_COUNT(&threads) : 1;
}

static struct seat seat_here(const struct comm *comm, bool works)
{
    struct seat seat = {.rank = comm->rank, .works = works, .machine = process_self().machine};
    char name[LINK_NAME_SIZE];
    link_machine(name);
    snprintf(seat.node, sizeof seat.node, "%.*s", (int)sizeof seat.node - 1, name);
    CPU_ZERO(&seat.threads);
    sched_getaffinity(0, sizeof seat.threads, &seat.threads);
    cores_of(&seat.threads, &seat.cores);
    return seat;
}

static int nodes_compare(const struct seat *x, const struct seat *y)
{
    if (x->machine != y->machine)
        return x->machine < y->machine ? -1 : 1;
    return strcmp(x->node, y->node);
}

/* Sorts by node, then by rank. */
static int seats_compare(const void *a, const void *b)
{
    const struct seat *x = a, *y = b;
    const int nodes = nodes_compare(x, y);
    return nodes != 0 ? nodes : x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Looks at `count` ranks of one node. */
static struct oversubscription node_look(const struct seat *seats, int count)
{
    struct oversubscription node = {.workers = 0};
    for (int k = 0; k < count; k++)
        node.workers += seats[k].works;
    if (node.workers == 0)
        node.workers = 1;
    snprintf(node.node, sizeof node.node, "%s", seats[0].node);
    pair_find(&node, seats, count);
    cores_count(&node, seats, count);
    return node;
}

static double crowd_of(const struct oversubscription *node)
{
    return (double)node->workers / node->cores + (node->second > 0);
}

/* Of several nodes that are alike, the one with the first rank. */
static struct oversubscription nodes_look(struct seat *seats, int count)
{
    struct oversubscription most = {.workers = 0, .cores = 1};
    int first = 0;
    qsort(seats, (size_t)count, sizeof *seats, seats_compare);
    for (int from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && nodes_compare(&seats[from], &seats[to]) == 0;)
            to++;
        const struct oversubscription node = node_look(seats + from, to - from);
        const double more = crowd_of(&node) - crowd_of(&most);
        if (more > 0 || (more >= 0 && seats[from].rank < first)) {
            most = node;
            first = seats[from].rank;
        }
    }
    return most;
}

struct oversubscription oversubscription_find(const struct comm *comm, bool works)
{
    const struct seat mine = seat_here(comm, works);
    struct seat *all = comm_leads(comm) ? calloc((size_t)comm->size, sizeof *all) : NULL;
    struct oversubscription most = {.cores = 1};
    if (comm_leads(comm) && !all) {
        fputs("scow: out of memory while looking at the ranks' nodes\n", stderr);
        link_abort(comm->link, FAILURE_FAILED);
    }
    comm_gather(comm, &mine, sizeof mine, all);
    if (all)
        most = nodes_look(all, comm->size);
    free(all);
    return most;
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
