/*
 * How long this thread has had a processor, and how long it was ready for one that others had, as
 * Linux counts it (proc(5), schedstat). Of both over some time follows its availability: the share
 * of a processor that it gets.
 */
#ifndef SPMD_NODE_PROCESSOR_TIME_H
#define SPMD_NODE_PROCESSOR_TIME_H

#include <stdbool.h>

struct processor_time {
    double worked_s, queued_s; /* since the thread began */
};

/* Local. False: nobody counts. */
bool processor_time_now(struct processor_time *now);
/* Between two moments, 0 to 1; 1 where the thread was never ready. */
double processor_availability(const struct processor_time *from, const struct processor_time *to);

#endif
