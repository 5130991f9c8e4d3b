/*
 * A worker's part in one run, from joining it to its end.
 */
#ifndef SPMD_SERVE_SESSION_H
#define SPMD_SERVE_SESSION_H

#include "planner/base/failure.h"
#include "spmd/run/until.h"
#include "spmd/transport/access.h"

struct session_setup {
    const struct access *access;
    double patience_s;  /* for being let in */
    const char *input;  /* this worker's own copy, where it reads it by itself; NULL: as the master
                         * calls it */
    const char *parts;  /* folder of results that are there (spmd/chunks); NULL: none are */
    struct until until; /* when this worker must have gone; it begins nothing that would not end by
                         * then */
};

/* In a process of its own, which may end within (75: the master is gone). Once it takes part,
 * SIGTERM and SIGINT ask it to leave after the package that it works on. Everything has been done:
 * no failure. FAILURE_STOPPED: it was let in, and the run ended otherwise. Any other: it was not,
 * or could not take part. Where it leaves as asked, or for want of time, the process ends with 0.
 */
void session_run(const struct session_setup *setup, struct failure *failure);

#endif
