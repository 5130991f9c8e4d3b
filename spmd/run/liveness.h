/*
 * Looking after one another while packages are under way: every rank holds a place in the output,
 * by which others see that it lives; the master keeps who takes part (membership.h), a worker keeps
 * watch over the master (heartbeat.h).
 */
#ifndef SPMD_RUN_LIVENESS_H
#define SPMD_RUN_LIVENESS_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/model/plan.h"
#include "spmd/run/emulation.h"
#include "spmd/run/failure_detector.h"
#include "spmd/run/heartbeat.h"
#include "spmd/run/membership.h"
#include "spmd/transport/comm.h"

/* Borrowed. */
struct liveness_setup {
    const struct comm *comm;
    const char *path;    /* the output's, which is there */
    const char *command; /* as which sentences speak: "scow run" */
    const char *again;   /* what to do to go on, for them: "run the same again" */
    int workers;         /* that can be given packages, the first ones */
    /* No worker is taken for lost that has been silent for less; 0: nobody is looked after. */
    double patience_s;
    const struct plan *plan;           /* that is executed */
    const struct emulation *costs;     /* by its profile; NULL: not known */
    int64_t largest_package;           /* core tasks */
    bool collects;                     /* the master alone has access to the output */
    struct failure_detector *detector; /* that is over then; NULL: none */
};

/* Of one rank; does not move between presence_begin and presence_end. */
struct liveness {
    struct comm comm;           /* the setup's, which looks after others while it waits */
    int lock;                   /* on the output; negative: none */
    bool begun;                 /* and not ended */
    struct membership members;  /* the master's */
    struct heartbeat heartbeat; /* a worker's */
};

/* Collective. From here on it shows who is not there any more. False with *failure set: out of
 * memory. To be ended also then. */
bool liveness_begin(struct liveness *liveness, const struct liveness_setup *setup,
                    struct failure *failure);
/* Local. NULL: this rank has none. */
struct membership *liveness_members(struct liveness *liveness);
struct heartbeat *liveness_heartbeat(struct liveness *liveness);
/* Local. Nothing where it has not begun (all zero). */
void liveness_end(struct liveness *liveness);

#endif
