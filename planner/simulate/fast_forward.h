/*
 * Simulations of very many packages: where packages repeat themselves, a section of them is
 * simulated package by package, the following ones are summed up, and only the end is simulated
 * again. So a job of 10^12 core tasks costs what one of some thousand packages does.
 *
 * A turn adds the mean cost of its packages, of the bottleneck (a worker, the port or the master),
 * and waiting for the bottleneck, which depends on the order of events and on differences between
 * packages and is taken from the section that was simulated. K turns add K times the mean and, by
 * the central limit theorem, one normal deviate with K times the variance. Where the mean changes
 * along the job, in regions, the sum is over PIECES equal parts.
 *
 * The error: without noise, that of the section's edges: in the tests, with 20,000 packages of
 * which 2,000 are simulated, at most 0.12 % of the makespan of the whole simulation. With noise,
 * the waiting of the section replaces the mean waiting: the error of one sample is about the noise
 * over the root of the number of simulated packages, that of the mean of samples, with packages
 * that differ by 0.3, is 0.1 %. With packages on request, nothing is skipped until all workers have
 * started. Before a loss most of the time until then is skipped, again and again, and what is
 * around it is simulated; not so where core tasks cost more somewhere, for it might come too late.
 */
#ifndef PLANNER_SIMULATE_FAST_FORWARD_H
#define PLANNER_SIMULATE_FAST_FORWARD_H

#include "planner/dispatch/dispatch.h"
#include "planner/simulate/scenario.h"
#include "planner/simulate/star.h"

struct forward_worker {
    int64_t packages, load;         /* of the section; core tasks of the last one, 0: none yet */
    double compute_s, own_s, out_s; /* sums of means: computing, with receiving, and output */
    double busy_s, output_s;        /* of the star's worker, before the section */
    double idle_s, variance_s2;     /* sums: waiting, and squares of what packages were off by */
    double share;                   /* of computing that grows with what core tasks cost */
};

struct fast_forward {
    const struct platform *platform; /* borrowed */
    const struct scenario *scenario; /* borrowed */
    struct forward_worker *workers;  /* owned, one per worker of the platform */
    double *later_s;                 /* owned, likewise: by how much the last skip moved clocks */
    double master_s, port_s;         /* sums of means */
    double master_idle_s, port_idle_s;
    double first, end;     /* core tasks of the section */
    int64_t series, noted; /* packages since its first turn, or since another size */
    int64_t begun;         /* of these, those before the section; below 0: it has not begun */
    double begun_s;        /* the master's time then */
    bool over;             /* the series is not skipped any further */
    int skips;
};

/* False: out of memory. */
bool fast_forward_init(struct fast_forward *forward, const struct platform *platform,
                       const struct scenario *scenario);
void fast_forward_release(struct fast_forward *forward);
/* A package has been sent, which took `cost`, and in the mean of such packages takes `mean`; the
 * port was free from port_s on. */
void fast_forward_note(struct fast_forward *forward, const struct package *package,
                       const struct star_times *times, const struct star_cost *cost,
                       const struct star_cost *mean, double port_s);
/* The master has taken in an answer, or has waited. */
void fast_forward_answer(struct fast_forward *forward, double seconds);
void fast_forward_wait(struct fast_forward *forward, double seconds);
/* A worker is lost: what was seen before tells nothing of what comes. */
void fast_forward_lost(struct fast_forward *forward);
/* To be asked before every package: if it is time, has the dispatch skip its turns, and moves the
 * star on. True: it has, and everything of worker k that is under way is later_s[k] later. */
bool fast_forward_try(struct fast_forward *forward, struct dispatch *dispatch, struct star *star);

#endif
