#define _GNU_SOURCE /* sched_getaffinity */
#include "spmd/launch/cores.h"

#ifdef SCOW_HWLOC
#include <hwloc.h>

/* NULL: it cannot be read. */
static hwloc_topology_t topology_load(bool devices)
{
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return NULL;
    hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    if (devices)
        hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    if (hwloc_topology_load(topology) == 0)
        return topology;
    hwloc_topology_destroy(topology);
    return NULL;
}

/* For each hardware thread, the first one of its core. */
struct first_threads {
    int of[CPU_SETSIZE];
};

static void first_threads_find(struct first_threads *first)
{
    struct hwloc_topology *topology = topology_load(false);
    hwloc_obj_t core = NULL;
    for (int k = 0; k < CPU_SETSIZE; k++)
        first->of[k] = k;
    if (!topology)
        return;
    while ((core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core))) {
        const int least = hwloc_bitmap_first(core->cpuset);
        for (int k = least; k >= 0 && k < CPU_SETSIZE; k = hwloc_bitmap_next(core->cpuset, k))
            first->of[k] = least;
    }
    hwloc_topology_destroy(topology);
}

void cores_of(const cpu_set_t *threads, cpu_set_t *cores)
{
    static struct first_threads first;
    static bool known;
    if (!known)
        first_threads_find(&first);
    known = true;
    CPU_ZERO(cores);
    for (int k = 0; k < CPU_SETSIZE; k++)
        if (CPU_ISSET((size_t)k, threads))
            CPU_SET((size_t)first.of[k], cores);
}

/* Display controllers of GPU makers (others are a server's console), and devices that call
 * themselves accelerators. */
static bool device_is_gpu(const struct hwloc_pcidev_attr_s *device)
{
    enum { NVIDIA = 0x10de, AMD = 0x1002, INTEL = 0x8086, DISPLAY = 0x03, ACCELERATOR = 0x12 };
    const int kind = device->class_id >> 8, vendor = device->vendor_id;
    return kind == ACCELERATOR ||
           (kind == DISPLAY && (vendor == NVIDIA || vendor == AMD || vendor == INTEL));
}

static int gpus_count(hwloc_topology_t topology)
{
    int gpus = 0;
    hwloc_obj_t device = NULL;
    while ((device = hwloc_get_next_pcidev(topology, device)))
        gpus += device_is_gpu(&device->attr->pcidev);
    return gpus;
}

/* Where there are no objects of the type, such as packages in some virtual machines, the whole
 * machine counts as one. */
static int objects_count(hwloc_topology_t topology, hwloc_obj_type_t type, int otherwise)
{
    const int count = hwloc_get_nbobjs_by_type(topology, type);
    return count > 0 ? count : otherwise;
}

struct topology cores_topology(void)
{
    struct topology found = {.threads = 0};
    struct hwloc_topology *topology = topology_load(true);
    if (!topology)
        return found;
    found.threads = objects_count(topology, HWLOC_OBJ_PU, 1);
    found.cores = objects_count(topology, HWLOC_OBJ_CORE, found.threads);
    found.packages = objects_count(topology, HWLOC_OBJ_PACKAGE, 1);
    found.numa = objects_count(topology, HWLOC_OBJ_NUMANODE, 1);
    found.gpus = gpus_count(topology);
    hwloc_topology_destroy(topology);
    return found;
}
#else
void cores_of(const cpu_set_t *threads, cpu_set_t *cores)
{
    *cores = *threads;
}

struct topology cores_topology(void)
{
    return (struct topology){.threads = 0};
}
#endif

void cores_allowed(cpu_set_t *cores)
{
    cpu_set_t threads;
    CPU_ZERO(&threads);
    sched_getaffinity(0, sizeof threads, &threads);
    cores_of(&threads, cores);
}

/* ---- a core for each ------------------------------------------------------------------------- */

struct matching {
    const cpu_set_t *processes;
    int holder[CPU_SETSIZE]; /* of each core; -1: none */
    bool seen[CPU_SETSIZE];
};

/* Augmenting paths, breadth first: H. W. Kuhn, The Hungarian method for the assignment problem,
 * Naval Research Logistics Quarterly 2 (1955). `queue` and `from` have room for all cores; `from`
 * is the process for which a core was reached. */
static int core_find(struct matching *matching, int process, int *queue, int *from)
{
    int count = 0;
    for (int k = 0; k < CPU_SETSIZE; k++)
        matching->seen[k] = false;
    for (int next = -1, at = process; next < count; next++) {
        if (next >= 0)
            at = matching->holder[queue[next]];
        for (int core = 0; core < CPU_SETSIZE; core++) {
            if (matching->seen[core] || !CPU_ISSET((size_t)core, &matching->processes[at]))
                continue;
            matching->seen[core] = true;
            from[core] = at;
            if (matching->holder[core] < 0)
                return core;
            queue[count++] = core;
        }
        if (next + 1 >= count)
            break;
    }
    return -1;
}

/* Each process on the path gets the core that was reached for it. */
static void cores_move(struct matching *matching, int process, int core, const int *from)
{
    for (int left = -1; core >= 0; core = left) {
        const int taker = from[core];
        left = -1;
        for (int k = 0; taker != process && k < CPU_SETSIZE; k++)
            if (matching->holder[k] == taker)
                left = k;
        matching->holder[core] = taker;
    }
}

static int first_core(const cpu_set_t *set)
{
    int core = 0;
    while (core < CPU_SETSIZE && !CPU_ISSET((size_t)core, set))
        core++;
    return core < CPU_SETSIZE ? core : -1;
}

bool cores_shared(const cpu_set_t *processes, int count, int *first, int *second)
{
    int queue[CPU_SETSIZE], from[CPU_SETSIZE];
    struct matching matching = {.processes = processes};
    for (int k = 0; k < CPU_SETSIZE; k++)
        matching.holder[k] = -1;
    for (int k = 0; k < count; k++) {
        const int least = first_core(&processes[k]);
        if (least < 0)
            continue;
        const int core = core_find(&matching, k, queue, from);
        if (core < 0) {
            *first = matching.holder[least];
            *second = k;
            return true;
        }
        cores_move(&matching, k, core, from);
    }
    return false;
}
