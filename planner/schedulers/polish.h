/*
 * Local improvement of a small plan of whole loads: what rounding has cost is won back by moving a
 * few tasks between packages and by trading places in the activation order.
 */
#ifndef PLANNER_SCHEDULERS_POLISH_H
#define PLANNER_SCHEDULERS_POLISH_H

#include "planner/schedulers/contest.h"

/* Improve the leader until no single move does, or the contest's effort is used up. Plans with more
 * packages than pay are left as they are. */
void contest_polish(struct contest *contest);

#endif
