#include "spmd/transport/comm.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG_CLOCK = 900 };
enum { CLOCK_EXCHANGES = 64 };

void comm_init(struct comm *comm, struct link link)
{
    *comm = (struct comm){.link = link, .rank = link_rank(link), .size = link_size(link)};
}

/* Allocates memory for so many bytes of every rank. Out of memory is fatal. */
static void *room_for_all(const struct comm *comm, size_t size)
{
    void *all = malloc((size_t)comm->size * size);
    if (!all) {
        fprintf(stderr, "scow: rank %d is out of memory while looking for others\n", comm->rank);
        link_abort(comm->link, FAILURE_FAILED);
    }
    return all;
}

/* Collective. Gathers `bytes` from every rank, in rank order; owned. */
static void *gather_all(const struct comm *comm, const void *mine, size_t bytes)
{
    struct link_request request;
    void *all = room_for_all(comm, bytes);
    link_gather_all(comm->link, mine, bytes, all, &request);
    comm_wait(comm, &request);
    return all;
}

/* In two steps, because MPI's own call makes ranks that share cores wait for each other (see
 * comm_find_node). */
void comm_split(struct comm *comm, const struct comm *whole, int number, int before)
{
    int *ranks = gather_all(whole, &number, sizeof number), count = 0;
    for (int rank = 0; rank < whole->size; rank++)
        if (ranks[rank] == number)
            ranks[count++] = rank;
    comm_init(comm, link_among(whole->link, ranks, count));
    free(ranks);
    comm->before = before;
    comm->all = whole->size;
    comm->offset_s = whole->offset_s;
}

void comm_among(struct comm *comm, const struct comm *whole, const int *ranks, int count)
{
    comm_init(comm, link_among(whole->link, ranks, count));
    comm->offset_s = whole->offset_s;
    comm_find_node(comm);
}

int comm_all(const struct comm *comm)
{
    return comm->all > 0 ? comm->all : comm->size;
}

int comm_place(const struct comm *comm, int rank)
{
    return comm->places ? comm->places[rank] : comm->before + rank;
}

bool comm_leads(const struct comm *comm)
{
    return comm->rank == 0;
}

double comm_now(const struct comm *comm)
{
    return clock_now() + comm->offset_s;
}

/* Seconds between two looks: a compromise between their cost and how soon a loss is noticed. */
static const double look_every_s = 0.25;

void comm_watch_add(struct comm *comm, struct comm_watch *watch)
{
    watch->next = comm->watches;
    comm->watches = watch;
}

void comm_watch_remove(struct comm *comm, const struct comm_watch *watch)
{
    struct comm_watch **at = &comm->watches;
    while (*at && *at != watch)
        at = &(*at)->next;
    if (*at)
        *at = watch->next;
}

void comm_look(const struct comm *comm)
{
    for (struct comm_watch *watch = comm->watches; watch; watch = watch->next) {
        const double now = clock_now();
        if (!watch->look || now < watch->next_s)
            continue;
        watch->next_s = now + look_every_s;
        watch->look(watch->self);
    }
}

bool comm_poll(const struct comm *comm, struct comm_event *event)
{
    for (struct comm_watch *watch = comm->watches; watch; watch = watch->next)
        if (watch->poll && watch->poll(watch->self, event))
            return true;
    return false;
}

/* A rank that only waits for messages, with nothing due soon, can block in the link. */
static bool rests(const struct comm *comm, const struct awaited *awaited)
{
    static const double least_s = 2e-3, most_s = 0.02;
    const double left_s = awaited->left_s > 0 ? awaited->left_s - clock_late_s : most_s;
    return left_s >= least_s && link_rest(comm->link, fmin(left_s, most_s));
}

void comm_pause(const struct comm *comm, struct pause *pause, const struct awaited *awaited)
{
    if (pause->nap_s > 0) {
        comm_look(comm);
        if (rests(comm, awaited))
            return;
    }
    clock_pause(pause, awaited);
}

void comm_wait(const struct comm *comm, struct link_request *request)
{
    const struct awaited awaited = {.requests = {request}};
    struct pause pause = {0};
    while (!link_test(request))
        comm_pause(comm, &pause, &awaited);
}

