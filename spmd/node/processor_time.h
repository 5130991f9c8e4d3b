/*
 * How long threads have had a processor, and how long they were ready for one that others had, as
 * Linux counts it (proc(5), schedstat). Of both over some time follows their availability: the
 * share of a processor that they get. Processes that they start are not among them: Linux keeps no
 * such count of one that has ended.
 */
#ifndef SPMD_NODE_PROCESSOR_TIME_H
#define SPMD_NODE_PROCESSOR_TIME_H

#include <stdbool.h>

struct processor_time {
    double worked_s, queued_s; /* since the thread began */
};

/* Where Linux counts the time of one thread: a file that stays open between its readings, because
 * opening it takes longer than reading it. All zero: not open yet. Of the thread that reads it
 * first, which no other may then read. */
struct processor_counter {
    bool open;
    int file;
};

/* Local. Of this thread. False: nobody counts. */
bool processor_time_now(struct processor_counter *counter, struct processor_time *now);
/* Local. Of this thread or, where `threads` is more than 1, of all that the process has. False:
 * nobody counts. */
bool processor_time_team(struct processor_counter *counter, int threads,
                         struct processor_time *now);
/* Local. As before its first reading. */
void processor_counter_close(struct processor_counter *counter);
/* Add what passed between two moments. */
void processor_time_add(struct processor_time *sum, const struct processor_time *from,
                        const struct processor_time *to);
/* Between two moments, 0 to 1; 1 where the thread was never ready. */
double processor_availability(const struct processor_time *from, const struct processor_time *to);

#endif
