/*
 * Schedulers plan as if all core tasks were alike; where they differ, what they plan are units of
 * work. Cutting turns a plan in units into one of whole core tasks: package k gets the tasks
 * [c_k, c_(k+1)), where c_k is the place from c_(k-1) on before which the units are nearest to the
 * loads before it; of two such places the smaller. So the errors of cuts do not add up: a package
 * is off by at most half a core task at either end.
 */
#ifndef PLANNER_SCHEDULERS_SEARCH_CUT_H
#define PLANNER_SCHEDULERS_SEARCH_CUT_H

#include "planner/base/effort.h"
#include "planner/base/failure.h"
#include "planner/model/plan.h"
#include "planner/model/platform.h"

/* Plans of more packages than this are not cut: with that many, workers get parts of all regions
 * anyhow. */
enum { CUT_PACKAGES_MOST = 100000 };

/* In `cut`, of which only workers, rounds and tasks are set (to be released), what `units`, a plan
 * with whole loads, is for the platform's work. Packages that are worth less than the next task are
 * left out; those that are too large for every window are divided, those that are too small are
 * joined with the next. *possible: each package of `cut` is in a window; else it is empty. False:
 * out of memory. */
bool packages_cut(const struct platform *platform, const struct plan *units, struct plan *cut,
                  bool *possible, struct failure *failure);
/* Move single core tasks, neighbouring ones and whole packages between workers as long as the
 * makespan of the simulation with the platform's work becomes less. False: out of memory. */
bool packages_improve(const struct platform *platform, struct plan *plan, struct effort *effort,
                      struct failure *failure);

#endif
