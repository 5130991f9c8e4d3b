/*
 * Levelling by evaluation: the workers' evaluated ends, which no formula gives, decide how much
 * larger or smaller each worker's last package should be.
 */
#ifndef PLANNER_SCHEDULERS_SEARCH_LEVEL_H
#define PLANNER_SCHEDULERS_SEARCH_LEVEL_H

#include "planner/schedulers/search/search.h"

/* Offer levelled copies of the incumbent until none is better. */
void search_level(struct search *search, const struct ranking *ranking);

#endif
