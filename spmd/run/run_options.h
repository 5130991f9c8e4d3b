/*
 * Options that all commands which run a job share (scow run, scow go, scow serve): their rows, what
 * belongs together among them, and what they say of an execution.
 */
#ifndef SPMD_RUN_RUN_OPTIONS_H
#define SPMD_RUN_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/options.h"
#include "spmd/run/execute.h"
#include "spmd/run/until.h"
#include "spmd/transport/comm.h"

/* As typed, borrowed; NULL: not given. */
struct run_options {
    const char *input, *output, *profile, *results, *isa;
    const char *ends;   /* --until */
    struct until until; /* the same, or as the batch system says, which the master asks */
    int64_t gpus;       /* for each worker */
    double patience_s;
    bool collect, resume, trust, retry_lost, quiet, version;
    bool once;  /* --no-copies */
    char *line; /* owned: all of the command line, as it could be typed; NULL: not known */
};

#define RUN_OPTIONS_INIT                                                                           \
    {                                                                                              \
        .patience_s = 60                                                                           \
    }

/* The row of one of them, by its name, which must be one of launch_row's and of the table in
 * run_options.c; what it says goes to `options`. */
struct option_row run_options_row(struct run_options *options, const char *name);
/* What belongs together. FAILURE_USAGE otherwise. */
bool run_options_check(const struct run_options *options, struct failure *failure);
/* Local, the same on every rank but for the master, who asks the batch system where nobody says
 * when all must have ended. FAILURE_USAGE: --until is no time. */
bool run_options_end(struct run_options *options, const struct comm *comm, struct failure *failure);
/* Sets what they say of *execution; borrowed by it. */
void run_options_apply(const struct run_options *options, struct execution *execution);

#endif
