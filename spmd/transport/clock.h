/*
 * Time as the ranks see it, and waiting: the one place where scow reads a clock or sleeps while MPI
 * works. On a simulated cluster another implementation stands here (tests/simgrid/clock.c).
 */
#ifndef SPMD_TRANSPORT_CLOCK_H
#define SPMD_TRANSPORT_CLOCK_H

#include "spmd/transport/link.h"

/* Seconds since some moment of this machine's, monotonic. */
double clock_now(void);
/* Sleep that long, or somewhat longer. */
void clock_nap(double seconds);
/* By how much naps end late: who must be punctual waits that long awake. */
extern const double clock_late_s;

/* How long something has been waited for; start with {0}. */
struct pause {
    long count;
    double nap_s;
    int longer; /* naps may be so many times as long as others' in the end; 0: once */
};

/* What ends the waiting, beside time. */
enum { AWAITED_MOST = 5 };
struct awaited {
    struct link_request *requests[AWAITED_MOST]; /* borrowed, of the one who waits; NULL: none */
    double left_s;                               /* until something is due; 0: nothing is */
};

/* Local. Call once per unsuccessful test of what is awaited: lets others work, the longer the more,
 * but not beyond what is due. A request may be over afterwards. */
void clock_pause(struct pause *pause, const struct awaited *awaited);

#endif
