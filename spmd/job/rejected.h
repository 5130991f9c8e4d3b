/* Messages about failed core tasks. */
#ifndef SPMD_JOB_REJECTED_H
#define SPMD_JOB_REJECTED_H

#include "planner/base/text.h"
#include "spmd/job/commands.h"
#include "spmd/job/engine.h"

/* Add lines: which core task failed and why, its command (`commands` NULL: not known), and the
 * first lines of its error output. */
void rejected_add(const struct rejection *rejection, struct commands *commands, struct text *text);

#endif
