/*
 * Whether workers have a core each, or share.
 */
#ifndef SPMD_LAUNCH_OVERSUBSCRIPTION_H
#define SPMD_LAUNCH_OVERSUBSCRIPTION_H

#include <stdbool.h>

#include "planner/base/text.h"
#include "spmd/transport/comm.h"

enum { OVERSUBSCRIPTION_NODE = 64 };

/* A node, its workers, and the cores that they may use. */
struct oversubscription {
    char node[OVERSUBSCRIPTION_NODE];
    int workers, cores;
    int hardware_threads; /* of these cores */
    int first, second;    /* ranks that may use one and the same core only; 0: there are none */
};

/* Collective. On the master, the node where two workers have no core each, else the one with the
 * fewest cores for each of its workers; elsewhere nothing. `works`: this rank computes core tasks;
 * a master that does not mostly waits, and counts as none. */
struct oversubscription oversubscription_find(const struct comm *comm, bool works);
/* A line where workers of so many threads each have more threads there than cores, or two are bound
 * to one core, with what to change; otherwise nothing. */
void oversubscription_describe(const struct oversubscription *oversubscription, int threads,
                               struct text *text);

#endif
