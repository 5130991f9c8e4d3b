/* All commands as one function, for programs of users: libscow. */
#include <stdio.h>

#include "calibrate/command.h"
#include "calibrate/go/command.h"
#include "kernel/scow.h"
#include "planner/command/program.h"
#include "spmd/job/kernel.h"
#include "spmd/run/command.h"

int scow_main(int argc, char **argv, const struct scow_task *task)
{
    static const struct program_parallel parallel = {calibrate_main, go_main, run_main};
    struct failure failure = FAILURE_INIT;
    if (kernel_own(task, &failure))
        return program_main(argc, argv, &parallel);
    fprintf(stderr, "scow: %s\n", failure.text);
    return (int)failure.code;
}
