/* Simulates a plan or a rule on the cluster that a profile describes, for `scow simulate` and
 * scow_simulate. */
#ifndef PLANNER_LIBRARY_SIMULATING_H
#define PLANNER_LIBRARY_SIMULATING_H

#include "planner/base/text.h"
#include "planner/model/availability.h"
#include "planner/model/beyond.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"
#include "planner/model/trace.h"
#include "planner/simulate/ensemble.h"
#include "planner/simulate/simulate.h"

/* Seconds, about, for packages that are simulated one by one (base/effort.h). */
#define SIMULATION_EFFORT_S 10.0

/* The request; all borrowed. */
struct simulation_request {
    const char *path;   /* of the profile; its name in messages */
    const char *rule;   /* "RULE[,NAME=VALUE...]"; NULL: the plan */
    const char *set;    /* the profile's setting with these parameters */
    const char *replan; /* tolerance of a plan that is watched; NULL: it is not */
    const char *model;  /* operating model; NULL: the plan's, or else the profile's */
    const char *tail;   /* "RULE[,...][:SHARE]" or "none"; NULL: the plan's own */
    int64_t tasks;      /* of a rule */
    const struct task_weights *weights; /* of the rule's core tasks; NULL: not known */
    int64_t workers;                    /* 0: the profile's */
    int64_t block, ahead, buffers;      /* 0: as usual */
    bool dca;                           /* workers count a rule's packages, and ask no master */
    bool packages;                      /* keep those of a rule, in the order of sending */
    bool traced;                        /* keep what happens when */
    double effort_s;          /* for packages that are simulated one by one; 0: as usual */
    int64_t seeds;            /* number of seeds of the scenario, for median and percentile */
    struct scenario scenario; /* noise and other disturbances; its availability is made from the
                               * following two */
    const char *loads;        /* file of shares over time (availability_tsv.h); NULL: none */
    const char *joins;        /* file of when workers are there (joins_tsv.h); NULL: always */
    double patterns_s;        /* seconds that the workers' patterns of load last; 0: none */
};

/* The results. */
struct simulated {
    const struct simulation_request *request; /* borrowed */
    struct effort effort;                     /* what is left of the request's */
    struct platform platform;                 /* owned */
    struct availability availability;         /* owned; placed where loads were asked for */
    struct joins joins;                       /* owned; settled where it was asked for */
    double tasks;
    size_t groups;  /* with masters of their own; 0: there are none */
    size_t masters; /* side by side; 0: of a rule, one */
    struct simulation simulation;
    bool has_robustness;
    struct ensemble_summary robustness;
    const char *tail;         /* borrowed; NULL: none */
    int64_t tail_tasks;       /* core tasks that the tail's rule assigns */
    struct trace trace;       /* owned; where packages are kept, or what happens when: of the first
                               * seed */
    struct text told, listed; /* owned; when tasks were planned again: lines, JSON */
    struct text moved;        /* owned; core tasks that went from one of several masters to another,
                               * JSON */
    struct text copied;       /* owned; packages that were handed out once more, JSON */
    struct plan_beyond beyond; /* workers that the profile did not measure; the name is its own */
};

/* Is the request valid, with or without a plan? If not, FAILURE_USAGE. */
bool simulation_request_check(const struct simulation_request *request, bool planned,
                              struct failure *failure);
/* Simulate the plan, or (NULL) the rule; to be released, and before request, plan and profile,
 * which is extended to the workers that the plan or the request has. */
bool simulated_make(struct profile *profile, const struct plan *plan,
                    const struct simulation_request *request, struct simulated *simulated,
                    struct failure *failure);
/* Shares of what was simulated, 0 to 1: of the workers' time and of the network's. */
double simulated_busy_share(const struct simulated *simulated);
double simulated_network_share(const struct simulated *simulated);
/* One JSON value, "scow-simulation-1". */
void simulated_json(const struct simulated *simulated, struct text *text);
void simulated_release(struct simulated *simulated);

#endif
