/*
 * What taking the next number from a counter that all ranks share takes (link_counter_add), while
 * the rank that has it waits: what workers do in place of asking the master (run --dca).
 */
#ifndef SPMD_TRANSPORT_FETCH_H
#define SPMD_TRANSPORT_FETCH_H

#include "planner/base/failure.h"
#include "spmd/transport/comm.h"

/* Pure. Which rank has turn number `turn`, of those other than 0, evenly; negative: none. */
int fetch_turn(int ranks, int turn);
/* Collective, waits. One rank after the other, of very many some: each one's median, seconds. The
 * master's `found` has as many as there are ranks; 0: not known, as its own. False with *failure
 * set, on all ranks: this link has no counter. */
bool fetch_probe(const struct comm *comm, double *found, struct failure *failure);

#endif
