/*
 * Several masters side by side with disturbances: their stars are played at the same time, and core
 * tasks move between them as in a run (dispatch/moves.h). What masters tell each other takes no
 * time.
 */
#ifndef PLANNER_SIMULATE_STARS_H
#define PLANNER_SIMULATE_STARS_H

#include "planner/dispatch/moves.h"
#include "planner/simulate/scenario.h"

/* Of a plan with stars. Not with workers that come and go, and on platforms that go from event to
 * event (loop_needs_events). `moves` gets what has moved, to be released in any case. */
bool simulate_stars(const struct platform *platform, const struct plan *plan,
                    const struct scenario *scenario, struct moves_list *moves,
                    struct simulation *simulation, struct failure *failure);

#endif
