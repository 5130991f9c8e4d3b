/*
 * A whole calibration, from an opened image to a profile.
 */
#ifndef CALIBRATE_CALIBRATION_H
#define CALIBRATE_CALIBRATION_H

#include <stdbool.h>

#include "calibrate/probe.h"
#include "calibrate/sample.h"
#include "kernel/kernel.h"
#include "planner/base/failure.h"
#include "planner/model/profile.h"
#include "spmd/transport/comm.h"

/* What to measure; all borrowed and the same on every rank. */
struct calibration_request {
    const struct kernel *kernel;
    const double *values; /* one for each of the kernel's parameters */
    const char *input;
    const int *blocks; /* edges of a core task, pixels */
    int block_count;
    const char *scratch; /* directory for trial writes */
    struct probe_effort effort;
    int threads;
    bool quiet;
};

/* What the master knows at the end; empty elsewhere. Released by calibration_release. */
struct calibration {
    struct samples samples;
    struct profile profile;
};

/* Collective. Aligns the clocks, probes every block size, fits. */
bool calibration_make(struct calibration *calibration, struct comm *comm,
                      const struct calibration_request *request, struct failure *failure);
void calibration_release(struct calibration *calibration);

#endif
