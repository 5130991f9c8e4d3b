/*
 * Probe runs: packages through the very executor of a run - master, workers, transport, core tasks,
 * store - with all workers busy at once, timed by the run's own trace. What is measured is what a
 * run meets.
 */
#ifndef CALIBRATE_PROBE_H
#define CALIBRATE_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/dispatch/dispatch.h"
#include "planner/model/trace.h"
#include "spmd/input/input.h"
#include "spmd/job/job.h"
#include "spmd/launch/progress.h"
#include "spmd/protocol/run.h"
#include "spmd/transport/comm.h"
#include "spmd/transport/liveness.h"

/* Of one job: core tasks of another may take much longer. */
struct patience {
    struct liveness *liveness; /* borrowed; NULL: nobody is looked after */
    double least_s;            /* a worker that was silent for less is not lost */
    double longest_s;          /* operation of a worker; 0: none has been seen */
    double s_per_task;         /* at most, but for starts */
};

/* What every rank holds; all borrowed. */
struct probe_setup {
    const struct comm *comm;
    const struct job *job;
    struct input *input; /* the master's; with a staged job, every rank's */
    int threads;
    const char *scratch;      /* name of a file to write to and remove, which must not exist */
    bool master_computes;     /* in some probes */
    bool weighs_output;       /* find out for how much of their output workers wait for the store */
    struct run_had_list *had; /* the master's: what workers had of their processors is added */
    struct patience *patience; /* the master's, with its workers; NULL: it has no end */
};

/* What is to be done. */
struct probe_work {
    const struct package *packages; /* borrowed */
    int64_t count;
    int64_t largest; /* of any package, core tasks */
    int64_t held;    /* of any since workers started anew: what they have set aside memory for */
    bool ahead;      /* packages come before they are needed, as in a run; or each after the last */
    bool afresh;     /* workers start anew, as in a run; or go on with what they have started */
    bool master_computes;      /* core tasks of its own, while workers have packages */
    bool seals;                /* find out what sealing takes, too */
    double until_s;            /* no package is handed out after this time; HUGE_VAL: all are */
    struct progress_tick tick; /* while it is done */
};

/* What happened; to be released. */
struct probe_outcome {
    struct trace trace;
    double worked_s,
        stalled_s;         /* of all workers; waiting for the store, if it was to be found out */
    int64_t tasks, failed; /* core tasks that were computed, and that could not be */
    /* A worker's, beside the memory for packages that it holds; the master's, beside messages. */
    struct profile_peaks peaks;
    double seal_s;      /* what the output of the whole job would take to be sealed, found out */
    int64_t seal_tasks; /* from a package of so many core tasks; 0: it was not to be */
    struct rejection rejections[RUN_REJECTIONS]; /* some of these */
    int rejection_count;
};
void probe_outcome_release(struct probe_outcome *outcome);

/* Who carries out probes: the executor, or a simulated machine. */
struct prober {
    bool (*run)(void *self, const struct probe_work *work, struct probe_outcome *outcome,
                struct failure *failure);
    double (*now)(void *self); /* seconds */
    void *self;                /* borrowed */
};

/* Local to the master, the workers being in probe_serve: has packages worked on, every worker's in
 * their order, with buffers for the work's `largest` core tasks; the outcome is to be released also
 * on failure. And the communicator's clock; `setup` is borrowed. */
struct prober probe_prober(struct probe_setup *setup);
/* Local to the master: no more probes, workers leave probe_serve. */
void probe_end(const struct probe_setup *setup);
/* Local to a worker: take part in the master's probes until it ends them. */
bool probe_serve(const struct probe_setup *setup, struct failure *failure);

#endif