/* Larger data are sent in pieces. */
static size_t piece_of(size_t bytes, size_t at)
{
    const size_t left = bytes - at;
    return left < LINK_MOST ? left : LINK_MOST;
}

void comm_send(const struct comm *comm, const void *data, size_t bytes, int rank, int tag)
{
    struct link_request request;
    link_send(comm->link, data, bytes, rank, tag, &request);
    comm_wait(comm, &request);
}

void comm_receive(const struct comm *comm, void *data, size_t bytes, int rank, int tag)
{
    struct link_request request;
    link_receive(comm->link, data, bytes, rank, tag, &request);
    comm_wait(comm, &request);
}

bool comm_receive_until(const struct comm *comm, void *data, size_t bytes, int rank, int tag,
                        double until_s)
{
    struct link_request request;
    struct pause pause = {0};
    link_receive(comm->link, data, bytes, rank, tag, &request);
    while (!link_test(&request)) {
        const struct awaited awaited = {.requests = {&request}};
        if (clock_now() > until_s) {
            link_cancel(&request);
            return false;
        }
        comm_pause(comm, &pause, &awaited);
    }
    return request.size == bytes;
}

void comm_tell(const struct comm *comm, int rank, int tag)
{
    struct link_request request;
    link_send(comm->link, NULL, 0, rank, tag, &request);
    link_forget(&request);
}

void comm_barrier(const struct comm *comm)
{
    struct link_request request;
    link_barrier(comm->link, &request);
    comm_wait(comm, &request);
}

void comm_broadcast(const struct comm *comm, void *data, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += LINK_MOST) {
        struct link_request request;
        link_broadcast(comm->link, (char *)data + at, piece_of(bytes, at), 0, &request);
        comm_wait(comm, &request);
    }
}

void comm_gather(const struct comm *comm, const void *mine, size_t bytes, void *all)
{
    struct link_request request;
    link_gather(comm->link, mine, bytes, all, &request);
    comm_wait(comm, &request);
}

bool comm_agree(const struct comm *comm, struct failure *failure)
{
    int mine = failure->code == FAILURE_NONE ? comm->size : comm->rank;
    int lowest = 0;
    struct link_request request;
    link_least(comm->link, &mine, &lowest, &request);
    comm_wait(comm, &request);
    if (lowest == comm->size)
        return true;
    link_broadcast(comm->link, failure, sizeof *failure, lowest, &request);
    comm_wait(comm, &request);
    return false;
}

/* The master's part: answers every rank's messages in turn. */
static void clock_serve(const struct comm *comm)
{
    for (int rank = 1; rank < comm->size; rank++) {
        for (int i = 0; i < CLOCK_EXCHANGES; i++) {
            char ping;
            comm_receive(comm, &ping, sizeof ping, rank, TAG_CLOCK);
            double now = clock_now();
            comm_send(comm, &now, sizeof now, rank, TAG_CLOCK);
        }
    }
}

static double clock_ask(const struct comm *comm)
{
    double shortest = 0, offset = 0;
    for (int i = 0; i < CLOCK_EXCHANGES; i++) {
        char ping = 0;
        double before = clock_now(), there = 0;
        comm_send(comm, &ping, sizeof ping, 0, TAG_CLOCK);
        comm_receive(comm, &there, sizeof there, 0, TAG_CLOCK);
        double after = clock_now();
        if (i == 0 || after - before < shortest) {
            shortest = after - before;
            offset = there - (before + after) / 2;
        }
    }
    /* Ranks of one machine share a clock; the clocks of two machines differ by more than the
     * shortest exchange takes, often by seconds or days. */
    return fabs(offset) <= shortest / 2 ? 0 : offset;
}

void comm_align_clocks(struct comm *comm)
{
    comm->offset_s = 0;
    if (comm_leads(comm))
        clock_serve(comm);
    else
        comm->offset_s = clock_ask(comm);
    comm_barrier(comm);
}

/* Collective. */
static int sum_over(const struct comm *comm, struct link ranks, int mine)
{
    int sum = 0;
    struct link_request request;
    link_sum(ranks, &mine, &sum, &request);
    comm_wait(comm, &request);
    return sum;
}

