/*
 * Waiting that is nobody's work: how long this thread has neither had a processor nor been ready
 * for one.
 */
#ifndef SPMD_RUN_STALL_H
#define SPMD_RUN_STALL_H

/* Local. Seconds that this thread has worked so far, or was ready to while others had its
 * processor, as Linux counts it (proc(5), schedstat); negative where nobody does. */
double stall_busy_s(void);

#endif
