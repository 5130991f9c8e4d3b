/* Who leads whom in a part of a run: one master, several side by side, or a tree of them; and plans
 * for them. How they look is a matter of chance. */
#ifndef TESTS_FAULTS_STARS_H
#define TESTS_FAULTS_STARS_H

#include "planner/model/order.h"
#include "tests/faults/world.h"

struct stars {
    int ranks;               /* of the part */
    int count;               /* of masters; 1: there is one */
    int masters[RANKS_MOST]; /* their ranks, ascending; behind each stand its workers */
    bool tree;               /* the others are masters of groups, below the first one */
    int parents[RANKS_MOST]; /* of a tree: the number of the master above each */
};

/* For so many core tasks; `trees`: it may be a tree. */
void stars_draw(struct stars *stars, int ranks, int64_t tasks, bool trees);
/* The rank behind the last one of that master's; in a tree of all that are below it. */
int stars_end(const struct stars *stars, int number);
/* Are that master's workers masters of groups? */
bool stars_heads(const struct stars *stars, int number);

struct stars_job {
    const char *kernel;
    const struct order *order;
    bool behind;
    int64_t tasks, largest; /* in all, of a package */
    int buffers;
};

/* JSON text; owned. */
char *stars_plan(const struct stars *stars, const struct stars_job *job);
void stars_say(const struct stars *stars);

#endif
