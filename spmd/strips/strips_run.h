/*
 * Jacobi's iteration in strips: each worker has a strip of the grid's columns and exchanges borders
 * with its neighbours, without the master. Every so many iterations, at a test, all workers report
 * to the master, who says whether to go on, and may have the grid sent to it. A state machine over
 * a link, like master and worker of packages (spmd/run), and as these without any MPI.
 */
#ifndef SPMD_STRIPS_STRIPS_RUN_H
#define SPMD_STRIPS_STRIPS_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/jacobi/strip.h"
#include "planner/base/failure.h"
#include "planner/strips/strips_outcome.h"
#include "planner/strips/strips_plan.h"
#include "spmd/transport/comm.h"

/* The same on every rank; borrowed. */
struct strips_run {
    const struct comm *comm;
    const struct strips_plan *plan;
    struct jacobi_values values;
    int threads;
    int64_t done;        /* iterations that the grid is of which the master has; 0: it begins */
    bool rebalances;     /* widths may change */
    bool (*asked)(void); /* has this rank been asked to stop? */
    bool (*late)(void *self, double s); /* the master's: would the run end too late if it went on
                                         * for so long? NULL: never */
    /* The master's: after each test; NULL: nobody is told. */
    void (*tell)(void *self, const struct strips_outcome *outcome);
    void *self;
};

/* Where the master keeps the grid. Columns are numbered from 0 and come `count` at a time, each
 * `stride` numbers behind the one before. */
struct strips_grid {
    /* All: false with *failure set. */
    bool (*begin)(void *self, struct failure *failure);
    bool (*put)(void *self, int64_t first, int64_t count, const double *columns, int64_t stride,
                struct failure *failure);
    /* From here on it is this grid that is kept. */
    bool (*end)(void *self, const struct strips_outcome *outcome, struct failure *failure);
    bool (*get)(void *self, int64_t first, int64_t count, double *columns, int64_t stride,
                struct failure *failure);
    void *self;
};

struct strips_worker;

/* Local to a worker, before strips_worker_run, so that ranks can agree on it. *worker is NULL of
 * one that has no strip. False with *failure set: out of memory. */
bool strips_worker_new(const struct strips_run *run, struct strips_worker **worker,
                       struct failure *failure);
/* Local to a worker: its part of the run. Of NULL: nothing. */
void strips_worker_run(struct strips_worker *worker);
/* Sets *worker NULL. */
void strips_worker_free(struct strips_worker **worker);

struct strips_master;

/* Local to the master, before strips_master_run. False with *failure set: out of memory. */
bool strips_master_new(const struct strips_run *run, const struct strips_grid *grid,
                       struct strips_master **master, struct failure *failure);
/* Local to the master: its part of the run. False with *failure set: the grid could not be read or
 * kept; workers have ended then, too. */
bool strips_master_run(struct strips_master *master, struct failure *failure);
/* As the run turned out; borrowed. */
const struct strips_outcome *strips_master_outcome(const struct strips_master *master);
/* Sets *master NULL. */
void strips_master_free(struct strips_master **master);

#endif
