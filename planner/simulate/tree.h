/*
 * A tree of stars: the workers of a star may be masters of stars below. Every master is a star of
 * its own (star.h); for the star above, a group is a worker:
 *
 *   port    package n for a group begins at max(m_n, port free, start of the group's package n -
 * B); group   starts a package at max(port free, its master has dealt all that came before), takes
 * its receive for it, and then deals it: a package is there as a whole before a part of it goes on
 * (store and forward), and receiving overlaps with dealing; below   the packages of the group's own
 * plan follow in its order, each as soon as all its core tasks are there.
 *
 * All times of a package follow from those before it, so that the stars below are played when the
 * one above sends, in the same event loop (loop.h), up to what has arrived.
 *
 * After Banino et al.'s trees (de la Torre, section 3.3); the derivation is in
 * jobs/guide/method.md.
 */
#ifndef PLANNER_SIMULATE_TREE_H
#define PLANNER_SIMULATE_TREE_H

#include "planner/simulate/simulate.h"

/* As simulate_plan, of a plan with children; core tasks are taken to be alike. FAILURE_INFEASIBLE:
 * results come back, or the operating model is not single-port. */
bool tree_simulate(const struct platform *platform, const struct plan *plan, struct trace *trace,
                   struct simulation *simulation, struct failure *failure);

#endif
