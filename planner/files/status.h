/*
 * How far a run is, for who looks from elsewhere: OUT.h5.status beside the output, JSON, replaced
 * as a whole every few seconds while the run goes on.
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
    double written_s, began_s; /* since 1970; of this part of a run that goes on */
    double every_s;            /* it is written so often */
    double elapsed_s;          /* of this part */
    int64_t tasks, done;       /* core tasks; those failed, and done before, among them */
    int64_t failed, kept;      /* kept: done before this part */
    double per_s;              /* core tasks of this part; 0: none yet */
    double left_s;             /* negative: not known */
    double end_s;              /* of the job, since 1970; 0: not known */
    int64_t workers, living;
    int64_t slowest;            /* worker, from 1; 0: not known */
    double excess;              /* its packages take so much longer than expected, relative */
    struct status_loss *losses; /* owned */
    int64_t loss_count;
    struct process master;
    bool gone; /* as who reads it finds: the master was on this machine, and is no more */
};

/* "running"; static. */
const char *status_state(enum run_state state);
/* JSON, owned; NULL: out of memory. With age_s >= 0 it says how old that is, and whether that is
 * unusual. */
char *status_print(const struct run_status *status, double age_s);
/* False with *failure set: it is not such a text. */
bool status_parse(struct run_status *status, const char *text, size_t length, const char *name,
                  struct failure *failure);
/* Has nobody written it for much longer than usual? */
bool status_stale(const struct run_status *status, double age_s);
/* The name of the file beside an output; owned. NULL: out of memory. */
char *status_path(const char *output);
void status_release(struct run_status *status);

#endif
