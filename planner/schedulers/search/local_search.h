/*
 * Local improvement of a small plan of whole loads: what rounding has cost is won back by moving a
 * few tasks between packages and by exchanging workers in the activation order.
 */
#ifndef PLANNER_SCHEDULERS_SEARCH_LOCAL_SEARCH_H
#define PLANNER_SCHEDULERS_SEARCH_LOCAL_SEARCH_H

#include "planner/schedulers/search/search.h"

/* Improve the incumbent until no single move does, or the search's effort is used up. Plans with
 * more packages than pay are left as they are. */
void search_improve(struct search *search);

#endif
