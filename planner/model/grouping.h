/*
 * Which ranks of a job form groups with a master of their own, and which of these groups are groups
 * of groups: the tree that a plan with children is made for.
 */
#ifndef PLANNER_MODEL_GROUPING_H
#define PLANNER_MODEL_GROUPING_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/model/selection.h"

/* Groups below groups, at most. */
enum { GROUPING_DEEPEST = 16 };

/* A master, and either groups below it or workers. */
struct group {
    int64_t master;       /* its rank; 0: the job's, whose workers are the masters of all groups */
    struct group *groups; /* owned; in the order in which they stand */
    size_t group_count;
    struct plan_selection workers; /* owned; where there are no groups: indices, rank - 1 */
};

/* Groups of neighbours among so many workers, whose numbers differ by one at most; the first one of
 * each is its master. At least two workers for each group. False: out of memory; to be released in
 * any case. */
bool grouping_even(struct group *whole, int64_t workers, int64_t groups);
void grouping_release(struct group *group);
/* Room for one more group below; borrowed until the next. NULL: out of memory. */
struct group *grouping_add(struct group *group);
/* Workers that compute, in all groups below. */
int64_t grouping_workers(const struct group *group);
/* Masters of groups that have workers. */
int64_t grouping_leaves(const struct group *group);
/* The highest rank that stands in it. */
int64_t grouping_highest(const struct group *group);

#endif
