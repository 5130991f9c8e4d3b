/*
 * A group's master gets core tasks from the master above it, package by package, and hands them out
 * to its own workers: in the order in which they come, in packages as its plan has them. One for
 * which not everything is there yet is sent in pieces, so that nothing that has come waits for what
 * has not.
 *
 * So also where a rule on request, a tail or a watched plan decides: a package of theirs is
 * reported to them when all its pieces are.
 */
#ifndef PLANNER_DISPATCH_STREAM_H
#define PLANNER_DISPATCH_STREAM_H

#include "planner/dispatch/dispatch.h"

/* `inner` (owned; freed also when this fails) decides about `tasks` core tasks, in ascending order,
 * as if they were a job of their own. NULL: out of memory. */
struct dispatch *dispatch_new_stream(struct dispatch *inner, int64_t tasks);
/* These have come. Returns how many of them it hands out: of those beyond its tasks, none. -1: out
 * of memory, and none. */
int64_t dispatch_stream_add(struct dispatch *stream, struct task_range range);
/* No more come: when those that are there are handed out, it is finished. */
void dispatch_stream_end(struct dispatch *stream);
/* Core tasks that have come and are not handed out. */
int64_t dispatch_stream_left(const struct dispatch *stream);

#endif
