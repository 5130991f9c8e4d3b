/*
 * Ranks that cannot do without each other: before a run's output is there, and while a calibration
 * measures, they wait for each other in collective calls, and one that is gone would be waited for
 * for ever. So master and workers tell each other every second that they live; who hears nothing
 * for too long, or sees that a process is gone, says so, and all leave.
 */
#ifndef SPMD_RUN_FAILURE_DETECTOR_H
#define SPMD_RUN_FAILURE_DETECTOR_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "spmd/transport/comm.h"
#include "spmd/transport/wire.h"

/* Borrowed, texts for sentences. */
struct failure_detector_setup {
    struct comm *comm;   /* calls it from failure_detector_begin to failure_detector_end */
    const char *program; /* "scow run" */
    const char *path;    /* the output's */
    const char *state;   /* of the work: "there is no package yet" */
    double most_s;       /* silence that is borne */
};

/* Called before all leave: removes what would be left behind. */
struct failure_detector_leaving {
    void (*call)(void *self); /* NULL: there is nothing */
    void *self;
};

struct failure_detector {
    struct comm_watch base;
    struct failure_detector_setup setup;
    struct comm *comm; /* the setup's; NULL: over */
    struct failure_detector_leaving leaving;
    double most_s; /* silence that is borne by now */
    struct process self;
    double *heard_s; /* owned; by rank: the workers' for the master, the master's for them */
    struct process *processes; /* owned; by rank, of those that this one has heard of */
    double told_s, looked_s;
    struct wire_present word; /* being received */
    struct link_request listening;
    int here; /* ranks that have said their last word */
};

/* Collective. Whoever is silent for `most_s`, from the beginning of this call on, in collective
 * calls and between two of them, ends the command with FAILURE_STOPPED on all ranks. False with
 * *failure set: out of memory, on all ranks. */
bool failure_detector_begin(struct failure_detector *detector,
                            const struct failure_detector_setup *setup, struct failure *failure);
/* Local. From here on this rank bears silence of so long; 0: of as long as in the beginning. */
void failure_detector_patience(struct failure_detector *detector, double most_s);
/* Collective, also where failure_detector_begin has failed, or nothing has begun (zero), or it is
 * over. */
void failure_detector_end(struct failure_detector *detector);

#endif
