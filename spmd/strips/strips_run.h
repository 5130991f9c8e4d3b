/*
 * Jacobi's iteration in strips: each worker has a strip of the grid's columns and exchanges borders
 * with its neighbours, without the master. Every few iterations (a test), all workers report to the
 * master, which decides whether to go on and may ask for the grid. Master and worker are state
 * machines over a link, as those of packages are (spmd/run), and know nothing of MPI.
 *
 * When a worker is lost, its part of the grid is lost, too. A rank without a strip (a spare) takes
 * the same strip; if there is none, the master plans new strips for the workers that are left. It
 * interrupts all workers, and they start again from the grid that was kept last. Messages that were
 * sent before are not taken for new ones, because each start has tags of its own.
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
#include "spmd/transport/liveness.h"

/* The same on every rank; borrowed. */
struct strips_run {
    const struct comm *comm;
    const struct strips_plan *plan;
    struct jacobi_values values;
    int threads;
    int64_t done;              /* iterations of the grid that the master has; 0: the run begins */
    bool rebalances;           /* widths may change */
    struct liveness *liveness; /* NULL: lost ranks are not noticed */
    bool (*asked)(void *self); /* has this rank been asked to stop? */
    bool (*late)(void *self, double s); /* the master's: would the run end too late if it went on
                                         * for so long? NULL: never */
    /* Called by the master after each test, and when a worker is lost; spare: the rank that takes
     * its place, 0: none does. Each may be NULL. */
    void (*tell)(void *self, const struct strips_outcome *outcome);
    void (*tell_lost)(void *self, int rank, int spare, const char *why);
    void *self;
};

/* Where the master keeps the grid. Columns are numbered from 0; `count` of them are handed over at
 * once, each `stride` numbers behind the one before. All return false with *failure set. */
struct strips_grid {
    bool (*begin)(void *self, struct failure *failure);
    bool (*put)(void *self, int64_t first, int64_t count, const double *columns, int64_t stride,
                struct failure *failure);
    /* All columns are there: from now on this is the grid that is kept. */
    bool (*end)(void *self, const struct strips_outcome *outcome, struct failure *failure);
    bool (*get)(void *self, int64_t first, int64_t count, double *columns, int64_t stride,
                struct failure *failure);
    void *self;
};

struct strips_worker;

/* How the run ended, for a worker. */
struct strips_end {
    enum failure_code code;
    bool broken; /* workers are lost: no collective step is possible any more */
};

/* Local to a worker, before strips_worker_run, so that ranks can agree on it. False with *failure
 * set: out of memory. */
bool strips_worker_new(const struct strips_run *run, struct strips_worker **worker,
                       struct failure *failure);
/* Local to a worker: its part of the run, until it is told how that has ended. */
void strips_worker_run(struct strips_worker *worker, struct strips_end *end);
/* Sets *worker NULL. */
void strips_worker_free(struct strips_worker **worker);

struct strips_master;

/* Local to the master, before strips_master_run. False with *failure set: out of memory. */
bool strips_master_new(const struct strips_run *run, const struct strips_grid *grid,
                       struct strips_master **master, struct failure *failure);
/* Local to the master: its part of the run, until all iterations are done or somebody has asked to
 * stop; workers wait then for strips_master_end. False with *failure set: the grid could not be
 * read or kept, or no worker is left (FAILURE_STOPPED). */
bool strips_master_run(struct strips_master *master, struct failure *failure);
/* Local to the master: tell the workers how it ended. True: some are lost, and nothing collective
 * works any more. */
bool strips_master_end(struct strips_master *master, const struct failure *failure);
/* Is that rank lost? */
bool strips_master_lost(const struct strips_master *master, int rank);
/* As the run turned out; borrowed. */
const struct strips_outcome *strips_master_outcome(const struct strips_master *master);
/* Sets *master NULL. */
void strips_master_free(struct strips_master **master);

#endif
