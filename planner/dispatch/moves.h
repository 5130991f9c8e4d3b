/*
 * Several masters side by side: when core tasks move from one star to another, which stars, and how
 * many. The first master of a run decides so, and the simulation.
 *
 * A star that has handed out everything, with a worker that has nothing to do, gets half of what
 * the star that needs longest has not handed out. It may ask again: what is left halves each time,
 * so that nobody has to know how fast stars are. One whose workers are all lost gives everything.
 *
 * Half is half of the work, where it is known what core tasks are worth, and a star needs as long
 * as it took for as much work as it has left.
 */
#ifndef PLANNER_DISPATCH_MOVES_H
#define PLANNER_DISPATCH_MOVES_H

#include "planner/base/text.h"
#include "planner/dispatch/dispatch.h"

/* So often by the run's time, seconds, another master tells the first one how far its star is; and
 * at once what others may wait for. */
#define MOVES_TELL_S 0.25

/* A star that needs less than such a share of the run's time from now on gives nothing. */
#define MOVES_WORTH 0.02

/* What is known of a star. */
struct moves_star {
    struct dispatch_share share;
    bool moving; /* something moves from it or to it */
};

struct moves_pair {
    int from, to; /* stars, from 0 */
};

/* When another master tells next how far its star is, if there is no news before. */
double moves_tell_next_s(double now_s);
/* Does a star's share say what others may wait for, and what was told of it does not? */
bool moves_is_news(const struct dispatch_share *share, const struct dispatch_share *told);
/* The next move, when the run has gone on for so long. False: none is of use. */
bool moves_find(const struct moves_star *stars, int count, double now_s, struct moves_pair *pair);
/* Of the work that such a star has left, so much goes. */
double moves_half(const struct dispatch_share *share);
/* Has every star done what it had, and is nothing on its way? */
bool moves_are_over(const struct moves_star *stars, int count);
/* Does no worker live that could do what is left? */
bool moves_are_vain(const struct moves_star *stars, int count);

/* Core tasks that have moved. */
struct moves_made {
    double at_s;
    int64_t from, to; /* ranks of masters */
    int64_t tasks;
};

struct moves_list {
    struct moves_made *items; /* owned */
    size_t count, capacity;
};

/* False: out of memory. */
bool moves_list_add(struct moves_list *list, const struct moves_made *made);
void moves_list_release(struct moves_list *list);
/* One line, where there are any; and they as a JSON array, or nothing. */
void moves_tell(const struct moves_list *list, struct text *text);
void moves_json(const struct moves_list *list, struct text *text);

#endif
