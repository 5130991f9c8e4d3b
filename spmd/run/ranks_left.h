/*
 * The ranks of a program that runs one run after the other, over losses: those that are lost in one
 * take no part in the next, whose ranks count anew from 0 on. Rank 0 is never lost: it is the
 * master.
 */
#ifndef SPMD_RUN_RANKS_LEFT_H
#define SPMD_RUN_RANKS_LEFT_H

#include "planner/model/plan.h"
#include "planner/model/profile.h"
#include "spmd/protocol/run.h"
#include "spmd/transport/comm.h"

struct ranks_left {
    struct comm *comm;        /* those that take part; borrowed, or the same as `made` */
    struct comm *made;        /* owned; NULL: all that there were */
    int *ranks;               /* owned; which each of them was in the beginning; NULL: the same */
    struct process_list lost; /* owned */
};

/* Local. All are there; to be ended. */
void ranks_left_begin(struct ranks_left *left, struct comm *comm);
/* Local. Is there a worker without those that are lost in that run? */
bool ranks_left_suffice(const struct ranks_left *left, const struct run_outcome *outcome);
/* Collective among the others; waits. Who is lost takes no part any more. Out of memory is fatal.
 */
void ranks_left_go_on(struct ranks_left *left, struct run_outcome *outcome);
/* Local. Which of the profile's workers they are by that plan, which was made for all; to be
 * released (selection.h); no runs: as the plan says. False: out of memory. */
bool ranks_left_select(const struct ranks_left *left, const struct plan *plan,
                       const struct profile *profile, struct plan_selection *selection);
/* Local. Of all runs together: are ranks lost, and which? */
void ranks_left_end(struct ranks_left *left, struct run_outcome *outcome);

#endif
