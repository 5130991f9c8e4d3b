/*
 * A tree of stars: the workers of a star may be masters of stars below. Every master is a star of
 * its own (star.h); for the star above, a group is a worker.
 *
 * Package n for a group begins on the port at max(m_n, port free, start of the group's package
 * n - B). The group starts a package at max(port free, its master has assigned all that came
 * before), and assigns it, while the next one arrives. A package for a group says which core tasks
 * it has, and no more, for each master packs what its own workers compute: it takes the latencies
 * of the send and of the link to the group's master (star_cost_of_group). Below, the packages of
 * the group's own plan follow in its order, as soon as their core tasks are there; one for which
 * only a part is there goes out in pieces (dispatch/stream.h).
 *
 * All times of a package follow from those before it, so that the stars below are simulated when
 * the one above sends, in the same event loop (loop.h), up to what has arrived.
 *
 * After Banino et al.'s trees (de la Torre, section 3.3). A group whose workers are all kept busy
 * makes a T - b core tasks in a period T, with a = sum 1 / rw_j and b = sum RW_j / rw_j: as a
 * worker it takes b / a + x / a for x of them.
 */
#ifndef PLANNER_SIMULATE_TREE_H
#define PLANNER_SIMULATE_TREE_H

#include "planner/simulate/decision.h"
#include "planner/simulate/simulate.h"
#include "planner/simulate/variation.h"

/* As simulate_plan, of a plan with children; core tasks differ as the platform says, wherever in
 * the job they are that a group gets. `variation` (may be
 * NULL): packages that workers compute take what it says, and groups are told of theirs as on the
 * platform that it has drawn; its run has begun. FAILURE_INFEASIBLE: results come back, or the
 * operating model is not single-port. */
bool tree_simulate(const struct platform *platform, const struct plan *plan,
                   const struct variation *variation, struct trace *trace,
                   struct simulation *simulation, struct failure *failure);

/* What is simulated where groups decide by themselves about what they get, or something becomes of
 * their workers; borrowed. Masters above them follow the plan. */
struct tree_setup {
    const struct platform *platform;  /* of all ranks behind rank 0 */
    const struct plan *plan;          /* with children, whole loads */
    const struct decision *decisions; /* of each group whose workers compute (plan_leaf), with its
                                       * workers counted from 0; NULL: they follow their plans */
    /* Of workers that compute, not with workers that come and go. */
    const struct scenario *scenario;
    /* What decided in that group, when all has ended; NULL: nobody asks. */
    void (*decided)(void *self, int group, const struct dispatch *dispatch);
    void *self;
};

/* As tree_simulate, also of what it refuses. */
bool simulate_tree(const struct tree_setup *setup, struct trace *trace,
                   struct simulation *simulation, struct failure *failure);

#endif
