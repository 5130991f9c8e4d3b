/*
 * Jobs that no window holds alone: packages of several windows that add up to the tasks.
 */
#ifndef PLANNER_SCHEDULERS_COVER_H
#define PLANNER_SCHEDULERS_COVER_H

#include "planner/schedulers/contest.h"

/* Where the contest has no leader, offer a plan of as few packages as possible, largest first, over
 * all windows. Offers nothing where none exists or more than a few thousand packages are needed. */
void contest_cover(struct contest *contest);

#endif
