/*
 * A tree of masters: the ranks of a job in groups, one rank of each a master that assigns what it
 * gets to the others, and rank 0 the master of these. Which ranks form groups, and groups of
 * groups, is given, or they are groups of neighbours whose first ranks are the masters.
 *
 * A group whose workers are all kept busy makes a T - b core tasks in a period T, with a = sum 1 /
 * rw_j and b = sum RW_j / rw_j (de la Torre, Theorem 12): for rank 0 it is a worker that takes b /
 * a + x / a for x of them, or what its own master's port needs for them where that is more. Groups
 * are planned for as such workers, those of groups below groups from the bottom up, and each
 * group's own plan is for what it gets; or all have equal rounds, each package of which is assigned
 * in equal rounds. Which is chosen by simulating the whole tree (simulate/tree.h), for what the
 * equivalents leave out, packages that are assigned only when they are there, decides.
 *
 * A tree has as many ranks less that compute. It pays where packages for all would be little but
 * latency on the one port; where the rate of its port is the limit, several masters side by side do
 * (masters.h).
 */
#ifndef PLANNER_STUDIES_TREES_H
#define PLANNER_STUDIES_TREES_H

#include "planner/model/grouping.h"
#include "planner/studies/planning.h"

/* What is said in place of a number: the one with the least makespan, none included. */
enum { TREE_AUTO = -1 };
/* What a tree must save of the makespan, relative, to be preferred to one master for all. */
#define TREE_GAIN 0.02

/* A complete plan of so many groups, or of as many as are best, among 2, 4, 8, ..., or of one
 * master; to be released. FAILURE_USAGE: there are too few ranks or core tasks, or trees are not
 * for this profile; FAILURE_INFEASIBLE: there is no plan. */
bool trees_make(const struct planning *planning, int64_t groups, struct plan *plan,
                struct failure *failure);
/* The same of so many groups, as trees_find has found; FAILURE_INFEASIBLE also where no plan takes
 * less than `than_s`. */
bool trees_make_less(const struct planning *planning, int64_t groups, double than_s,
                     struct plan *plan, struct failure *failure);
/* The same of these groups, as `name` has them. FAILURE_MISMATCH: there are too few ranks. */
bool trees_make_of(const struct planning *planning, const struct group *grouping, const char *name,
                   struct plan *plan, struct failure *failure);
/* How many groups would take the least time, by equal rounds, if that is less than `than_s`;
 * *makespan_s is that time. *groups is 0 where no tree does. */
bool trees_find(const struct planning *planning, double than_s, int64_t *groups, double *makespan_s,
                struct failure *failure);

#endif
