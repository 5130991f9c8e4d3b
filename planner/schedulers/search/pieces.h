/* A plan as its packages in order of sending: what is cut, moved and joined where core tasks
 * differ. */
#ifndef PLANNER_SCHEDULERS_SEARCH_PIECES_H
#define PLANNER_SCHEDULERS_SEARCH_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/model/plan.h"
#include "planner/simulate/star.h"

struct piece {
    int64_t slot; /* of plan->workers */
    int64_t first, count;
    struct star_cost cost; /* where it is known */
    bool priced;
};

/* All zero: none. Each begins where the one before it ends. */
struct pieces {
    struct piece *items; /* owned */
    size_t count, capacity;
};

/* Append so many core tasks for a worker; none are left out. False: out of memory. */
bool pieces_add(struct pieces *pieces, int64_t slot, int64_t count);
/* The packages of a plan with whole loads; to be released. False: out of memory. */
bool pieces_of_plan(struct pieces *pieces, const struct plan *plan);
/* In `plan`, which has workers and no rounds yet: rounds of packages in ascending slots, equal ones
 * that follow each other as one entry. False: out of memory. */
bool pieces_to_rounds(const struct pieces *pieces, struct plan *plan);
void pieces_release(struct pieces *pieces);

#endif
