/*
 * Time as the ranks see it: the one place where scow reads a clock or sleeps while MPI works. On a
 * simulated cluster another implementation stands here (tests/simgrid/clock.c), and time passes in
 * naps and in the simulated operations alone.
 */
#ifndef SPMD_TRANSPORT_CLOCK_H
#define SPMD_TRANSPORT_CLOCK_H

/* Seconds since some moment of this machine's, monotonic. */
double clock_now(void);
/* Let others have the processor, for no known time. */
void clock_yield(void);
/* Sleep that long, or somewhat longer. */
void clock_nap(double seconds);

/* How who waits divides the time: so many tests without a pause, so many with a yield between them,
 * then naps from least_s on, each longer than the last by that share, up to most_s. Naps end late
 * by about late_s: who must be punctual waits that long awake. */
struct clock_patience {
    long spins, yields;
    double least_s, most_s, growth, late_s;
};

extern const struct clock_patience clock_patience;

#endif
