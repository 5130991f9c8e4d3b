/*
 * Several masters side by side with disturbances, with rules on request, tails, or plans that are
 * watched: their stars are simulated at the same time, and core tasks move between them as in a run
 * (dispatch/moves.h). The first master knows of others what they told last, and what masters tell
 * each other takes no time.
 */
#ifndef PLANNER_SIMULATE_STARS_H
#define PLANNER_SIMULATE_STARS_H

#include "planner/dispatch/moves.h"
#include "planner/simulate/decision.h"
#include "planner/simulate/scenario.h"

/* What is simulated; borrowed. */
struct stars_setup {
    const struct platform *platform;  /* of all ranks after rank 0 */
    const struct plan *plan;          /* with stars */
    const struct decision *decisions; /* of each star, for its core tasks, with its workers
                                       * counted from 0; NULL: they follow their plans */
    /* Not with workers that come and go. */
    const struct scenario *scenario;
    /* What decided in that star, when all has ended; NULL: nobody asks. */
    void (*decided)(void *self, int star, const struct dispatch *dispatch);
    void *self;
};

/* Not on platforms that go from event to event (loop_needs_events). `trace` (may be NULL) gets all
 * events, star after star, `moves` what has moved, to be released in any case. */
bool simulate_stars(const struct stars_setup *setup, struct trace *trace, struct moves_list *moves,
                    struct simulation *simulation, struct failure *failure);

#endif
