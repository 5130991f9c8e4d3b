/*
 * Probe runs: short packages through the very transport, kernel and store that a run uses, timed
 * operation by operation.
 *
 * The link of an idle worker, and what receiving costs it, are measured one worker at a time;
 * computing and output on all workers at once, because that is how a run loads a node.
 */
#ifndef CALIBRATE_PROBE_H
#define CALIBRATE_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "calibrate/sample.h"
#include "planner/base/failure.h"
#include "spmd/input/input.h"
#include "spmd/job/job.h"
#include "spmd/transport/comm.h"

/* How thoroughly. */
struct probe_effort {
    int places;       /* of the job at which every package size is probed */
    int blocks;       /* timings at each place */
    int growth;       /* factor from one package size to the next */
    double longest_s; /* no larger packages once one takes this long */
    double block_s;   /* the least length of one timing */
};

extern const struct probe_effort probe_quick, probe_thorough;

/* What every rank holds; all borrowed. */
struct probe_setup {
    const struct comm *comm;
    const struct job *job;
    struct input *input; /* the master's; with a staged job, every rank's */
    int setting;         /* which of the calibration's, for the samples */
    struct probe_effort effort;
    int threads;
    const char *scratch; /* name of a file to write to and remove, which must not exist */
};

/* Local to the master, the workers being in probe_serve: probe package sizes from 1 up to the whole
 * job or the effort's limit. The samples are added; *largest is the largest size probed. */
bool probe_lead(const struct probe_setup *setup, struct samples *samples, int64_t *largest,
                struct failure *failure);
/* Local to the master: no more probes, workers leave probe_serve. */
void probe_end(const struct probe_setup *setup);
/* Local to a worker: answer the master's probes until it ends them. */
bool probe_serve(const struct probe_setup *setup, struct failure *failure);

#endif
