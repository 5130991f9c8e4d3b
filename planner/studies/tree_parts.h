/*
 * What a tree of masters is planned with: its masters, as all see them that are planned below and
 * above them, and the best plan so far. Plans are made by schedulers, group by group (trees.c), or
 * of equal rounds (tree_equal.c).
 */
#ifndef PLANNER_STUDIES_TREE_PARTS_H
#define PLANNER_STUDIES_TREE_PARTS_H

#include <math.h>

#include "planner/base/effort.h"
#include "planner/model/grouping.h"
#include "planner/model/platform.h"
#include "planner/studies/planning.h"

/* A master, as all see it that are planned below and above it. */
struct node {
    const struct group *group;
    struct platform workers; /* owned; of a group with workers: these alone */
    int64_t alike;           /* the first one beside it that has such workers, or itself */
    struct node *below;      /* owned; of one with groups: these */
    int64_t count;
    /* Then its view of them: */
    struct platform_class *classes; /* owned, one a group */
    struct platform_window window;
    struct platform groups;
};

/* What no tree of equal rounds takes less than, where core tasks are alike (equal_least). Levels
 * are those below the top. */
struct tree_least {
    double speed; /* core tasks that all workers do in a second */
    double idle;  /* by what they could do before their first packages come */
    double
        latencies[GROUPING_DEEPEST + 1]; /* and for the latencies of one package each, by levels */
    double share;                        /* of the job that a worker has, at least */
    double ports[GROUPING_DEEPEST +
                 1]; /* of a package for each worker, or group, of a master, at most */
};

struct tree {
    const struct planning *planning;
    const struct platform *whole; /* with what is known of the job's core tasks */
    bool weighed;                 /* by weights, which packages are made by: */
    const struct work *work;      /* of just so many core tasks as the job has */
    struct tree_regions *regions; /* owned; whose the planning is then; NULL: there are none */
    struct effort effort;         /* that is left for it */
    struct node top;
    struct tree_least least;
    /* The best one so far; owned. */
    struct plan best;
    double best_s; /* or what one has to take less than */
};

/* Is its effort used up? But some plan there is to be. */
static inline bool tree_is_spent(const struct tree *tree)
{
    return effort_spent(&tree->effort) && tree->best_s < HUGE_VAL;
}

/* What it assigns to. */
static inline const struct platform *node_platform(const struct node *node)
{
    return node->count > 0 ? &node->groups : &node->workers;
}

/* The plan's places, as the node counts them, as all do. */
void tree_places_name(const struct node *node, struct plan *plan);
/* The plan (owned) is the best one, or is released. */
bool tree_keep(struct tree *tree, struct plan *plan, struct failure *failure);

/* Fill in tree->least. False: out of memory. */
bool tree_least_find(struct tree *tree);
/* Plans of equal rounds, each package of which is assigned in equal rounds below: some numbers of
 * both are tried. */
bool tree_equal_search(struct tree *tree, struct failure *failure);

#endif
