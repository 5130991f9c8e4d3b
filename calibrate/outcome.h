/* What a calibration has come to, in a line or two for the person who waited. */
#ifndef CALIBRATE_OUTCOME_H
#define CALIBRATE_OUTCOME_H

#include "planner/base/text.h"
#include "planner/model/profile.h"

/* How good the setting's fit is, and which of its costs are the least sure, as far as that matters:
 * those whose standard error is more than 3 % of what a package of the largest size takes. Lines
 * end with a newline. */
void outcome_describe(const struct profile_setting *setting, struct text *text);

/* On standard error, line by line, as this command's. */
void outcome_lines(const char *lines);

#endif
