/* A ramp of shrinking rounds in place of a plan's last ones. */
#ifndef PLANNER_SCHEDULERS_RAMP_DOWN_H
#define PLANNER_SCHEDULERS_RAMP_DOWN_H

#include "planner/schedulers/contest.h"

/* Offer copies of the leader that end in UMR2's rounds, the largest first, each in place of the
 * leader's last one, two or three rounds. Only where the leader uses the lineup's first workers in
 * the lineup's order. */
void contest_ramp_down(struct contest *contest, const struct lineup *lineup);

#endif
