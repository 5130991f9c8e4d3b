/*
 * Schedulers: each turns work and platform into loads. One file each, one row each in the table.
 */
#ifndef PLANNER_SCHEDULERS_SCHEDULER_H
#define PLANNER_SCHEDULERS_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>

#include "planner/base/failure.h"
#include "planner/model/plan.h"
#include "planner/model/platform.h"

/* Not in the table: the least predicted makespan of all that apply. */
#define SCHEDULER_AUTO "auto"
/* The one to plan with where many plans are needed: near the best, and made in milliseconds. */
#define SCHEDULER_QUICK "scow-mp"

struct schedule_request {
    const struct platform *platform;
    double tasks;     /* X >= 1, whole */
    bool real_valued; /* loads may be fractional */
};

/* Whether a scheduler may be worse with more workers, and must be tried with fewer of them. */
enum scheduler_fewer {
    SCHEDULER_FEWER_NEVER,
    SCHEDULER_FEWER_UNEQUAL, /* among equal workers it tries every number by itself */
    SCHEDULER_FEWER_ALWAYS
};

struct scheduler {
    const char *name;    /* "scow-mp" */
    const char *summary; /* one line */
    /* Not to be called but by scheduler_make and by who tries fewer workers, too. Fills the plan's
     * workers, rounds, tasks, real_valued and predicted; all else stays empty. Fails with
     * FAILURE_INFEASIBLE and the bare reason where it does not apply. Every load lies in a window
     * of the platform. */
    bool (*make)(const struct schedule_request *request, struct plan *plan,
                 struct failure *failure);
    enum scheduler_fewer fewer;
};

/* All of them, `auto` not among them, in the order in which they are listed. Borrowed, static. */
const struct scheduler *scheduler_list(size_t *count);
const struct scheduler *scheduler_find(const char *name);
/* The scheduler's plan, which bears its name: the best one that it makes for all workers or for the
 * first ones of the platform (fewer.h), so that allowing more makes no plan worse. Fails with
 * FAILURE_INFEASIBLE, name and reason where the scheduler does not apply. */
bool scheduler_make(const struct scheduler *scheduler, const struct schedule_request *request,
                    struct plan *plan, struct failure *failure);

/* The least predicted makespan of all that apply ("auto"): plan->scheduler says which it was. */
bool schedule_auto(const struct schedule_request *request, struct plan *plan,
                   struct failure *failure);
/* Simulate, bound and fill plan->predicted. */
bool schedule_predict(const struct platform *platform, struct plan *plan, struct failure *failure);

#endif
