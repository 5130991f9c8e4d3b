/*
 * Several masters among themselves: what they hear and tell (masters.c), what moves between their
 * stars (masters_moves.c), and what stars came to (masters_came.c). Nobody else includes this.
 */
#ifndef SPMD_MASTER_MASTERS_PARTS_H
#define SPMD_MASTER_MASTERS_PARTS_H

#include "spmd/master/masters.h"
#include "spmd/transport/bundle.h"

static inline int masters_count(const struct masters *masters)
{
    return masters->count;
}

/* The rank of that master. */
static inline int masters_rank(const struct masters *masters, int number)
{
    return masters->ranks[number];
}

/* ---- what moves (masters_moves.c) ----------------------------------------------------------- */

/* The first one's: lets move what is of use. Nothing, once all shall end. */
void masters_move(struct masters *masters, const struct masters_own *own);
/* Another one's: carries out what it is told. */
void masters_obey(struct masters *masters);
/* Another one's: ready for the next order. */
void masters_obey_next(struct masters *masters);
/* What its star has left; of one that has ended, or not begun, nothing. */
struct dispatch_share masters_share(const struct masters *masters);
/* The first one's: what has moved, as lines and as an array of JSON after what is told already. */
void masters_moves_tell(struct masters *masters, double origin_s, struct run_outcome *outcome);

/* ---- what a star came to (masters_came.c) --------------------------------------------------- */

void masters_came_put(struct bundle *bundle, const struct run *run,
                      const struct run_outcome *outcome, const struct failure *failure);
/* The first one's: adds what all stars came to. */
void masters_came_add(struct masters *masters, const struct run *run, struct run_outcome *outcome,
                      struct failure *failure);

#endif
