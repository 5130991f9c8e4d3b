/*
 * The file beside an output that says how far its run is (planner/files/status.h), as the master
 * writes it. It never makes a run fail: where it cannot be written, one warning says so.
 */
#ifndef SPMD_RUN_LIVE_STATUS_H
#define SPMD_RUN_LIVE_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/files/status.h"
#include "spmd/launch/progress.h"
#include "spmd/protocol/membership.h"
#include "spmd/protocol/run.h"

/* Borrowed, while packages are under way. */
struct status_setup {
    const char *output;
    const char *command; /* that the user gave, for sentences; it outlives the writer */
    const struct progress *progress;
    const struct run_outcome *outcome;
    const struct membership *members;
    int64_t kept, kept_failed; /* core tasks done, and failed, before this part */
    int workers;
    int masters_beside; /* of the members */
    double job_end_s;   /* since 1970; 0: not known */
};

struct status_writer {
    struct status_setup setup;
    char *path, *draft; /* owned; NULL: nothing is written */
    struct run_status status;
    double began_s, next_s; /* on the machine's clock */
    bool warned;
};

/* Local to the master. It is running: written at once. */
void status_begin(struct status_writer *writer, const struct status_setup *setup);
/* Local to the master, called often (a progress's tick): written every few seconds, or so seldom
 * that it takes no more than a hundredth of the time. */
void status_tell(void *writer);
/* Local to the master. Packages are over: from here on nothing borrowed is looked at. */
void status_pause(struct status_writer *writer);
/* Local to the master. This is how the run ended, where it did not finish, with so much done in
 * all: the file's last words. */
void status_end(struct status_writer *writer, enum run_state state, const struct summary *summary);
/* Local to the master. The file beside that output goes, whoever has written it. */
void status_remove(struct status_writer *writer, const char *output);

#endif
