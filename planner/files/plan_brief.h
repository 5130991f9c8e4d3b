/* A plan for people to look at: without its rounds and weights where these are too many. */
#ifndef PLANNER_FILES_PLAN_BRIEF_H
#define PLANNER_FILES_PLAN_BRIEF_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/model/plan.h"

/* What a plan lists one by one, in all of its stars and groups. */
struct plan_lists {
    int64_t rounds;  /* that a run has */
    int64_t loads;   /* of the rounds as they are listed */
    int64_t weights; /* regions of core tasks that are alike */
};

struct plan_lists plan_lists(const struct plan *plan);
/* As plan_print, but without those lists. Owned; NULL: out of memory. */
char *plan_print_brief(const struct plan *plan);

#endif
