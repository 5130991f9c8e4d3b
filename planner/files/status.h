/*
 * The progress of a run, for other programs: OUT.h5.status beside the output, JSON, replaced
 * atomically every few seconds while the run goes on.
 */
#ifndef PLANNER_FILES_STATUS_H
#define PLANNER_FILES_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/process.h"

enum run_state { RUN_RUNNING, RUN_FINISHED, RUN_STOPPED, RUN_FAILED, RUN_STATES };

struct status_loss {
    int64_t worker; /* from 1: its rank */
    char *why;      /* owned */
};

struct run_status {
    enum run_state state;
    double written_s, began_s; /* seconds since 1970; start of this part of the run */
    double every_s;            /* interval between two updates */
    double elapsed_s;          /* of this part */
    int64_t tasks, done;       /* core tasks; those failed, and done before, among them */
    int64_t failed, kept;      /* kept: done before this part */
    double per_s;              /* core tasks of this part; 0: none yet */
    double left_s;             /* negative: not known */
    double end_s;              /* of the job, since 1970; 0: not known */
    int64_t workers, living;
    int64_t slowest;            /* worker, from 1; 0: not known */
    double excess;              /* how much longer than expected its packages take, relative */
    struct status_loss *losses; /* owned */
    int64_t loss_count;
    struct process master;
    bool gone; /* set by the reader: the master's process was on this machine and has ended */
};

/* "running"; static. */
const char *status_state(enum run_state state);
/* JSON, owned; NULL: out of memory. With age_s >= 0, also the age of the status, and whether it is
 * stale. */
char *status_print(const struct run_status *status, double age_s);
/* False with *failure set: it is not such a text. */
bool status_parse(struct run_status *status, const char *text, size_t length, const char *name,
                  struct failure *failure);
/* Is the status stale: much older than the interval between two updates? */
bool status_stale(const struct run_status *status, double age_s);
/* The name of the file beside an output; owned. NULL: out of memory. */
char *status_path(const char *output);
void status_release(struct run_status *status);

#endif
