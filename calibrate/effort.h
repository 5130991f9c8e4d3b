/*
 * The effort of a calibration, from the command line.
 */
#ifndef CALIBRATE_EFFORT_H
#define CALIBRATE_EFFORT_H

#include "calibrate/campaign.h"

/* Of a quick calibration, or a usual one. `budget` is how long it may take: "30", "30s", "5m",
 * "1h"; NULL: 30 s, and more where packages take too long for that, or 4 s for a quick one.
 * *effort is filled in any case. False: FAILURE_USAGE. */
bool effort_read(struct campaign_effort *effort, bool quick, const char *budget,
                 struct failure *failure);

#endif
