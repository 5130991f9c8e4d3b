/*
 * A plan that is watched while it runs, or whose end is dealt on request, or both: what the options
 * say, made into a decision, for the simulation and the run alike.
 */
#ifndef PLANNER_REPLAN_WATCHING_H
#define PLANNER_REPLAN_WATCHING_H

#include <stdbool.h>

#include "planner/base/text.h"
#include "planner/dispatch/watch.h"
#include "planner/model/profile.h"
#include "planner/replan/replan.h"
#include "planner/simulate/ensemble.h"
#include "planner/simulate/tail.h"

/* What was asked for. */
struct watching_request {
    const struct plan *plan;               /* whole loads; must outlive the watching */
    const struct profile_setting *setting; /* that it was made for; borrowed for the call */
    int64_t workers;                       /* that there are; 0: the setting's */
    const char *tolerance;                 /* "10%" or "0.1"; NULL: the plan is not watched */
    const char *tail;                      /* "RULE" or "RULE:20%"; NULL: none. Must outlive it */
    int ahead;                             /* of the tail's rule */
    double noise;                          /* that is expected beside what the setting knows of */
};

/* Packages that a worker has at a time under a tail's rule, unless somebody says otherwise. */
enum { WATCHING_AHEAD = 2 };
/* Packages that are played to say what is to be expected; more are summed up (fast_forward.h). */
enum { WATCHING_PLAYED = 200000 };
/* In place of a tail's rule: none, though the plan has one. */
#define WATCHING_NO_TAIL "none"

struct watching {
    struct platform platform; /* owned */
    struct replan_setup remaining;
    struct watch_setup watch;
    struct plan_tail tail;    /* owned */
    char rule[128];           /* with its options */
    struct decision decision; /* points into this object, which is not to be moved */
    int64_t largest;          /* no package will be larger */
};

/* To be released. False with *failure set: an option that cannot be read, no such rule, a plan that
 * cannot be run, or out of memory. */
bool watching_init(struct watching *watching, const struct watching_request *request,
                   struct failure *failure);
void watching_release(struct watching *watching);
/* What is to be expected of it as long as nothing is unusual; events go to `trace` (may be NULL).
 */
bool watching_expect(const struct watching *watching, struct trace *trace,
                     struct simulation *simulation, struct failure *failure);
/* The same of one that is needed for nothing else. */
bool watching_simulate(const struct watching_request *request, struct trace *trace,
                       struct simulation *simulation, struct failure *failure);
/* The watch in a dispatch that was made for the decision, by itself or in a tail; NULL: none. */
const struct dispatch *watching_watch(const struct watching *watching,
                                      const struct dispatch *dispatch);
/* When the rest was planned anew, and why: a line each of the first few, and how many there were
 * more; or a JSON array of all. `begun_s` is added to its
 * times: when the watched part of the run began. */
void watching_tell(const struct dispatch *watch, double begun_s, struct text *text);
void watching_json(const struct dispatch *watch, double begun_s, struct text *text);

#endif
