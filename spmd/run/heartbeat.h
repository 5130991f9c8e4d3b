/*
 * A worker's side of not being alone: while it waits and works it says that it lives, sees whether
 * the master does, and learns that it has been given up.
 *
 * Whether a process is there is asked of the output's file system (spmd/output/file_lock.h),
 * because MPI cannot say: messages to a dead rank seem to arrive. Of a worker without access to the
 * output, the system is asked where the master is on the same node.
 */
#ifndef SPMD_RUN_HEARTBEAT_H
#define SPMD_RUN_HEARTBEAT_H

#include <stdbool.h>

#include "planner/base/process.h"
#include "spmd/output/losses.h"
#include "spmd/transport/comm.h"

/* For sentences; all borrowed, as long as it beats. */
struct heartbeat_words {
    const char *path;    /* the output's */
    const char *command; /* that the user gave: "scow run" */
    const char *again;   /* what to do to go on: "run the same again with --resume" */
};

/* How it shows that the master lives. */
struct heartbeat_sight {
    int lock;  /* on the output; negative: this rank has none */
    bool sees; /* it has seen the master's place taken when the master was there for certain;
                * otherwise the file system does not show who is there */
    struct process master;
};

struct heartbeat {
    struct comm_watch base;
    struct comm *comm; /* borrowed; calls it from heartbeat_begin to heartbeat_end */
    struct heartbeat_words words;
    struct heartbeat_sight sight;
    bool stopped;          /* it says no more that it lives */
    struct losses *losses; /* borrowed; NULL: none */
    struct link_request lost;
    double told_s, probed_s;
};

/* Local to a worker. Neither moves until heartbeat_end. */
void heartbeat_begin(struct heartbeat *heartbeat, struct comm *comm,
                     const struct heartbeat_words *words, const struct heartbeat_sight *sight);
/* Local. Before something is written: does not return where the master has given this worker up and
 * others may be doing its work. NULL: nothing. */
void heartbeat_pass(struct heartbeat *heartbeat);
/* Local. From here on it says nothing any more: all that the master waits for has been said. */
void heartbeat_stop(struct heartbeat *heartbeat);
/* Local. Is a rank of the run gone, or may one be, for this one sees nobody? Then what the launcher
 * tells all ranks is for the master to judge. Of NULL: no. */
bool heartbeat_misses(const struct heartbeat *heartbeat);
void heartbeat_end(struct heartbeat *heartbeat);

#endif
