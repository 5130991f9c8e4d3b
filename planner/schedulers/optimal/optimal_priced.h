/* Plans from the prices of the lower bound. */
#ifndef PLANNER_SCHEDULERS_OPTIMAL_OPTIMAL_PRICED_H
#define PLANNER_SCHEDULERS_OPTIMAL_OPTIMAL_PRICED_H

#include "planner/schedulers/bounds/bound_priced.h"
#include "planner/schedulers/search/search.h"

/* Offer plans in which every worker has the packages that it would choose at these prices if the
 * job were to end at `makespan_s`, sent in the order in which they would be needed, with the loads
 * of a linear program over that sequence; and neighbours of that sequence, as long as they are
 * better. `effort`, the sum of squared packages of the programs, is spent at most; what is left is
 * returned. */
double optimal_priced(struct search *search, const struct ranking *ranking,
                      const struct prices *prices, double makespan_s, double effort);

#endif
