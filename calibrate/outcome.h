/* The outcome of a calibration in one or two lines. */
#ifndef CALIBRATE_OUTCOME_H
#define CALIBRATE_OUTCOME_H

#include "planner/base/text.h"
#include "planner/model/profile.h"

/* The quality of the setting's fit, and its most uncertain costs: those whose standard error
 * exceeds 3 % of the time of a package of the largest size. Lines end with a newline. */
void outcome_describe(const struct profile_setting *setting, struct text *text);

/* On standard error, line by line, as this command's. */
void outcome_lines(const char *lines);

#endif
