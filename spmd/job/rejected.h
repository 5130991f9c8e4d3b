/* Core tasks that failed, in words. */
#ifndef SPMD_JOB_REJECTED_H
#define SPMD_JOB_REJECTED_H

#include "planner/base/text.h"
#include "spmd/job/commands.h"
#include "spmd/job/engine.h"

/* Add lines: which one it is and why it failed, what was run (`commands` NULL: nothing is known of
 * that), and how its error output begins. */
void rejected_add(const struct rejection *rejection, struct commands *commands, struct text *text);

#endif
