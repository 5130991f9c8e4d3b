/*
 * Groups of ranks as a text, for plans of a tree: a line for each group. Its first rank is the
 * master, which assigns what it gets to the others:
 *
 *     1-8
 *     9-16
 *
 * A line that stands further to the right belongs to the line above it that does not: groups of
 * groups, whose own line has the master alone:
 *
 *     1
 *       2-8
 *       9-16
 *     17
 *       18-24
 *       25-32
 *
 * Ranks are numbers (3), ranges (3-8) and names of the profile's classes (all ranks of that class),
 * with blanks or commas between them; ranks that stand nowhere get nothing to do. Empty lines, and
 * what stands after #, are passed over.
 */
#ifndef PLANNER_FILES_GROUPING_FILE_H
#define PLANNER_FILES_GROUPING_FILE_H

#include "planner/base/failure.h"
#include "planner/model/grouping.h"
#include "planner/model/profile.h"

/* `text` is terminated, `name` is what failures call it; profile NULL: ranks have numbers only. To
 * be released. FAILURE_MISMATCH names the wrong line. */
bool grouping_parse(struct group *whole, const char *text, const char *name,
                    const struct profile *profile, struct failure *failure);

#endif
