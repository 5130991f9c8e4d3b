/* A ramp of shrinking rounds in place of a plan's last ones. */
#ifndef PLANNER_SCHEDULERS_ROUNDS_RAMP_DOWN_H
#define PLANNER_SCHEDULERS_ROUNDS_RAMP_DOWN_H

#include "planner/schedulers/search/search.h"

/* Offer copies of the incumbent that end in UMR2's rounds, the largest first, each in place of the
 * incumbent's last one, two or three rounds. Only where the incumbent uses the ranking's first
 * workers in the ranking's order. */
void search_ramp_down(struct search *search, const struct ranking *ranking);

#endif
