/*
 * Core tasks are computed for real when they are calibrated: what people are told of that, before
 * and after.
 */
#ifndef CALIBRATE_EFFECTS_H
#define CALIBRATE_EFFECTS_H

#include "calibrate/calibration.h"
#include "calibrate/campaign.h"
#include "planner/base/text.h"
#include "spmd/launch/making.h"

/* Local to the master: on standard error, before the first one, how many it may be; where they have
 * effects. */
void effects_announce(const struct calibration_request *request, int64_t tasks, int workers);
/* Local to the master: lines about those that failed, the first of them with what was run and how
 * its error output begins. Nothing where none did. */
void effects_failed(const struct campaign_outcome *outcome, const struct making *making,
                    struct text *text);
/* Collective: nothing is computed; on the master's standard output the first ones as they would be:
 * of commands, what would be run. */
bool effects_dry_run(struct comm *comm, const struct calibration_request *request,
                     struct failure *failure);

#endif
