#define _GNU_SOURCE /* sched_setaffinity */
#include "spmd/node/cpu_list.h"

#include <sched.h>
#include <stddef.h>

/* Reads a number below CPU_LIST_MOST; negative: there is none. */
static int cpu_read(const char **at)
{
    int cpu = -1;
    for (; **at >= '0' && **at <= '9' && cpu < CPU_LIST_MOST; (*at)++)
        cpu = 10 * (cpu < 0 ? 0 : cpu) + (**at - '0');
    return cpu < CPU_LIST_MOST ? cpu : -1;
}

bool cpu_list_parse(struct cpu_list *list, const char *text)
{
    list->count = 0;
    for (const char *at = text;; at++) {
        const int first = cpu_read(&at);
        int last = first;
        if (*at == '-') {
            at++;
            last = cpu_read(&at);
        }
        if (first < 0 || last < first || last - first >= CPU_LIST_MOST - list->count)
            return false;
        for (int cpu = first; cpu <= last; cpu++)
            list->cpus[list->count++] = cpu;
        if (*at != ',')
            return *at == '\0';
    }
}

bool cpu_bind(int cpu)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
}

void cpu_list_allowed(struct cpu_list *list)
{
    cpu_set_t all;
    CPU_ZERO(&all);
    sched_getaffinity(0, sizeof all, &all);
    list->count = 0;
    for (int cpu = 0; cpu < CPU_LIST_MOST && cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((size_t)cpu, &all))
            list->cpus[list->count++] = cpu;
}
