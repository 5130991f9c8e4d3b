/*
 * Levelling by rehearsal: what no formula knows of a plan, its workers' true ends, decides how much
 * more or less each one's last package should hold.
 */
#ifndef PLANNER_SCHEDULERS_LEVEL_H
#define PLANNER_SCHEDULERS_LEVEL_H

#include "planner/schedulers/contest.h"

/* Offer levelled copies of the leader until they win no more. */
void contest_level(struct contest *contest, const struct lineup *lineup);

#endif
