/* What a run came to, in words: for commands that end with one. */
#ifndef SPMD_RUN_RUN_OUTCOME_H
#define SPMD_RUN_RUN_OUTCOME_H

#include "spmd/protocol/run.h"

/* Local to the master. On standard output; beside what was predicted, where it `predicts`. */
void run_outcome_print(const char *output, const struct run_outcome *outcome, bool predicts);
/* Local to the master. Core tasks that could not be done are a failure of the run, though
 * everything else is there. They are counted from 1, as in scow show --task. */
void run_outcome_check(const char *output, const struct run_outcome *outcome,
                       struct failure *failure);
/* Where emitted bytes go: as `given` says or, NULL, beside the output. Owned; NULL: out of memory.
 */
char *run_outcome_emitted(const char *output, const char *given);

#endif
