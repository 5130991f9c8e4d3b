/*
 * What decides in the stars of several masters side by side, or in the groups of a tree whose
 * workers compute, where they do not only follow their plans: rules on request, tails, plans that
 * are watched. Each decides about its part of the job with its workers, as one master does about a
 * job (watching.h). Side by side what is left moves between them as always (simulate/stars.h); in a
 * tree the masters above send as planned (simulate/tree.h). The simulation and the run of a star's
 * master decide alike.
 */
#ifndef PLANNER_REPLAN_STARS_DECIDED_H
#define PLANNER_REPLAN_STARS_DECIDED_H

#include "planner/model/setting_part.h"
#include "planner/replan/watching.h"
#include "planner/simulate/stars.h"

/* What was asked for. */
struct stars_request {
    struct watching_request watching; /* of a plan with stars or children; its tail and tolerance
                                       * may be NULL */
    const char *rule;                 /* in place of the plans' rounds; NULL: none */
};

/* Of one star, or group. */
struct star_decided {
    struct plan plan;            /* owned: its workers, counted from 0; all else is borrowed */
    struct setting_part part;    /* owned: its workers, and its core tasks */
    struct dispatch_setup setup; /* of the rule */
    double *weights;             /* owned; the setup's */
    struct platform platform;    /* owned: what the setup's work is of */
    struct watching watching;    /* without a rule */
    struct decision by_rule;
};

struct stars_decided {
    const struct plan *plan;    /* borrowed */
    struct star_decided *stars; /* owned; in the order of plan_leaf */
    struct decision *decisions; /* owned; of each */
    size_t count;
};

/* Does the request ask for more than to follow the plan? */
bool stars_decide(const struct stars_request *request);
/* To be released; the plan and the request's texts must outlive it. False with *failure set: as
 * watching_init, or no such rule. */
bool stars_decided_init(struct stars_decided *decided, const struct stars_request *request,
                        struct failure *failure);
void stars_decided_release(struct stars_decided *decided);
/* Core tasks that the tails' rules assign. */
int64_t stars_decided_tail(const struct stars_decided *decided);

/* When something was planned again, in words and as JSON, and what has moved; owned. */
struct stars_told {
    struct text lines;
    char *replanned;
    struct moves_list moves;
};

void stars_told_release(struct stars_told *told);
/* On that platform, which has the ranks and core tasks of all, with these disturbances. `trace` may
 * be NULL; `told`, all 0 before, is to be released in any case. */
bool stars_decided_simulate(const struct stars_decided *decided, const struct platform *platform,
                            const struct scenario *scenario, struct trace *trace,
                            struct stars_told *told, struct simulation *simulation,
                            struct failure *failure);
/* The prediction without disturbances, as watching_simulate. */
bool stars_expect(const struct stars_request *request, struct trace *trace,
                  struct simulation *simulation, struct failure *failure);

#endif
