/*
 * A whole calibration, from a core task and an input to a profile.
 */
#ifndef CALIBRATE_CALIBRATION_H
#define CALIBRATE_CALIBRATION_H

#include <stdbool.h>

#include "calibrate/campaign.h"
#include "calibrate/fit/sample.h"
#include "calibrate/settings.h"
#include "planner/base/failure.h"
#include "planner/model/profile.h"
#include "spmd/job/kernel.h"
#include "spmd/launch/oversubscription.h"
#include "spmd/transport/comm.h"
#include "spmd/transport/liveness.h"

/* What to measure; all borrowed and the same on every rank. */
struct calibration_request {
    const struct kernel *kernel;
    const struct setting *settings; /* what is measured, one profile setting for each */
    int setting_count;
    /* Parameters that are written into each setting, not into the profile as a whole. */
    const char *const *own;
    int own_count;
    const char *input;                  /* NULL: none */
    const char *scratch;                /* directory for trial writes */
    const struct task_weights *weights; /* the master's: of the input's core tasks; NULL: unknown */
    bool weigh;                         /* in place of them: the core task's own */
    struct campaign_effort effort;      /* budget_s: for all settings */
    uint64_t seed;                      /* of places and orders */
    int threads;                        /* of a rank, where a setting does not say */
    /* Where output makes workers wait, the best setting is measured with results written while
     * workers compute, too; no setting says so by itself. */
    bool write_behind_auto;
    /* Where core tasks differ from place to place, the best setting is measured in the order, too,
     * in which its packages would be alike; no setting has an order of its own. */
    bool order_auto;
    bool counter;         /* what taking a number by a shared counter takes (run --dca) */
    bool levels;          /* of a search in levels: try a sample of each, with the best setting */
    bool master_computes; /* find out what a core task takes the master that feeds workers */
    bool quiet;
    struct liveness *liveness; /* by which ranks look after each other; NULL: they do not */
    double patience_s;         /* with it: no worker is lost that has been silent for less */
};

/* What the master knows at the end; empty elsewhere. Released by calibration_release. */
struct calibration {
    struct samples samples;
    struct profile profile;
    int best; /* the setting that a plan for this input would take */
    struct oversubscription oversubscription;
    int warned_threads; /* threads of a worker when oversubscription was reported; 0: not
                         */
    char *failures;     /* owned; lines about core tasks that failed; NULL: none did */
};

/* Collective. Aligns the clocks, probes every setting, fits. */
bool calibration_make(struct calibration *calibration, struct comm *comm,
                      const struct calibration_request *request, struct failure *failure);
void calibration_release(struct calibration *calibration);

#endif
