/*
 * The search for the best candidate of one scheduler: each is evaluated, and the incumbent, the one
 * with the least makespan so far, becomes the plan.
 */
#ifndef PLANNER_SCHEDULERS_SEARCH_SEARCH_H
#define PLANNER_SCHEDULERS_SEARCH_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/schedulers/search/ranking.h"
#include "planner/schedulers/search/schedule.h"
#include "planner/simulate/evaluate.h"

struct search {
    const struct schedule_request *request;
    struct evaluator *evaluator; /* owned */
    struct plan best;            /* owned; the incumbent */
    double best_s;               /* its makespan, HUGE_VAL before the first */
    int64_t effort_most;         /* packages that may be evaluated in all */
    double effort_kept;          /* of the request's effort, for what comes after this part */
    bool out_of_memory;          /* nothing is offered any more */
};

bool search_init(struct search *search, const struct schedule_request *request,
                 struct failure *failure);
void search_release(struct search *search);

/* A separate search for one part of the candidates, so that local improvement and levelling start
 * from the best candidate of that part, which may be better than the incumbent afterwards. It
 * shares the evaluator and the effort. */
struct search search_fork(const struct search *search);
/* Offer the fork's incumbent as a candidate and release the fork. True: it is the incumbent now. */
bool search_join(struct search *search, struct search *fork);

/* Core tasks of one round. */
double loads_sum(const double *loads, int64_t count);
/* An empty candidate on the first `count` workers of a ranking; its rounds are to be appended. */
void candidate_open(struct search *search, struct plan *candidate, const struct ranking *ranking,
                    int64_t count);
/* Append `repeat` rounds with these loads, one per worker; a round without any load is left out. */
void candidate_round(struct search *search, struct plan *candidate, int64_t repeat,
                     const double *loads);
/* A candidate with the workers and rounds of a plan; owned. */
void candidate_copy(struct search *search, struct plan *candidate, const struct plan *plan);
/* The makespan of a candidate, and when its workers end (may be NULL); it counts as effort. */
double search_evaluate(struct search *search, const struct plan *candidate, double *ends);
/* The same where it is at most `limit_s`, and perhaps HUGE_VAL beyond it (evaluate.h). */
double search_evaluate_below(struct search *search, const struct plan *candidate,
                             const double *work_s, double limit_s);
/* Evaluate the candidate (its contents are taken over or released); true when it is the incumbent
 * now. Rounds without a load are left out. The loads must sum to the tasks (asserted). */
bool search_offer(struct search *search, struct plan *candidate);
/* The same of a candidate whose makespan is known. */
bool search_take(struct search *search, struct plan *candidate, double makespan_s);
/* Limit the effort from here on to this share of the usual effort, so that one window or order
 * leaves enough to the next ones. A search begins with all of it. */
void search_allot(struct search *search, double share);
/* Call `visit` for each window of the platform, each view and each of `orders` (a set of 1 << enum
 * ranking_order), with an equal part of the effort that is left. Orders that put the workers into
 * the same sequence are one; if `visit` returns true, the other orders of that view give nothing
 * new and are left out. */
void search_visit(struct search *search, unsigned orders,
                  bool (*visit)(struct search *search, struct ranking *ranking, void *context),
                  void *context);
/* Whether the effort that candidates may cost, here or in the whole request, is used up. */
bool search_exhausted(const struct search *search);
/* Turn the incumbent into a plan, with its prediction. Fails with
 * FAILURE_INFEASIBLE and `reason` when there is none. Releases the search in any case. */
bool search_finish(struct search *search, const char *reason, struct plan *plan,
                   struct failure *failure);

#endif
