/*
 * A stronger lower bound: prices on the time of port and master (Lagrangian relaxation), under
 * which every worker chooses its packages for itself.
 */
#ifndef PLANNER_SCHEDULERS_BOUNDS_BOUND_PRICED_H
#define PLANNER_SCHEDULERS_BOUNDS_BOUND_PRICED_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/effort.h"
#include "planner/base/failure.h"
#include "planner/model/platform.h"

/* Core tasks per second that the port, and the master, cost at time t of T: price + slope (T - t).
 */
struct prices {
    double port, port_slope, master, master_slope;
};

/* What equal workers, one of them, would choose: `packages` packages, of which number k (from 0)
 * is begun to_go[k] seconds before T. */
enum { CHAIN_MOST = 64 };
struct chain {
    int64_t packages;
    double to_go[CHAIN_MOST];
};

/* Is it one of these platforms? Not where results come back, nor in other operating models than
 * single-port: the bound below does not know them. */
bool bound_priced_applies(const struct platform *platform);
/* Raise *bound_s, a lower bound of the makespan, where a better one is found below `above_s`, the
 * makespan of some plan; the proof is in bound_priced.c. *prices are the best ones found before
 * `effort` (may be NULL: no limit), less what it has taken, is used up. Fails where memory ends. */
bool bound_priced(const struct platform *platform, double tasks, bool real_valued, double above_s,
                  struct effort *effort, double *bound_s, struct prices *prices,
                  struct failure *failure);
/* The greatest *count for which these prices say that no schedule with the platform's first *count
 * workers ends by `makespan_s`; 0: none. Fails where memory ends. */
bool bound_priced_excludes(const struct platform *platform, double tasks, bool real_valued,
                           double makespan_s, const struct prices *prices, int64_t *count,
                           struct failure *failure);
/* The choice of a worker with these costs in a window where envelope + send is `master`. */
void chain_choose(struct cost master, struct cost link, struct cost work, double makespan_s,
                  const struct prices *prices, struct chain *chain);

#endif
