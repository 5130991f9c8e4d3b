/*
 * Several masters side by side, where one cannot feed all workers: the ranks of a job in as many
 * groups of neighbours, each a star whose first rank is its master, with a part of the core tasks.
 *
 * One master feeds lambda workers (feeding.h), so that about P / (lambda + 1) of P ranks are best
 * as masters: with more, workers are missing, with fewer, they wait. A rank that is a master
 * computes nothing. Every master must be able to read its part of the input by itself.
 */
#ifndef PLANNER_STUDIES_MASTERS_H
#define PLANNER_STUDIES_MASTERS_H

#include "planner/studies/planning.h"

/* What is said in place of a number: the one with the least makespan, one master included. */
enum { MASTERS_AUTO = -1, MASTERS_MOST = 1024 };
#define MASTERS_TOO_MANY "--masters is at most %d, or auto: give fewer"
/* What several masters must save of the makespan, relative, to be preferred to one. */
#define MASTERS_GAIN 0.02

/* A complete plan with so many masters, or as many as are best; to be released. The parts of the
 * core tasks are such that all stars end together. FAILURE_USAGE: there are too few ranks;
 * FAILURE_INFEASIBLE: some star has no plan. */
bool masters_make(const struct planning *planning, int64_t masters, struct plan *plan,
                  struct failure *failure);
/* How many masters would take the least time, by plans of SCHEDULER_QUICK, where `plan` has one;
 * *makespan_s is that time. *masters is 1 where others save less than MASTERS_GAIN. */
bool masters_find(const struct planning *planning, const struct plan *plan, int64_t *masters,
                  double *makespan_s, struct failure *failure);
/* The same of so many masters, or as many as there are ranks and core tasks for, whatever they
 * save; MASTERS_AUTO: as masters_find. One master takes `one_s`. */
bool masters_quick(const struct planning *planning, int64_t wanted, double one_s, int64_t *masters,
                   double *makespan_s, struct failure *failure);

#endif
