/* Core tasks of different cost, handed out by weight. */
#ifndef PLANNER_DISPATCH_WEIGHTED_H
#define PLANNER_DISPATCH_WEIGHTED_H

#include "planner/dispatch/dispatch.h"
#include "planner/model/work.h"

/* `inner` (owned; freed also when this fails) hands out so many units, which all of `work` (owned
 * likewise) is worth. Its packages of units become packages of as many tasks as these units are
 * worth, in ascending order, from core task `first` of the job on; one that is worth less than the
 * next task is reported done at once. NULL: out of memory. */
struct dispatch *dispatch_new_weighted(struct dispatch *inner, struct work *work, int64_t units,
                                       int64_t first);
/* Of such a dispatch the inner one; of any other, itself. */
const struct dispatch *dispatch_weighted_inner(const struct dispatch *dispatch);

#endif
