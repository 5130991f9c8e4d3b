/* A plan as the event loop's source (loop.h). */
#ifndef PLANNER_SIMULATE_PLAN_SOURCE_H
#define PLANNER_SIMULATE_PLAN_SOURCE_H

#include <stddef.h>

#include "planner/model/plan_cursor.h"
#include "planner/simulate/loop.h"

struct plan_source {
    const struct platform *platform;
    bool groups; /* workers are masters of groups, which are told of packages of any size */
    struct plan_cursor cursor;
    const double *loads;     /* of the round entry whose costs are filled in */
    struct star_cost *costs; /* owned; of that, per slot */
    struct star_cost mapped; /* the package's at hand, where core tasks differ along the job */
    struct own_share own;    /* what the master computes itself */
    size_t *lasts; /* owned; where results come back at the end: each slot's last entry with a
                    * package; NULL: nobody asks */
};

/* To be released in any case. False: out of memory. */
bool plan_source_init(struct plan_source *source, const struct platform *platform,
                      const struct plan *plan);
void plan_source_release(struct plan_source *source);
/* loop_source's. */
enum loop_answer plan_source_next(void *self, struct loop *loop, struct loop_package *package,
                                  struct failure *failure);
/* Where the plan leaves core tasks to the master. */
bool plan_source_computes(void *self, double at_s, double until_s, struct own_span *span);
/* Are all workers of the plan on the platform? */
bool plan_source_check(const struct platform *platform, const struct plan *plan,
                       struct failure *failure);
/* A load lies in no window. Returns false. */
bool plan_source_refuse(const struct plan *plan, int64_t slot, double load,
                        struct failure *failure);

#endif
