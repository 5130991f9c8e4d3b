/*
 * Levelling by evaluation: what no formula knows of a plan, its workers' true ends, decides how
 * much more or less each one's last package should hold.
 */
#ifndef PLANNER_SCHEDULERS_SEARCH_LEVEL_H
#define PLANNER_SCHEDULERS_SEARCH_LEVEL_H

#include "planner/schedulers/search/search.h"

/* Offer levelled copies of the incumbent until none is better. */
void search_level(struct search *search, const struct ranking *ranking);

#endif
