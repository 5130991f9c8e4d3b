/*
 * The cores, hardware threads and other hardware of a node, by hwloc. If scow is built without
 * hwloc, every hardware thread counts as a core, and nothing else is known. All functions are
 * local. The topology is read once per process; HWLOC_XMLFILE or HWLOC_SYNTHETIC replace it, as in
 * every program with hwloc.
 */
#ifndef SPMD_LAUNCH_CORES_H
#define SPMD_LAUNCH_CORES_H

#include <sched.h>
#include <stdbool.h>

#include "planner/model/topology.h"

/* The cores of these hardware threads, each by the number of its first hardware thread. */
void cores_of(const cpu_set_t *threads, cpu_set_t *cores);
/* The cores that this process may use. */
void cores_allowed(cpu_set_t *cores);
/* Is there no assignment of different cores to all processes, each within its own set of cores?
 * Then *first and *second are two processes, by index, that have to share one. A process with an
 * empty set is left out. */
bool cores_shared(const cpu_set_t *processes, int count, int *first, int *second);
/* The topology of the whole node; all 0: not known. GPUs are detected at every call. */
struct topology cores_topology(void);

#endif
