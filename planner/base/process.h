/*
 * Processes of ranks, seen from others on their machine: to be ended when they no longer answer, as
 * one that is stopped would keep its launcher waiting for ever, or found gone.
 */
#ifndef PLANNER_BASE_PROCESS_H
#define PLANNER_BASE_PROCESS_H

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

/* Local. Bytes that this one has had in memory at most; 0: not known. */
int64_t process_peak(void);
/* Local. From here on, that most begins anew; where the system refuses, it stays what it was. */
void process_peak_begin(void);
/* Local. From here on whatever is large is pages of its own, that are gone when it is freed and are
 * there only where they are used, as for who allocates once. Else who opens file after file (MPI-IO
 * allocates 16 MiB for each, of which it uses nothing) comes to more memory than who opens one. */
void process_separate_large(void);
/* Local. Give what was freed back to the system. */
void process_trim(void);
/* Local. This one. */
struct process process_self(void);
/* Local. Seconds since this one began, its MPI's start included; 0: not known. */
double process_age_s(void);
/* Local. Is it on this machine, still the same, and another one? */
bool process_reach(const struct process *process);
/* Local. Was it on this machine, and is not there any more? Of one elsewhere nobody can say. */
bool process_gone(const struct process *process);
/* Local. End it, if it can be reached and may be ended. */
void process_end(const struct process *process);

#endif
