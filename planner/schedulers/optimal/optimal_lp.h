/*
 * The linear program of a fixed sequence of packages: all loads of `rounds` rounds over the first
 * `count` workers of a ranking, or of any other sequence of these workers; least makespan under the
 * event semantics of simulate/star.h.
 *
 * Every time is a maximum of sums of earlier times, loads and latencies, and the makespan grows
 * with each of them; so "not before" constraints and a minimised makespan give exactly the earliest
 * times. Port times are variables of their own, each tied to its predecessor, so that the program
 * stays sparse: about four rows and twelve numbers a package, however many packages there are.
 *
 * Where results come back over a port of their own, they do so in the order of sending, those at
 * the end in that of the workers' last packages: R_k >= C_k + q_k, R_k >= R_(k-1) + q_k. A run
 * serves them as they are ready, so that the value is an estimate then.
 *
 * A group of workers (groups.h) has one package in the program, whose members are sent one after
 * the other. Where they are equal, everything that happens to them is a maximum of terms linear in
 * their place, which nowhere exceeds the line between its values at the first and at the last one:
 * so it suffices to hold these two, and the value is an upper bound for loads as the group has
 * them. Where they are not, it is an estimate.
 */
#ifndef PLANNER_SCHEDULERS_OPTIMAL_OPTIMAL_LP_H
#define PLANNER_SCHEDULERS_OPTIMAL_OPTIMAL_LP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/effort.h"
#include "planner/schedulers/optimal/groups.h"
#include "planner/schedulers/search/ranking.h"

/* The final basis of a program, from which similar programs are solved in few steps; starts as
 * zeros. */
struct optimal_basis {
    unsigned char *states; /* owned; of columns and rows, package by package; NULL: none */
    size_t size;
};

static inline void optimal_basis_release(struct optimal_basis *basis)
{
    free(basis->states);
    *basis = (struct optimal_basis){NULL, 0};
}

/* Replace *to. False: out of memory, *to unchanged. */
static inline bool optimal_basis_copy(struct optimal_basis *to, const struct optimal_basis *from)
{
    unsigned char *states = malloc(from->size);
    if (states == NULL)
        return false;
    memcpy(states, from->states, from->size);
    free(to->states);
    *to = (struct optimal_basis){states, from->size};
    return true;
}

struct optimal_lp {
    const struct ranking *ranking;
    const struct groups
        *groups;           /* borrowed; of the ranking, in place of its workers; may be NULL */
    int64_t count, rounds; /* workers, or groups */
    int buffers;           /* B */
    double tasks;
    const int64_t *places; /* borrowed; the worker of each of `packages` packages in place of
                            * `rounds` rounds; NULL: rounds */
    int64_t packages;
    const struct optimal_basis *from; /* borrowed; where to begin; may be NULL or empty */
    const int64_t *like; /* borrowed; with `from`: for each package its counterpart in that program,
                          * -1: none */
    struct optimal_basis *to; /* borrowed; receives the final basis; may be NULL, not `from` */
    struct effort *effort;    /* borrowed; less what it has taken; may be NULL */
};

int64_t optimal_lp_packages(const struct optimal_lp *lp);

/* Does this build have the solver, and is it installed? Otherwise no program can be solved. */
bool optimal_lp_available(void);
/* loads[round * count + worker], or one for each of the packages in turn, core tasks, not whole;
 * *makespan_s is the program's value, without groups a lower bound for all plans with these
 * packages in this order. False: no solution within the effort, or memory ended, which sets
 * *out_of_memory (left alone otherwise). */
bool optimal_lp_solve(const struct optimal_lp *lp, double *loads, double *makespan_s,
                      bool *out_of_memory);

#endif
