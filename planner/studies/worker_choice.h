/*
 * Which workers to ask for: so many of each kind that the plan on them is best by an objective,
 * within a deadline and a budget.
 *
 * Candidates are numbers of workers of each kind. Where there are few (WORKER_CHOICE_ALL), all are
 * planned for. Otherwise the first workers in three orders are (least price of a task, fastest,
 * least of the port), the distance between numbers halved around the best one; and from the best of
 * each order on, more and fewer of one kind and exchanges between two, by halved steps, until
 * nothing is better. A lower bound of the makespan excludes candidates; the others are planned by
 * the quickest scheduler, and the best ones again by the asked one.
 */
#ifndef PLANNER_STUDIES_WORKER_CHOICE_H
#define PLANNER_STUDIES_WORKER_CHOICE_H

#include "planner/studies/kinds.h"
#include "planner/studies/planning.h"
#include "planner/studies/worker_wish.h"

/* Numbers up to which all are tried; that are planned for at most by one order, otherwise, those
 * with many workers counting more; and how many of the best are planned again. */
enum { WORKER_CHOICE_ALL = 256, WORKER_CHOICE_TRIES = 64, WORKER_CHOICE_AGAIN = 5 };

/* A number of workers of each kind, and the best plan that is known for it. */
struct worker_candidate {
    int64_t *counts; /* owned */
    struct evaluation evaluation;
    bool made;        /* it has a plan that the wish allows */
    bool again;       /* it has been planned again */
    struct plan plan; /* owned, and `used`, where it has been planned again */
    int64_t *used;    /* workers of each kind that it starts */
};

struct worker_choice {
    struct kinds kinds;                  /* owned */
    struct worker_candidate *candidates; /* owned; of different counts, those without a plan, too */
    size_t count, capacity;
    size_t best;
};

/* The best one of the planning's scheduler and its setting's workers. FAILURE_INFEASIBLE: no plan
 * meets deadline and budget; the sentence names what the nearest one takes or costs. To be
 * released. */
bool worker_choice_make(const struct planning *planning, const struct worker_wish *wish,
                        struct worker_choice *choice, struct failure *failure);
void worker_choice_release(struct worker_choice *choice);
/* Move the best plan to the caller: its workers are numbered among those that it selects, and it
 * names the objective. Fails when out of
 * memory. */
bool worker_choice_take(struct worker_choice *choice, const struct worker_wish *wish,
                        struct plan *plan, struct failure *failure);

#endif
