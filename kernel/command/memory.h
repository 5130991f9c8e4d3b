/* Memory of processes, as Linux tells it; elsewhere nothing is known. */
#ifndef KERNEL_COMMAND_MEMORY_H
#define KERNEL_COMMAND_MEMORY_H

#include <stdint.h>
#include <sys/types.h>

/* The most that a process has had in memory so far (VmHWM), KiB; 0: not known. */
int64_t memory_peak_kib(pid_t pid);
/* KiB that this process and its children may still take: of the node, and of every control group
 * that bounds it; what the system can give up of files counts. -1: not known. */
int64_t memory_left_kib(void);
/* How many processes of this node were killed for memory since it was started; -1: not known. */
int64_t memory_kills(void);

#endif
