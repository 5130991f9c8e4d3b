/*
 * Neighbours of a ranking that work in step, as one worker: in every round all of a group are busy
 * for the same time, so that many workers cost a linear program no more than few.
 *
 * With a_j x + A_j the work of member j and u the time that all are busy, x_j = (u - A_j) / a_j.
 * The group's tasks are y = u S - K, S = sum 1 / a_j, K = sum A_j / a_j, so u = (K + y) / S, and
 * what its packages cost, each l_j x_j + L_j, is affine in y, together and each by itself. Equal
 * workers have equal loads.
 */
#ifndef PLANNER_SCHEDULERS_OPTIMAL_GROUPS_H
#define PLANNER_SCHEDULERS_OPTIMAL_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/schedulers/search/ranking.h"

/* What a worker's results take to come back: once for a message, and for each package in it. */
struct returned {
    double once_s;
    struct cost each; /* by a package's core tasks */
};

/* One package of each member is sent one after the other. All costs are by the group's tasks y. */
struct group {
    int64_t first, count;                 /* places of the ranking */
    struct cost work;                     /* of every member */
    struct cost beside;                   /* of the first member's packages */
    struct cost master, link;             /* of all its packages */
    struct cost master_first, link_first; /* of the first member's */
    struct cost link_last;                /* of the last member's */
    struct returned result, result_last;  /* of all members, and of the last one */
    double greatest;                      /* y at which some member has the window's greatest */
    double start_s;                       /* the longest of its members */
};

struct groups {
    const struct ranking *ranking; /* borrowed */
    struct group *items;           /* owned, in the ranking's order */
    int64_t count;
};

/* About `most` groups of as equal sizes as there are; equal workers are not mixed with others as
 * long as that makes no more than twice as many. False: out of memory, nothing to release. */
bool groups_init(struct groups *groups, const struct ranking *ranking, int64_t most);
void groups_release(struct groups *groups);
/* Workers of the first `count` groups. */
int64_t groups_workers(const struct groups *groups, int64_t count);
/* How many groups the first `workers` workers are in. */
int64_t groups_with(const struct groups *groups, int64_t workers);
/* y of `rounds` rounds of the first `count` groups, loads[round * count + group], for their
 * workers: expanded[round * groups_workers(count) + worker], not whole, none below 0. */
void groups_expand(const struct groups *groups, int64_t count, int64_t rounds, const double *loads,
                   double *expanded);

#endif
