/*
 * The event simulation with disturbances: operations that take longer or shorter than predicted,
 * slow workers, a lost worker; packages are decided by a dispatch while the run goes on.
 */
#ifndef PLANNER_SIMULATE_SCENARIO_H
#define PLANNER_SIMULATE_SCENARIO_H

#include "planner/base/effort.h"
#include "planner/dispatch/dispatch.h"
#include "planner/model/availability.h"
#include "planner/model/joins.h"
#include "planner/simulate/simulate.h"
#include "planner/simulate/variation.h"

struct scenario {
    uint64_t seed;
    double noise;          /* relative standard deviation of every operation (0), 0: none */
    double outlier_rate;   /* share of the operations that are outliers */
    double outlier_factor; /* how many times longer these take */
    int64_t slow_workers;  /* that many are slow */
    double slow_factor;    /* how many times longer their operations take */
    int64_t lost_worker;   /* -1: none; the dispatch must be a recovering one */
    double lost_s;         /* when; the master notices at once */
    int64_t slow_first;    /* the first of the slow workers */
    double slow_from_s; /* from when on they are slow; the remaining part of a package then in work
                         * takes longer, too */
    /* Changes the platform's costs of packages, before the disturbances above; borrowed; NULL:
     * unchanged. */
    const struct variation *variation;
    /* About how many packages are simulated one by one where they repeat themselves; the others are
     * summed up (fast_forward.h). 0: all are simulated. Not with a trace. */
    int64_t simulated;
    /* Which shares of their processors and links workers have over time, placed; borrowed; NULL:
     * all of them. Then every package is simulated, and no worker is slow beside that. */
    const struct availability *availability;
    /* For packages that are simulated one by one beyond these, EFFORT_PACKAGE each; borrowed;
     * NULL: no limit. */
    struct effort *effort;
    /* What is overdue is handed out once more (dispatch_recovery_copy), and the dispatch is made
     * so. */
    bool copies;
    /* When workers come and go, settled; borrowed; NULL: all are there all the time. The dispatch
     * must be a recovering one without workers (dispatch_recovery_empty). Not with a lost worker.
     */
    const struct joins *joins;
};

/* Units for which a package is simulated, with the lists that a loss or a watched plan needs. */
enum { EFFORT_PACKAGE = 25 };

/* No disturbances. */
#define SCENARIO_INIT                                                                              \
    {                                                                                              \
        0, 0, 0, 1, 0, 1, -1, 0, 0, 0, NULL, 0, NULL, NULL, false, NULL                            \
    }

/* Simulate what `dispatch` decides. Without disturbances and with a plan's dispatch the result is
 * that of simulate_plan, bit for bit. Equal seeds give equal runs: the noise of an operation
 * depends on the seed, its package's index and its kind alone. */
bool simulate_scenario(const struct platform *platform, struct dispatch *dispatch,
                       const struct scenario *scenario, struct trace *trace,
                       struct simulation *simulation, struct failure *failure);

/* A scenario that is simulated beside others, a piece at a time. */
struct scenario_simulator;

/* To be freed; all that it is made of (borrowed) must outlive it. `master`: the master's rank in
 * the trace. NULL with *failure set. */
struct scenario_simulator *scenario_simulator_new(const struct platform *platform,
                                                  struct dispatch *dispatch,
                                                  const struct scenario *scenario,
                                                  struct trace *trace, int64_t master,
                                                  struct failure *failure);
void scenario_simulator_free(struct scenario_simulator **simulator);
/* The next step, and on until that time is reached, its dispatch is finished, or nothing more
 * happens by itself. */
bool scenario_simulator_run(struct scenario_simulator *simulator, double until_s,
                            struct failure *failure);
/* When its next step is; HUGE_VAL: never, unless scenario_simulator_wake. */
double scenario_simulator_next(const struct scenario_simulator *simulator);
/* Its dispatch has got something, or is closed, at that time. */
void scenario_simulator_wake(struct scenario_simulator *simulator, double at_s);
/* Until all that is there has been handed out, which is then. */
bool scenario_simulator_hand_out(struct scenario_simulator *simulator, double *handed_out_s,
                                 struct failure *failure);
/* When it has ended. */
void scenario_simulator_sum(struct scenario_simulator *simulator, struct simulation *simulation);

#endif
