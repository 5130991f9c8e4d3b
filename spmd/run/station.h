/*
 * A worker's working place: packages in, results out, and the memory for one of each, made once.
 * Runs and calibration work at the same one, so that what is measured is what runs.
 */
#ifndef SPMD_RUN_STATION_H
#define SPMD_RUN_STATION_H

#include "kernel/summary.h"
#include "planner/dispatch/dispatch.h"
#include "spmd/run/run.h"
#include "spmd/transport/inbox.h"

struct station {
    const struct run *run; /* borrowed */
    struct inbox *inbox;
    float *results;  /* of one package */
    void *workspace; /* the kernel's */
};

/* Local. False with *failure set: out of memory; release all the same. */
bool station_init(struct station *station, const struct run *run, struct failure *failure);
void station_release(struct station *station);
/* Local. Compute a package taken from the inbox; returns the seconds of it spent inside MPI. */
double station_compute(struct station *station, const struct inbox_package *in);
/* Local. Results computed last, of `package`, into the store and into *summary. */
bool station_output(struct station *station, const struct package *package, struct summary *summary,
                    struct failure *failure);

#endif
