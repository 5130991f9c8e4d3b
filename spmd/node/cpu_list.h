/* Processors as people list them: "0,2-5". */
#ifndef SPMD_NODE_CPU_LIST_H
#define SPMD_NODE_CPU_LIST_H

#include <stdbool.h>

enum { CPU_LIST_MOST = 1024 }; /* numbers below it, and of these so many */

struct cpu_list {
    int cpus[CPU_LIST_MOST];
    int count;
};

/* False: it is no such list. */
bool cpu_list_parse(struct cpu_list *list, const char *text);
/* Bind this thread to one processor. False, with errno, where that is not allowed. */
bool cpu_bind(int cpu);
/* Those on which this process may run. */
void cpu_list_allowed(struct cpu_list *list);

#endif