/* What a rank says about a node that is known. */
struct share {
    int node, said;
};

static int sum_on_known(const struct comm *comm, int mine)
{
    const struct share share = {.node = comm->node, .said = mine};
    struct share *all = gather_all(comm, &share, sizeof share);
    int sum = 0;
    for (int rank = 0; rank < comm->size; rank++)
        sum += all[rank].node == comm->node ? all[rank].said : 0;
    free(all);
    return sum;
}

int comm_sum_on_node(const struct comm *comm, int mine)
{
    if (comm->node > 0)
        return sum_on_known(comm, mine);
    struct link node = link_node(comm->link);
    const int sum = sum_over(comm, node, mine);
    link_end(&node);
    return sum;
}

int comm_workers_on_node(const struct comm *comm)
{
    if (comm->workers_on_node > 0)
        return comm->workers_on_node;
    const int workers = comm_sum_on_node(comm, !comm_leads(comm));
    return workers > 0 ? workers : 1;
}

bool comm_first_on_node(const struct comm *comm)
{
    if (comm->nodes > 0)
        return comm->first_on_node;
    struct link node = link_node(comm->link);
    const int rank = link_rank(node);
    link_end(&node);
    return rank == 0;
}

int comm_nodes(const struct comm *comm)
{
    return comm->nodes > 0 ? comm->nodes : sum_over(comm, comm->link, comm_first_on_node(comm));
}

/* Where a rank runs. */
struct seat {
    uint64_t machine; /* as the rank itself sees it; 0: unknown */
    int64_t ranks;    /* that its launcher started on its node, as it says; 0: unknown */
};

static struct seat seat_here(void)
{
    /* Of MPICH's and Intel MPI's launchers, and of Open MPI's. */
    static const char *const names[] = {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"};
    struct seat seat = {.machine = process_self().machine};
    for (size_t k = 0; k < sizeof names / sizeof *names && seat.ranks == 0; k++) {
        const char *said = getenv(names[k]);
        seat.ranks = said ? strtoll(said, NULL, 10) : 0;
    }
    return seat;
}

/* Collective. Takes the nodes from what the launcher says, if on every rank that agrees with the
 * machines on which ranks see themselves. A launcher may treat one machine as several nodes; which
 * ranks share one of these is known to MPI only, unless each is alone. False on every rank, with
 * nothing changed: it does not agree. */
static bool node_told(struct comm *comm)
{
    const struct seat mine = seat_here();
    const bool alone = mine.ranks == 1;
    struct seat *all = gather_all(comm, &mine, sizeof mine);
    int same = 0, workers = 0, first = comm->rank;
    for (int rank = comm->size - 1; rank >= 0; rank--)
        if (rank == comm->rank ||
            (!alone && all[rank].ranks != 1 && all[rank].machine == mine.machine)) {
            same++;
            workers += rank > 0;
            first = rank;
        }
    free(all);
    const bool agrees = mine.machine != 0 && same == mine.ranks;
    if (sum_over(comm, comm->link, agrees) < comm->size)
        return false;
    comm->node = 1 + first;
    comm->workers_on_node = workers > 0 ? workers : 1;
    return true;
}

/* Collective. MPI's own way takes tenths of a second where ranks share cores: it busy-waits in
 * several steps, which keeps other ranks from doing theirs, and lost ranks are not noticed
 * meanwhile. */
static void node_ask(struct comm *comm)
{
    struct link node = link_node(comm->link);
    struct link_request request;
    int first = comm->rank;
    const int workers = sum_over(comm, node, !comm_leads(comm));
    link_broadcast(node, &first, sizeof first, 0, &request);
    comm_wait(comm, &request);
    link_end(&node);
    comm->node = 1 + first;
    comm->workers_on_node = workers > 0 ? workers : 1;
}

void comm_find_node(struct comm *comm)
{
    if (!node_told(comm))
        node_ask(comm);
    comm->first_on_node = comm->node == 1 + comm->rank;
    comm->nodes = sum_over(comm, comm->link, comm->first_on_node);
}
