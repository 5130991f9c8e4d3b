/*
 * Which hardware threads are of one core, and what else the node has: as hwloc tells, where scow is
 * built with it. Without it every hardware thread counts as a core, and nothing else is known.
 * Local, all of it. The topology is read once per process; as for every program with hwloc,
 * HWLOC_XMLFILE or HWLOC_SYNTHETIC put another in its place.
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
/* Have two of so many processes no core each, whatever they settle for within their cores? These
 * two, by index; both have cores. A process without any is left out. */
bool cores_shared(const cpu_set_t *processes, int count, int *first, int *second);
/* Of the whole node; all 0 where it is not known. Devices are looked for anew each time. */
struct topology cores_topology(void);

#endif
