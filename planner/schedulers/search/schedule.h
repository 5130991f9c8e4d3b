/*
 * The interface of a scheduler: its request, its result, and what all schedulers share: checking
 * and predicting a plan.
 */
#ifndef PLANNER_SCHEDULERS_SEARCH_SCHEDULE_H
#define PLANNER_SCHEDULERS_SEARCH_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>

#include "planner/base/effort.h"
#include "planner/base/failure.h"
#include "planner/model/plan.h"
#include "planner/model/platform.h"

struct schedule_set;
struct scheduler;

/* A period that used port and workers well and produced much less than could be would be of no use.
 */
#define SCHEDULE_PRODUCTION 0.9

struct schedule_request {
    const struct platform *platform;
    double tasks;                     /* X >= 1, whole */
    double production;                /* of scow-mu: the least share of the maximal production that
                                       * a period has; 0: SCHEDULE_PRODUCTION */
    bool real_valued;                 /* loads may be fractional */
    struct effort *effort;            /* borrowed: effort left for planning; NULL: no limit */
    const struct schedule_set *known; /* borrowed: other schedulers' plans for the same request,
                                       * from which `optimal` starts; NULL: it makes them */
    const struct scheduler
        *others; /* borrowed: those that it makes them by; scheduler_make knows */
    size_t other_count;
};

/* Whether a scheduler may be worse with more workers, and must be asked for fewer of them, too
 * (fewer.h); a set. Where workers are all equal, most try every number of them by themselves. */
enum scheduler_fewer {
    SCHEDULER_FEWER_NEVER = 0,
    SCHEDULER_FEWER_EVERY = 1,  /* for every number */
    SCHEDULER_FEWER_USEFUL = 2, /* among many, for those whose last worker is of use */
    SCHEDULER_FEWER_EQUAL = 4   /* also where all are equal */
};

struct scheduler {
    const char *name;    /* "scow-mp" */
    const char *summary; /* one line */
    /* Called only by scheduler_make and by functions that also try fewer workers. Fills in the
     * plan's workers, rounds, tasks, real_valued and predicted; other members stay empty. Fails
     * with FAILURE_INFEASIBLE and the bare reason if it does not apply. Every load is in a window
     * of the platform. */
    bool (*make)(const struct schedule_request *request, struct plan *plan,
                 struct failure *failure);
    unsigned fewer; /* of enum scheduler_fewer */
};

/* Why a scheduler was left out or stopped early. */
enum schedule_omission {
    SCHEDULE_TRIED,
    SCHEDULE_CUT_SHORT, /* the effort was used up while it planned */
    SCHEDULE_NO_EFFORT, /* the effort was used up before */
    SCHEDULE_NO_GAIN    /* another plan is already close to the lower bound */
};

/* The result of one scheduler. */
struct schedule_entry {
    const struct scheduler *scheduler;
    bool made;
    struct plan plan;       /* owned; where it is made */
    struct failure refused; /* else, why it does not apply */
    enum schedule_omission omission;
};

/* All of them, in the order of the table. */
struct schedule_set {
    struct schedule_entry *entries; /* owned */
    size_t count;
};

/* Is the plan valid: different workers of the platform, no round without a package, loads whole
 * (unless real-valued), each in a window, their sum the tasks? If not, fails with FAILURE_MISMATCH
 * and the reason. Every plan of scheduler_make has passed it. Fails when out of memory. */
bool plan_check(const struct platform *platform, const struct plan *plan, struct failure *failure);
/* Simulate, bound and fill plan->predicted. */
bool schedule_predict(const struct platform *platform, struct plan *plan, struct failure *failure);

#endif
