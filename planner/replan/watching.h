/*
 * A plan that is watched while it runs, or whose end is assigned on request, or both: turns the
 * options into a decision, for the simulation and for the run.
 */
#ifndef PLANNER_REPLAN_WATCHING_H
#define PLANNER_REPLAN_WATCHING_H

#include <stdbool.h>

#include "planner/base/text.h"
#include "planner/dispatch/watch.h"
#include "planner/model/profile.h"
#include "planner/replan/replan.h"
#include "planner/replan/watch_units.h"
#include "planner/simulate/ensemble.h"
#include "planner/simulate/tail.h"

/* What was asked for. */
struct watching_request {
    const struct plan *plan; /* whole loads; must outlive the watching */
    const struct profile_setting
        *setting;          /* the setting that it was made for; borrowed for the call */
    int64_t workers;       /* existing ones; 0: the setting's */
    const char *tolerance; /* "10%" or "0.1"; NULL: the plan is not watched */
    const char *tail;      /* "RULE", "RULE:20%" or "RULE:dependable=3"; NULL: none. Must
                            * outlive it */
    int ahead;             /* of the tail's rule */
    double noise;          /* expected noise, in addition to the setting's deviations */
    struct effort *effort; /* borrowed: of planning anew; NULL: no limit */
};

/* Packages that a worker has at a time under a tail's rule, unless somebody says otherwise. */
enum { WATCHING_AHEAD = 2 };
/* Packages that a prediction simulates one by one; more are summed up (fast_forward.h). */
enum { WATCHING_SIMULATED = 200000 };
/* In place of a tail's rule: no tail, although the plan has one. */
#define WATCHING_NO_TAIL "none"

struct watching {
    struct platform platform; /* owned */
    struct replan_setup remaining;
    struct watch_setup watch;
    struct watch_units units; /* owned: what is watched, where weights are known */
    struct plan_tail tail;    /* owned */
    char rule[128];           /* with its options */
    struct decision decision; /* points into this object, which must not be moved */
    int64_t largest;          /* no package will be larger */
};

/* To be released. False with *failure set: an option that cannot be read, no such rule, a plan that
 * cannot be run, or out of memory. */
bool watching_init(struct watching *watching, const struct watching_request *request,
                   struct failure *failure);
void watching_release(struct watching *watching);
/* The prediction without disturbances; events are added to `trace` (may be NULL). */
bool watching_expect(const struct watching *watching, struct trace *trace,
                     struct simulation *simulation, struct failure *failure);
/* The same for a request, without keeping the struct watching. */
bool watching_simulate(const struct watching_request *request, struct trace *trace,
                       struct simulation *simulation, struct failure *failure);
/* The watched plan inside a dispatch that was made for the decision; NULL: none. */
const struct dispatch *watching_watch(const struct watching *watching,
                                      const struct dispatch *dispatch);
/* When and why the remaining tasks were planned again: one line for each of the first few changes,
 * and the number of the others; or a JSON array of all. `begun_s`, when the watched part of the run
 * began, is added to the times, and `before`, workers of others, to the workers' numbers. */
void watching_tell(const struct dispatch *watch, double begun_s, int64_t before, struct text *text);
void watching_json(const struct dispatch *watch, double begun_s, int64_t before, struct text *text);

#endif
