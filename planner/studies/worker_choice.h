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

#include "planner/model/objective.h"
#include "planner/model/waits.h"
#include "planner/studies/kinds.h"
#include "planner/studies/planning.h"

/* Numbers up to which all are tried; that are planned for at most by one order, otherwise, those
 * with many workers counting more; and how many of the best are planned again. */
enum { WORKER_CHOICE_ALL = 256, WORKER_CHOICE_TRIES = 64, WORKER_CHOICE_AGAIN = 5 };

struct worker_wish {
    const struct objective *objective;
    struct kinds_wish kinds;
    double deadline_s; /* of the makespan or, where waits are known, from submission on; 0: none */
    double budget;     /* of the charge; negative: none */
    const struct waits *waits; /* borrowed; NULL: not known */
    double within; /* relative distance from the best value within which values count as equal; 0:
                    * SCHEDULE_WITHIN */
    bool front;    /* look for all compromises between makespan and charge, too (pareto.h) */
    int all_most;  /* in place of WORKER_CHOICE_ALL; 0: that */
};

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

/* By deadline and budget, and where both or none meet them by the objective. */
bool worker_choice_better(const struct worker_wish *wish, const struct evaluation *a,
                          const struct evaluation *b);
/* By how much deadline and budget are exceeded, relative; 0: they are met. */
double worker_choice_excess(const struct worker_wish *wish, const struct evaluation *evaluation);
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
