/* How much of the end of a plan of several masters is better assigned on request: of every star's
 * part the same share, by simulations of all stars together, as tail.h does for one master. What
 * moves between stars in a run makes up for a part of what a tail does. */
#ifndef PLANNER_STUDIES_STARS_TAIL_H
#define PLANNER_STUDIES_STARS_TAIL_H

#include "planner/studies/planning.h"

struct stars_tail {
    double share; /* of the core tasks; 0: none */
    double gain;  /* by how much it shortens the mean makespan where packages differ, relative */
};

/* Of a plan with stars, whole loads and no tail. Where core tasks are equal, it costs at most 1 %
 * if no package differs. Fails as watching_init does. */
bool stars_tail_find(const struct planning *planning, const struct plan *plan, const char *rule,
                     struct stars_tail *found, struct failure *failure);
/* About how many packages are simulated for that. */
double stars_tail_effort(const struct plan *plan, int64_t workers);

#endif
