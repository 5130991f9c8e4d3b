/*
 * Jobs that need packages of several windows: sizes that add up to the tasks.
 */
#ifndef PLANNER_SCHEDULERS_SEARCH_COVER_H
#define PLANNER_SCHEDULERS_SEARCH_COVER_H

#include "planner/schedulers/search/search.h"

/* Where the search has no incumbent, offer a plan of as few packages as possible, largest first,
 * over all windows. Offers nothing where none exists or more than a few thousand packages are
 * needed. */
void search_cover(struct search *search);

#endif
