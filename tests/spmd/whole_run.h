/* A whole run of a core task within a test: plan, output and all, on the ranks there are. */
#ifndef TESTS_SPMD_WHOLE_RUN_H
#define TESTS_SPMD_WHOLE_RUN_H

#include "spmd/run/execute.h"
#include "tests/checks.h"

struct whole_run {
    struct comm *comm;
    const struct scow_task *task;
    const struct values *values;
    int64_t tasks, package; /* core tasks in all, and in a package */
    int threads;
    int buffers;                 /* of the plan; 0: it does not say */
    enum operating operating;    /* of the plan */
    const char *input, *profile; /* NULL: none */
    const char *output;
};

/* Collective. Packages are assigned to all workers in turn. As execute_run. */
bool whole_run(const struct whole_run *run, struct run_outcome *outcome, struct failure *failure);
/* Collective. Removes the output and what tasks emitted; false: there was no output. */
bool whole_run_remove(const struct whole_run *run);

#endif
