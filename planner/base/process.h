/*
 * Processes of other ranks on the same machine: whether one has ended, and how to kill one that
 * does not answer any more. (A stopped process would keep its launcher waiting for ever.) Nothing
 * here is collective.
 */
#ifndef PLANNER_BASE_PROCESS_H
#define PLANNER_BASE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/* Identifies a process; sent between ranks byte by byte. */
struct process {
    uint64_t machine; /* equal for processes that can signal each other; 0: not known */
    int64_t number;   /* its id on that machine */
    int64_t started;  /* start time in clock ticks: tells it from a later process of the same id */
};

/* Processes to be killed if they do not answer at the end. */
struct process_list {
    struct process *items; /* owned; NULL: none, or their ids are not known */
    int count;
};

/* Peak resident memory of this process, bytes; 0: not known. */
int64_t process_peak(void);
/* Reset that peak to the present value, where the system allows it. */
void process_peak_begin(void);
/* From here on every large allocation is mapped by itself, so that only pages in use take memory
 * and free gives them back to the system. Otherwise a process that opens many files, one after the
 * other, uses more memory than one that opens a single file: MPI-IO allocates 16 MiB for each and
 * uses none of it. */
void process_separate_large(void);
/* Give freed memory back to the system. */
void process_trim(void);
/* The calling process. */
struct process process_self(void);
/* Seconds since the calling process started, MPI's start included; 0: not known. */
double process_age_s(void);
/* Is it another process on this machine that still runs? */
bool process_is_alive(const struct process *process);
/* Has it ended? False, too, if it is on another machine. */
bool process_has_ended(const struct process *process);
/* Kill it, if process_is_alive says so and the system allows it. */
void process_kill(const struct process *process);

#endif
