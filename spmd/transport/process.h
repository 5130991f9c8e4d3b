/*
 * Processes of ranks, to be ended by others on their machine when they no longer answer: one that
 * is stopped would keep its launcher waiting for ever.
 */
#ifndef SPMD_TRANSPORT_PROCESS_H
#define SPMD_TRANSPORT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/* Sent as it lies in memory. */
struct process {
    uint64_t machine; /* the same for processes that see each other; 0: not known */
    int64_t number;   /* there */
    int64_t started;  /* in the system's ticks: another process of that number has another one */
};

/* Processes to be ended when they do not answer at the end. */
struct process_list {
    struct process *items; /* owned; NULL: none, or not known which */
    int count;
};

/* Local. This one. */
struct process process_self(void);
/* Local. Is it on this machine, still the same, and another one? */
bool process_reach(const struct process *process);
/* Local. End it, if it can be reached and may be ended. */
void process_end(const struct process *process);

#endif
