/*
 * The hardware of a node: its packages, cores, hardware threads, NUMA nodes and GPUs.
 */
#ifndef PLANNER_MODEL_TOPOLOGY_H
#define PLANNER_MODEL_TOPOLOGY_H

#include <stdbool.h>

#include "planner/base/text.h"

/* The part of it that a process may use. */
struct topology {
    int packages, cores, threads; /* threads: hardware threads; 0: nothing of all this is known */
    int numa, gpus;
};

/* "1 package, 8 cores, 16 hardware threads, 1 NUMA node, 2 GPUs", without a newline. */
void topology_describe(const struct topology *topology, struct text *text);

/* Nodes with equal hardware. */
struct topology_kind {
    struct topology topology;
    int nodes;
};

enum { TOPOLOGY_KINDS_MOST = 16 };

/* The nodes of a cluster by kind, in the order of topology_kinds_add. */
struct topology_kinds {
    struct topology_kind items[TOPOLOGY_KINDS_MOST];
    int count;
};

/* Add a node. Not kept: unknown hardware, and a new kind beyond TOPOLOGY_KINDS_MOST. */
void topology_kinds_add(struct topology_kinds *kinds, const struct topology *topology);
/* "3 nodes of 1 package, ..., 1 node of ...", likewise. */
void topology_kinds_describe(const struct topology_kinds *kinds, struct text *text);

#endif
