/*
 * Decides what a run sends next: its plan, possibly watched or with a tail, or a rule that assigns
 * packages on request.
 */
#ifndef SPMD_RUN_DECIDER_H
#define SPMD_RUN_DECIDER_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/dispatch/dispatch.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"
#include "planner/replan/watching.h"

/* What was asked for; borrowed. */
struct decider_request {
    const struct plan *plan;
    const struct plan *whole; /* of all masters, where the plan is a star's or a group's with its
                               * workers counted from 0; NULL: there is one master */
    int64_t before;           /* then: workers of the profile before these */
    bool heads;               /* then: of a tree, whose workers here are masters of groups, which
                               * decide in place of this one; it follows its plan */
    const char *rule;         /* NULL: the plan's own rounds */
    const char *replan;       /* the plan is watched, with this tolerance; NULL: it is not */
    const char *tail; /* "RULE" or "RULE:SHARE": assigns the plan's end on request; NULL: none */
    const struct profile *profile; /* for rates, weights and package sizes; NULL: none */
    int ahead;                     /* packages that a worker has at a time under a rule, >= 1 */
    int workers;
    bool counted; /* workers take the rule's packages by themselves */
    bool joins;   /* they come and go: any of them may take part, also beyond those of the plan */
    int64_t surveyed_most; /* > 0: the run is planned while it works, with packages of at most so
                            * many core tasks, and a survey decides in place of this */
};

struct decider {
    const struct plan *plan;
    struct dispatch_setup setup; /* of a rule */
    double *weights;             /* owned; NULL: all equal */
    struct work work;            /* owned: of the plan's core tasks, where it has weights */
    int64_t largest;             /* no package is larger */
    bool by_rule, watches;
    int64_t before;    /* as in the request */
    double expected_s; /* with replan or tail: the makespan, as long as nothing is unusual; of
                        * several masters on the first one's ranks that of all, else the star's; 0:
                        * nothing else than the plan says */
    double
        begun_s; /* of the run's time, when it began to decide; for whom it is not 0, to be set */
    struct watching watching; /* with replan or tail: points into itself, so do not move it */
};

/* Local, the same on every rank. False with *failure set: no such rule, a profile that does not fit
 * the plan, out of memory; release all the same. */
bool decider_init(struct decider *decider, const struct decider_request *request,
                  struct failure *failure);
void decider_release(struct decider *decider);
/* On standard error, by that command's name: where a rule takes an option for another value than
 * was given. */
void decider_note(const struct decider *decider, const char *command);
/* Long packages of a plan that is not watched, or of a rule, are handed out in parts
 * (dispatch_new_parts, dispatch_new_rule_parts), where
 * `parts` (borrowed while the dispatch lives; NULL: whole) says what packages cost. NULL with
 * *failure set: out of memory. */
struct dispatch *decider_dispatch(const struct decider *decider, const struct deadline_setup *parts,
                                  struct failure *failure);

/* At the end of a run, for a dispatch that this decider made: when and why the remaining tasks were
 * planned again, as lines and as a JSON array (owned). Both NULL if the plan was not watched, or
 * out of memory. */
void decider_tell(const struct decider *decider, const struct dispatch *dispatch, char **lines,
                  char **json);

#endif
