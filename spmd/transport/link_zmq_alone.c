/* Over ZeroMQ (link_zmq.h): operations of all ranks together, in which each process is alone, and
 * what is said about the machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

#include "spmd/transport/link.h"

static void alone(struct link_request *request)
{
    *request = (struct link_request){.pending = false};
}

void link_barrier(struct link link, struct link_request *request)
{
    (void)link;
    alone(request);
}

void link_broadcast(struct link link, void *data, size_t bytes, int from,
                    struct link_request *request)
{
    (void)link, (void)data, (void)bytes, (void)from;
    alone(request);
}

void link_gather(struct link link, const void *mine, size_t bytes, void *all,
                 struct link_request *request)
{
    if (all)
        memcpy((char *)all + (size_t)link_rank(link) * bytes, mine, bytes);
    alone(request);
}

void link_gather_all(struct link link, const void *mine, size_t bytes, void *all,
                     struct link_request *request)
{
    link_gather(link, mine, bytes, all, request);
}

void link_least(struct link link, const int *mine, int *least, struct link_request *request)
{
    (void)link;
    *least = *mine;
    alone(request);
}

void link_sum(struct link link, const int *mine, int *sum, struct link_request *request)
{
    link_least(link, mine, sum, request);
}

/* Every message passes through the master's program, so that a counter would save nothing. */
bool link_counter_begin(struct link link, struct link_counter *counter)
{
    (void)link;
    *counter = (struct link_counter){0};
    return false;
}

void link_counter_add(struct link_counter *counter, int64_t more, int64_t *before,
                      struct link_request *request)
{
    (void)counter, (void)more, (void)before, (void)request;
    abort(); /* a bug of ours: there is no counter */
}

void link_counter_end(struct link_counter *counter, bool all)
{
    (void)all;
    *counter = (struct link_counter){0};
}

struct link link_node(struct link link)
{
    return link;
}

struct link link_among(struct link link, const int *ranks, int count)
{
    (void)ranks, (void)count;
    return link;
}

void link_end(struct link *link)
{
    *link = (struct link){0};
}

/* ---- the machine --------------------------------------------------------------------------- */

void link_machine(char name[LINK_NAME_SIZE])
{
    memset(name, 0, LINK_NAME_SIZE);
    gethostname(name, LINK_NAME_SIZE - 1);
}

void link_version(char version[LINK_VERSION_SIZE])
{
    int major, minor, patch;
    zmq_version(&major, &minor, &patch);
    snprintf(version, LINK_VERSION_SIZE, "ZeroMQ %d.%d.%d", major, minor, patch);
}
