/*
 * The candidates of a choice of workers (worker_choice.h): each number of workers of every kind is
 * planned for once.
 */
#ifndef PLANNER_STUDIES_WORKER_CANDIDATES_H
#define PLANNER_STUDIES_WORKER_CANDIDATES_H

#include "planner/studies/worker_choice.h"

/* All that a search has. */
struct choosing {
    const struct planning *planning;
    const struct worker_wish *wish;
    struct worker_choice *choice;
    struct worker_wish pass; /* what is looked for at the moment */
    size_t best;             /* of the pass, a candidate; SIZE_MAX: none yet */
    int64_t *counts;         /* owned; room for one candidate's */
    int64_t tries;           /* that are left */
    struct failure refused;  /* why a candidate had no plan */
};

/* Plan for choosing->counts, where that is allowed and has not been done; *better: it is the pass's
 * best one now. */
bool counts_try(struct choosing *choosing, bool *better, struct failure *failure);
/* A plan that starts the workers that it uses and no others. */
struct counts_plan {
    bool made; /* false: there is none, and `refused` may say why */
    struct plan plan;
    struct evaluation evaluation;
    int64_t *used; /* of each kind */
    struct failure refused;
};

/* Plan for some of so many workers of each kind, by the quick way or as the planning says. A plan
 * that does not use what is required, or whose wait is not known, is none. To be released, also
 * where it is not made. */
bool counts_plan(const struct planning *planning, const struct kinds *kinds,
                 const struct waits *waits, const int64_t *counts, bool quick,
                 struct counts_plan *result, struct failure *failure);
void counts_plan_release(struct counts_plan *result);

#endif
