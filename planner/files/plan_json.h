/* A plan as JSON text ("scow-plan-1"), and all that is known of its fields: copies, equality. */
#ifndef PLANNER_FILES_PLAN_JSON_H
#define PLANNER_FILES_PLAN_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "planner/base/failure.h"
#include "planner/model/plan.h"

/* As profile_parse. Checks that the loads sum to the tasks. Refuses several masters
 * with FAILURE_MISMATCH, so that only who can handle them gets such a plan. */
bool plan_parse(struct plan *plan, const char *text, size_t length, const char *name,
                struct failure *failure);
/* The same, several masters allowed, side by side or in a tree. */
bool plan_parse_any(struct plan *plan, const char *text, size_t length, const char *name,
                    struct failure *failure);
/* As profile_print. */
char *plan_print(const struct plan *plan);
/* As profile_copy. */
bool plan_copy(struct plan *to, const struct plan *from);
/* Do both say the same, to the last bit? */
bool plan_equal(const struct plan *a, const struct plan *b);

#endif
