/*
 * Messages about the side effects of a calibration, which really computes core tasks: before and
 * after.
 */
#ifndef CALIBRATE_EFFECTS_H
#define CALIBRATE_EFFECTS_H

#include "calibrate/calibration.h"
#include "calibrate/campaign.h"
#include "planner/base/text.h"
#include "spmd/launch/making.h"

/* Local to the master: print on standard error, before the first core task, how many may be
 * computed; only for core tasks with side effects. */
void effects_announce(const struct calibration_request *request, int64_t tasks, int workers);
/* Local to the master: lines about failed core tasks; for the first one also its command and the
 * first lines of its error output. Nothing if none failed. */
void effects_failed(const struct campaign_outcome *outcome, const struct making *making,
                    struct text *text);
/* Collective: compute nothing; print the first core tasks on the master's standard output, for
 * commands what would be run. */
bool effects_dry_run(struct comm *comm, const struct calibration_request *request,
                     struct failure *failure);

#endif
